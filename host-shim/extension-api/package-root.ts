// Where the package is: the nearest folder above this file with a package.json, both in the sources and in dist/.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package.json')) || dirname(directory) === directory) return directory;
  return rootAbove(dirname(directory));
}

export const PACKAGE_ROOT = rootAbove(__dirname);

/** The path of the command that users run; it works from any folder. */
export const PROGRAM = join(PACKAGE_ROOT, 'bin', 'qal');

/** The folder that holds host-shim/ and extension/: the package itself, or its dist/. */
export const CODE_ROOT = join(__dirname, '../..');

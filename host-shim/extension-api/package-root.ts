// Where the package lies: from the sources and from dist/ alike, the nearest package.json upwards.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package.json')) || dirname(directory) === directory) return directory;
  return rootAbove(dirname(directory));
}

export const PACKAGE_ROOT = rootAbove(__dirname);

/** The program as people call it, from any folder. */
export const PROGRAM = join(PACKAGE_ROOT, 'bin', 'qal');

/** The folder that holds host-shim/ and extension/: the package itself, or its dist/. */
export const CODE_ROOT = join(__dirname, '../..');

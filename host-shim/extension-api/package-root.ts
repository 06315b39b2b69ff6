// Finds the nearest folder with a package.json, whether the program runs from its sources or from dist/.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

function rootAbove(directory: string): string {
  if (existsSync(join(directory, 'package.json')) || dirname(directory) === directory) return directory;
  return rootAbove(dirname(directory));
}

export const PACKAGE_ROOT = rootAbove(__dirname);

/** The command that users run, from any folder. */
export const PROGRAM = join(PACKAGE_ROOT, 'bin', 'qal');

/** The folder that contains host-shim/ and extension/: the package or its dist/. */
export const CODE_ROOT = join(__dirname, '../..');

const packageSchema = z.object({ version: z.string() });

export const programVersion = (): string =>
  packageSchema.parse(JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'))).version;

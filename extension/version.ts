// The version of the installed software, from package.json.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });

/** The version in the nearest package.json above this file: the sources and the build lie at different depths. */
export function installedVersion(directory: string = __dirname): string {
  const file = join(directory, 'package.json');
  if (existsSync(file)) return packageSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).version;
  const parent = dirname(directory);
  if (parent === directory) throw new Error('No package.json above the extension.');
  return installedVersion(parent);
}

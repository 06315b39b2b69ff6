// Creates a folder level by level: below /proc, where nothing can be created, a recursive mkdir of Node hangs.
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from './embedded/errors';

/**
 * Creates the folder and those above it, where they are missing. Throws what the system says, ENOTDIR where a file has its
 * name, and ENOTSUP where its file system takes no folders.
 */
export async function createFolder(folder: string, mode?: number): Promise<void> {
  const path = resolve(folder);
  for (const level of missingLevels(path)) await createLevel(level, mode);
  if (!(await stat(path)).isDirectory()) throw refusal('ENOTDIR', path);
}

/** Those nearest to the root first. */
function missingLevels(path: string): readonly string[] {
  const missing: string[] = [];
  for (let level = path; !existsSync(level) && level !== dirname(level); level = dirname(level))
    missing.unshift(level);
  return missing;
}

async function createLevel(level: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(level, mode);
  } catch (error) {
    // The one above it is there.
    if (codeOf(error) === 'ENOENT') throw refusal('ENOTSUP', level);
    // Another process may have been faster.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const refusal = (code: 'ENOTDIR' | 'ENOTSUP', path: string) =>
  Object.assign(new Error(`${code}: ${path}`), { code, path });

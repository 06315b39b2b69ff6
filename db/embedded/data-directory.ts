// Creates the data directory level by level: below /proc, where nothing can be created, a recursive mkdir of Node 20 hangs.
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf, EmbeddedServerError } from './errors';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'the file system is read-only',
  ENOENT: 'the file system there takes no directories',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file is in its way',
};

/** Creates the directory and those above it, where they are missing. Throws an EmbeddedServerError. */
export async function createDirectory(directory: string): Promise<void> {
  const path = resolve(directory);
  try {
    for (const level of missingLevels(path)) await createLevel(level);
    if (!(await stat(path)).isDirectory())
      throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
  } catch (error) {
    const reason = REASONS[codeOf(error) ?? ''] ?? String(error);
    throw new EmbeddedServerError(
      `The data directory ${path} cannot be created: ${reason}. Set DATA_DIR to a directory that this account can write.`,
      { cause: error },
    );
  }
}

/** Those nearest to the root first. */
function missingLevels(path: string): readonly string[] {
  const missing: string[] = [];
  for (let level = path; !existsSync(level) && level !== dirname(level); level = dirname(level))
    missing.unshift(level);
  return missing;
}

async function createLevel(level: string): Promise<void> {
  try {
    await mkdir(level);
  } catch (error) {
    // Another process may have been faster.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

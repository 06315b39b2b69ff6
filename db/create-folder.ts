// Creates one level at a time, because Node's recursive mkdir hangs below /proc.
import { existsSync } from 'node:fs';
import { lchown, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { codeOf } from './embedded/errors';

/** Throws the system's error: ENOTDIR if a file has this name, ENOTSUP if the file system does not support folders. */
export async function createFolder(folder: string, mode?: number): Promise<void> {
  const path = resolve(folder);
  for (const level of missingLevels(path)) await createLevel(level, mode);
  if (!(await stat(path)).isDirectory()) throw refusal('ENOTDIR', path);
}

/** Returns the missing folders of the path, outermost first. */
function missingLevels(path: string): readonly string[] {
  const missing: string[] = [];
  for (let level = path; !existsSync(level) && level !== dirname(level); level = dirname(level))
    missing.unshift(level);
  return missing;
}

async function createLevel(level: string, mode: number | undefined): Promise<void> {
  try {
    await mkdir(level, mode);
    await giveToOwnerOf(dirname(level), level);
  } catch (error) {
    // The parent exists, so the file system does not support folders here.
    if (codeOf(error) === 'ENOENT') throw refusal('ENOTSUP', level);
    // Another process may have created it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** If root created `path`, gives it to the owner of `other` (for example, the folder that contains it), who could not use it otherwise. */
export async function giveToOwnerOf(other: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0 || (await lstat(path)).uid !== 0) return;
  const { uid, gid } = await stat(other);
  await lchown(path, uid, gid).catch((error: unknown) => {
    // The file system has no owners, or the folder's owner does not exist in this container.
    if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'EINVAL') throw error;
  });
}

const refusal = (code: 'ENOTDIR' | 'ENOTSUP', path: string) =>
  Object.assign(new Error(`${code}: ${path}`), { code, path });

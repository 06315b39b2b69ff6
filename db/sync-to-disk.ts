// Calls fsync, so that written data survives a power failure.
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Syncs a file, or a folder's list of entries. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Syncs a folder and everything in it. */
export async function syncTree(path: string): Promise<void> {
  const entry = await lstat(path);
  if (entry.isDirectory()) for (const name of await readdir(path)) await syncTree(join(path, name));
  if (entry.isDirectory() || entry.isFile()) await syncPath(path);
}

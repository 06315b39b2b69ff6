// The server's socket is in the cluster directory, which only its owner can enter, or in /tmp if the path would be too long.
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Account } from './account';
import { codeOf, EmbeddedServerError } from './errors';

export const SOCKET_PORT = 5432;
// The limit is 107 bytes on Linux and 103 on macOS.
const MAX_SOCKET_PATH_BYTES = 103;

export interface SocketPlace {
  /** The value of unix_socket_directories; "." is the cluster directory, the server's working directory. */
  readonly setting: string;
  readonly directory: string;
  readonly shared: boolean;
}

export function socketPlace(clusterDir: string): SocketPlace {
  const path = join(clusterDir, `.s.PGSQL.${SOCKET_PORT}`);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) {
    return { setting: '.', directory: clusterDir, shared: false };
  }
  const directory = `/tmp/qal-${createHash('sha256').update(clusterDir).digest('hex').slice(0, 24)}`;
  return { setting: directory, directory, shared: true };
}

/** Creates the folder in /tmp if needed. Throws an EmbeddedServerError if it belongs to another account. */
export async function prepareSocketPlace(place: SocketPlace, account: Account | null): Promise<void> {
  if (!place.shared) return;
  await mkdir(place.directory, { mode: 0o700 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await checkSocketPlace(place, account);
  await chmod(place.directory, 0o700);
  if (account !== null) await chown(place.directory, account.uid, account.gid);
}

export async function checkSocketPlace(place: SocketPlace, account: Account | null): Promise<void> {
  if (!place.shared) return;
  const found = await lstat(place.directory).catch(() => undefined);
  if (found === undefined) return;
  const ours = found.uid === process.getuid?.() || found.uid === account?.uid;
  if (found.isDirectory() && ours && (found.mode & 0o077) === 0) return;
  throw new EmbeddedServerError(
    `${place.directory}, which is needed for the database's socket, belongs to another account; ` +
      'remove it, or set DATA_DIR to a shorter path.',
  );
}

/** Removes the folder in /tmp after the server has stopped, unless the next server already uses it. */
export async function removeSocketPlace(place: SocketPlace): Promise<void> {
  if (!place.shared) return;
  await rmdir(place.directory).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTEMPTY') throw error;
  });
}

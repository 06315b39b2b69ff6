import { statfs } from 'node:fs/promises';
import type { Knex } from 'knex';
import { BackupError } from '../../db/backup/backup-format';
import { formatCount } from '../extension-api';

interface RoomOptions {
  readonly write: Knex;
  readonly folder: string;
  /** What needs the space; capitalized, because it begins the message. */
  readonly what: string;
  bytesFor(databaseBytes: number): number;
  /** Full sentences to append to the message. */
  readonly remedy?: string;
}

/** Leaves room for the restore's WAL and for sorting. */
export const roomForRestore = (databaseBytes: number): number => 1.5 * databaseBytes + 200e6;

/** Throws a BackupError if the folder's disk does not have enough free space. */
export async function requireRoom({ write, folder, what, bytesFor, remedy }: RoomOptions): Promise<void> {
  const { rows } = await write.raw<{ rows: { bytes: number }[] }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  const needed = bytesFor(Number(rows[0]?.bytes ?? 0));
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const mb = (bytes: number) => formatCount(Math.ceil(bytes / 1e6));
  if (free < needed)
    throw new BackupError(
      `${what} needs about ${mb(needed)} MB in ${folder}, which has ${mb(free)} MB free.${remedy === undefined ? '' : ` ${remedy}`}`,
    );
}

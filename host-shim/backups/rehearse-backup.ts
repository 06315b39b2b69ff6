import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import type { RestoreOptions } from '../../db/backup/restore-backup';
import { openDatabase } from '../../db/connect';
import { removeEmbeddedDatabase } from '../../db/embedded/server';
import { createFolder } from '../extension-api';
import { requireRoom, roomForRestore } from './require-room';
import { restoreAndCompare } from './restore-and-compare';

interface RehearsalOptions extends Pick<RestoreOptions, 'file' | 'schemas' | 'signal' | 'onProgress'> {
  readonly dataDir: string;
  readonly pgBinDir: string | undefined;
  /** The current database; the restored one will be about as large. */
  readonly write: Knex;
}

const POOL = 3;

/**
 * Restores a backup into a new embedded database, compares it with the backup, and removes the database. Throws a BackupError on failure.
 */
export async function rehearseBackup(options: RehearsalOptions) {
  const { dataDir, pgBinDir } = options;
  const folder = rehearsalFolder(dataDir);
  await createFolder(dataDir);
  await removeEmbeddedDatabase(folder, pgBinDir);
  await requireRoom({
    write: options.write,
    folder: dataDir,
    what: 'A rehearsal',
    bytesFor: roomForRestore,
    remedy: 'Free up space, or set QAL_BACKUP_REHEARSAL=off.',
  });
  try {
    return await restoreInto(folder, options);
  } finally {
    await removeEmbeddedDatabase(folder, pgBinDir);
  }
}

/** Restores a backup into a new embedded database in `folder`, compares it with the backup, and stops the database. */
export async function restoreInto(
  folder: string,
  options: Omit<RehearsalOptions, 'dataDir' | 'write'>,
): ReturnType<typeof restoreAndCompare> {
  const { pgBinDir } = options;
  const database = await openDatabase({ dataDir: folder, poolMax: POOL, pgBinDir, onPoolError: () => {} });
  const { write, readerRole } = database;
  return restoreAndCompare({ ...options, write, readerRole }).finally(() => database.stop());
}

const rehearsalFolder = (dataDir: string): string => join(dataDir, 'rehearsal');

export const hasRehearsal = (dataDir: string): boolean => existsSync(rehearsalFolder(dataDir));

/** Removes what a killed rehearsal left behind. Call it only while no other process is rehearsing. */
export const removeRehearsal = ({ dataDir, pgBinDir }: Pick<RehearsalOptions, 'dataDir' | 'pgBinDir'>) =>
  removeEmbeddedDatabase(rehearsalFolder(dataDir), pgBinDir);

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { answersTo, BackupError } from '../../db/backup/backup-format';
import { restoreBackup } from '../../db/backup/restore-backup';
import { openDatabase } from '../../db/connect';
import { startEmbeddedServer } from '../../db/embedded/server';
import type { MigratedSchema } from '../../db/migrate';
import { poolOf } from '../../db/write-pool';
import { createFolder } from '../extension-api';
import { requireRoom } from './require-room';

interface RehearsalOptions {
  readonly file: string;
  readonly dataDir: string;
  readonly pgBinDir: string | undefined;
  /** The restored database will be about as large as this one. */
  readonly write: Knex;
  readonly schemas: readonly MigratedSchema[];
  readonly signal: AbortSignal;
  onProgress(table: string, bytes: number): void;
}

const POOL = 3;
/** Leaves room for the restore's WAL and for sorting. */
const MORE_ROOM = 1.5;
const LEAST_BYTES = 200e6;

/**
 * Restores a backup into a new embedded database, compares its answers with those in the backup, and removes the database. Throws a
 * BackupError.
 */
export async function rehearseBackup(options: RehearsalOptions) {
  const { file, dataDir, pgBinDir, schemas, signal, onProgress } = options;
  const folder = rehearsalFolder(dataDir);
  await createFolder(dataDir);
  await removeDatabase(folder, pgBinDir);
  await requireRoom({
    write: options.write,
    folder: dataDir,
    what: 'A rehearsal',
    bytesFor: (bytes) => MORE_ROOM * bytes + LEAST_BYTES,
    remedy: 'Free up space, or set QAL_BACKUP_REHEARSAL=off.',
  });
  try {
    const database = await openDatabase({
      dataDir: folder,
      poolMax: POOL,
      pgBinDir,
      onPoolError: () => {},
    });
    try {
      const { write, readerRole } = database;
      const { header, tables } = await restoreBackup({
        write,
        file,
        schemas,
        readerRole,
        signal,
        onProgress,
      });
      const questions = schemas.flatMap((schema) => schema.questions ?? []);
      const client = await poolOf(write).acquire();
      const found = await answersTo(client, questions).finally(() => client.release());
      return {
        rows: tables.reduce((sum, table) => sum + table.rows, 0),
        /** A backup by an older version has none. */
        answers: compareAnswers(file, header.answers, found),
      };
    } finally {
      await database.stop();
    }
  } finally {
    await removeDatabase(folder, pgBinDir);
  }
}

const rehearsalFolder = (dataDir: string): string => join(dataDir, 'rehearsal');

export const hasRehearsal = (dataDir: string): boolean => existsSync(rehearsalFolder(dataDir));

/** Removes what a killed rehearsal left behind. Call it only while no other process is rehearsing. */
export const removeRehearsal = ({ dataDir, pgBinDir }: Pick<RehearsalOptions, 'dataDir' | 'pgBinDir'>) =>
  removeDatabase(rehearsalFolder(dataDir), pgBinDir);

/** A killed rehearsal leaves its server running. It is adopted and stopped. */
async function removeDatabase(folder: string, pgBinDir: string | undefined): Promise<void> {
  if (existsSync(join(folder, 'postgres', 'postmaster.pid')))
    await startEmbeddedServer({ dataDir: folder, pgBinDir, onError: () => {} }).then(
      (server) => server.stop(),
      // A database whose creation was killed does not start. A server stops by itself once its folder is gone.
      () => {},
    );
  await rm(folder, { recursive: true, force: true });
}

type Answers = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Compares the questions that both versions know. Returns the number of answers compared. */
function compareAnswers(file: string, expected: Answers, found: Answers): number {
  let count = 0;
  for (const [question, bySite] of Object.entries(expected)) {
    const restored = found[question];
    if (restored === undefined) continue;
    for (const site of new Set([...Object.keys(bySite), ...Object.keys(restored)])) {
      if (bySite[site] !== restored[site])
        throw new BackupError(
          `${file} was restored, but the answer to "${question}" for ${site} differs from that at the time of the backup. Do not rely on this backup; report it with the log.`,
        );
      count += 1;
    }
  }
  return count;
}

// Moves the embedded database to the major version of PostgreSQL that this program runs: a backup of the old cluster is restored
// into a new one, which is checked against the backup and then takes the old one's place. If this is interrupted at any point,
// one of the two clusters is complete and current (db/embedded/replacement.ts, decision 0029).
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Database, openDatabase } from '../../db/connect';
import { retiredCluster, upgradeFolder, versionOf } from '../../db/embedded/cluster';
import { DirectoryInUseError, EmbeddedServerError, type OlderClusterError } from '../../db/embedded/errors';
import { findOldBinaries } from '../../db/embedded/old-binaries';
import {
  type EmbeddedServer,
  removeEmbeddedDatabase,
  socketUrl,
  startEmbeddedServer,
} from '../../db/embedded/server';
import type { MigratedSchema } from '../../db/migrate';
import { type Clock, createFolder, type Log, messageOf } from '../extension-api';
import type { Config } from '../server/config';
import { restoreInto } from './rehearse-backup';
import { roomForRestore } from './require-room';
import { writeSafetyBackup } from './safety-backup';

interface UpgradeOptions {
  readonly config: Pick<Config, 'dataDir' | 'pgBinDir' | 'pgOldBinDir' | 'backupDir' | 'backupRecipients'>;
  readonly schemas: readonly MigratedSchema[];
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Brings the old database to the latest schema, so that both have the same tables. */
  migrate(database: Pick<Database, 'write' | 'readerRole'>): Promise<unknown>;
}

const POOL = 3;

/** Throws if the old cluster stays in place, in which case it is intact. */
export async function upgradePostgresql(options: UpgradeOptions, older: OlderClusterError): Promise<void> {
  const { config, log } = options;
  const { clusterDir, from, to } = older;
  const hasChanged = async () => (await versionOf(clusterDir)) !== String(from);
  const retired = retiredCluster(clusterDir, from);
  // Another process has already upgraded the database.
  if (await hasChanged()) return;
  if (existsSync(retired))
    throw new EmbeddedServerError(
      `${clusterDir} was written by PostgreSQL ${from} and needs an upgrade, but ${retired}, where it would be moved, already exists. Rename or remove that folder.`,
    );
  const dataDir = dirname(clusterDir);
  const { pgOldBinDir: oldBinDir } = config;
  const pgBinDir = await findOldBinaries({ dataDir, clusterDir, major: from, oldBinDir });
  log.warn({ programs: pgBinDir }, `Upgrading the database from PostgreSQL ${from} to ${to}.`);
  try {
    await replaceByCopy(options, older, pgBinDir);
  } catch (error) {
    if (await hasChanged()) return;
    if (error instanceof DirectoryInUseError) throw error;
    const reason = messageOf(error).replace(/([^.])$/, '$1.');
    throw new Error(
      `The database was not upgraded from PostgreSQL ${from} to ${to}: ${reason} ` +
        `No data was lost. Until the cause is fixed, PG_BINDIR=${pgBinDir} runs the old version.`,
      { cause: error },
    );
  }
  log.warn(
    { remove: `rm -r ${retired}` },
    `The database now runs on PostgreSQL ${to}. The old one is in ${retired}; remove it once you no longer need it.`,
  );
}

async function replaceByCopy(
  options: UpgradeOptions,
  { clusterDir, from, to }: OlderClusterError,
  oldBinDir: string,
): Promise<void> {
  const { config, schemas, log } = options;
  const { dataDir, pgBinDir } = config;
  const folder = upgradeFolder(dataDir);
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  // From here on, if this process is killed, the next start does not adopt the old server.
  await createFolder(folder);
  const old = await startEmbeddedServer({
    dataDir,
    pgBinDir: oldBinDir,
    isExclusive: true,
    onError: (error) => lost.abort(error),
  });
  try {
    if ((await versionOf(clusterDir)) !== String(from)) throw new Error('Another process has upgraded it.');
    await removeEmbeddedDatabase(folder, pgBinDir);
    await createFolder(folder);
    const file = await backUp(old, { ...options, signal }, to);
    log.warn({ file }, 'Wrote a backup. Restoring it into the new version.');
    const { rows, answers } = await restoreInto(folder, { file, schemas, pgBinDir, signal });
    log.warn({ rows, answers }, 'The number of rows in every table and all answers are the same.');
  } catch (error) {
    await old.stop();
    await removeEmbeddedDatabase(folder, pgBinDir);
    throw lost.signal.aborted ? lost.signal.reason : error;
  }
  await old.replace().finally(() => old.stop());
}

async function backUp(old: EmbeddedServer, options: UpgradeOptions, to: number): Promise<string> {
  const { config, schemas, clock, signal, migrate } = options;
  const database = await openDatabase({
    urls: [socketUrl(old)],
    dataDir: config.dataDir,
    poolMax: POOL,
    onPoolError: () => {},
  });
  try {
    await migrate(database);
    return await writeSafetyBackup({
      write: database.write,
      config,
      clock,
      signal,
      prefix: `before-postgresql-${to}-`,
      kept: 1,
      questions: schemas.flatMap((schema) => schema.questions ?? []),
      roomInDataDir: roomForRestore,
    });
  } finally {
    await database.stop();
  }
}

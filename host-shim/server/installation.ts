import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../../db/connect';
import { OlderClusterError } from '../../db/embedded/errors';
import { compareMigrations, type MigratedSchema, migrate, nameOf } from '../../db/migrate';
import { backUpBeforeUpgrade } from '../backups/safety-backup';
import { upgradePostgresql } from '../backups/upgrade-postgresql';
import {
  type Clock,
  countOf,
  type Extension,
  type ExtensionFactory,
  JobFailed,
  NO_TELEMETRY,
  type Telemetry,
} from '../extension-api';
import type { Extensions } from '../extensions/extensions';
import type { Config } from './config';
import { loadHost } from './load-host';

export interface Product {
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  readonly extensions: readonly ExtensionFactory[];
}

export interface Installation {
  readonly database: Database;
  readonly extensions: Extensions;
}

export interface InstallationOptions {
  readonly config: Config;
  readonly installed: readonly Extension[];
  readonly log: Logger;
  readonly clock: Clock;
  /** Aborts the backup that precedes an upgrade. */
  readonly signal?: AbortSignal;
  /** Fails if migrations are pending, instead of applying them. */
  readonly keepsSchema?: boolean | undefined;
  /** Whether this process serves requests. Only one process per embedded database may do so. */
  readonly isHttpServer?: boolean;
  /** Called when the embedded database has stopped permanently. */
  readonly onDatabaseLost?: (error: Error) => void;
  /** Default: no telemetry. */
  readonly telemetry?: Telemetry;
}

/** The schemas of the host and of all extensions, including those that are turned off. */
export const schemasOf = (installed: readonly Extension[]): readonly MigratedSchema[] => [
  { schema: 'host', migrations: join(__dirname, '../../db/migrations'), readable: false },
  ...installed.flatMap(({ storage }) => (storage === undefined ? [] : [{ ...storage, readable: true }])),
];

export const migrationComparer =
  ({ write }: Pick<Database, 'write'>, schemas: readonly MigratedSchema[]) =>
  async () => {
    const { missing, unknown } = await compareMigrations(write, schemas);
    return { missing: missing.map(nameOf), unknown };
  };

/** Opens the database without migrating it. Starts the embedded one if DATABASE_URL is not set. */
export async function openPlainDatabase({
  config,
  log,
  isHttpServer,
  onDatabaseLost,
}: Omit<InstallationOptions, 'clock' | 'signal'>): Promise<Database> {
  const database = await openDatabase({
    urls: config.databaseUrl,
    readUrls: config.databaseReadUrl,
    dataDir: config.dataDir,
    poolMax: config.dbPoolMax,
    tempFileMb: config.dbTempFileMb === 0 ? undefined : config.dbTempFileMb,
    pgBinDir: config.pgBinDir,
    isHttpServer,
    // A command reports its own failure.
    onPoolError: (error) =>
      log[isHttpServer ? 'error' : 'debug']({ err: error }, 'A database connection was lost.'),
    onServerLost: onDatabaseLost,
    onServerChange: (sentence) => log.warn(sentence),
  });
  for (const warning of database.warnings) log.warn(warning);
  return database;
}

/**
 * Opens the database and applies pending migrations. If other migrations were applied earlier, first logs the upgrade and writes a
 * backup. An embedded database from an earlier major version of PostgreSQL is upgraded first.
 */
export async function openMigratedDatabase(
  options: InstallationOptions,
): Promise<{ database: Database; applied: readonly string[] }> {
  const { installed, signal = new AbortController().signal } = options;
  const bringUpToDate = migrationOf({ ...options, signal });
  const database = await openPlainDatabase(options).catch(async (error: unknown) => {
    if (options.keepsSchema === true || !(error instanceof OlderClusterError)) throw error;
    await upgradePostgresql(
      { ...options, signal, schemas: schemasOf(installed), migrate: bringUpToDate },
      error,
    );
    return openPlainDatabase(options);
  });
  try {
    return { database, applied: await bringUpToDate(database) };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

const migrationOf =
  (options: InstallationOptions & { readonly signal: AbortSignal }) =>
  async ({ write, readerRole }: Pick<Database, 'write' | 'readerRole'>): Promise<readonly string[]> => {
    if (options.keepsSchema === true) await refuseMissing(write, schemasOf(options.installed));
    return migrate(write, schemasOf(options.installed), readerRole, {
      async onUpgrade(migrations) {
        options.log.warn({ migrations }, 'Migrating the database to the latest schema.');
        await backUpBeforeUpgrade({ ...options, write });
      },
    });
  };

async function refuseMissing(write: Database['write'], schemas: readonly MigratedSchema[]): Promise<void> {
  const { missing } = await compareMigrations(write, schemas);
  if (missing.length > 0)
    throw new JobFailed(
      `The database lacks ${countOf(missing.length, 'migration')}. Run  qal migrate  first.`,
    );
}

export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { config, installed, log, clock, telemetry = NO_TELEMETRY } = options;
  const { database } = await openMigratedDatabase(options);
  try {
    return {
      database,
      extensions: await loadHost({
        log,
        clock,
        database,
        telemetry,
        installed,
        settings: config,
        dataDir: config.dataDir,
        compareMigrations: migrationComparer(database, schemasOf(installed)),
      }),
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

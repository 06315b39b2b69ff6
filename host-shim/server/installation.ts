// An installation: its database brought up to date, and the host with its extensions on top of it.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../../db/connect';
import { compareMigrations, type MigratedSchema, migrate, nameOf } from '../../db/migrate';
import {
  type Clock,
  type Extension,
  type ExtensionFactory,
  NO_TELEMETRY,
  type Telemetry,
} from '../extension-api';
import type { Extensions } from '../extensions/extensions';
import type { Config } from './config';
import { loadHost } from './load-host';

/** What a program is made of, besides the host. */
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
  /** In the order of their registration. */
  readonly installed: readonly Extension[];
  readonly log: Logger;
  readonly clock: Clock;
  /** Whether this process answers requests: only one of those that use the embedded database may. */
  readonly isHttpServer?: boolean;
  /** Called when the embedded database has gone away for good. */
  readonly onDatabaseLost?: (error: Error) => void;
  /** By default there is none. */
  readonly telemetry?: Telemetry;
}

/** The tables of the host, then those of its extensions, whether they are on or off. */
export const schemasOf = (installed: readonly Extension[]): readonly MigratedSchema[] => [
  { schema: 'host', migrations: join(__dirname, '../../db/migrations'), readable: false },
  ...installed.flatMap(({ storage }) => (storage === undefined ? [] : [{ ...storage, readable: true }])),
];

/** Compares a database with the migrations of this program. */
export const migrationComparer =
  ({ write }: Pick<Database, 'write'>, schemas: readonly MigratedSchema[]) =>
  async () => {
    const { missing, unknown } = await compareMigrations(write, schemas);
    return { missing: missing.map(nameOf), unknown };
  };

type DatabaseParts = Omit<InstallationOptions, 'clock'>;

/** Opens the database as it is, starting the embedded one when there is no address. */
export async function openPlainDatabase({
  config,
  log,
  isHttpServer,
  onDatabaseLost,
}: DatabaseParts): Promise<Database> {
  const database = await openDatabase({
    urls: config.databaseUrl,
    readUrls: config.databaseReadUrl,
    dataDir: config.dataDir,
    poolMax: config.dbPoolMax,
    tempFileMb: config.dbTempFileMb === 0 ? undefined : config.dbTempFileMb,
    pgBinDir: config.pgBinDir,
    isHttpServer,
    // A command says what became of its work.
    onPoolError: (error) =>
      log[isHttpServer ? 'error' : 'debug']({ err: error }, 'A database connection broke.'),
    onServerLost: onDatabaseLost,
    onServerChange: (sentence) => log.warn(sentence),
  });
  for (const warning of database.warnings) log.warn(warning);
  return database;
}

/** The same, and applies the migrations that it lacks. Those of a database that was in use are logged before. */
export async function openMigratedDatabase(
  options: DatabaseParts,
): Promise<{ database: Database; applied: readonly string[] }> {
  const database = await openPlainDatabase(options);
  try {
    const applied = await migrate(database.write, schemasOf(options.installed), database.readerRole, {
      onUpgrade: (migrations) =>
        options.log.warn({ migrations }, 'Bringing the database to the newest schema.'),
    });
    return { database, applied };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Opens the database and registers the extensions; closes the database again when that fails. */
export async function openInstallation(options: InstallationOptions): Promise<Installation> {
  const { config, installed, log, clock, telemetry = NO_TELEMETRY } = options;
  const { database } = await openMigratedDatabase(options);
  try {
    return {
      database,
      extensions: await loadHost({
        ...{ log, clock, database, telemetry, installed, settings: config, dataDir: config.dataDir },
        compareMigrations: migrationComparer(database, schemasOf(installed)),
      }),
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

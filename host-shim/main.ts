// The composition root: the only file that imports the extensions and opens the database.
// Config -> an open installation; serving it and the command line are built on top.

import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Database, openDatabase } from '../db/connect';
import { type MigratedSchema, migrate } from '../db/migrate';
import { analyticsExtension } from '../extension/index';
import type { Config } from './config';
import type { Clock, Extension } from './extension-api';
import type { Extensions } from './extensions/load-extensions';
import { loadHost } from './load-host';

export interface Installation {
  readonly extensions: Extensions;
  readonly database: Database;
}

/** The extensions of this program, in the order of their registration. */
export function installedExtensions(config: Config): readonly Extension[] {
  return [
    analyticsExtension({
      namespace: config.namespace,
      defaultVersion: config.defaultVersion,
      queryTimeoutSeconds: config.queryTimeoutSeconds,
      docsUrl: config.docsUrl ?? '',
      responseEnvelope: config.responseEnvelope,
      rollups: config.rollups,
      resultCacheMb: config.resultCacheMb,
    }),
  ];
}

const HOST_SCHEMA: MigratedSchema = {
  schema: 'host',
  migrations: join(__dirname, '../db/migrations'),
  readable: false,
};

/** The tables of the host, then those of its extensions, whether they are on or off. */
export const schemasOf = (extensions: readonly Extension[]): readonly MigratedSchema[] => [
  HOST_SCHEMA,
  ...extensions.flatMap(({ storage }) => (storage === undefined ? [] : [{ ...storage, readable: true }])),
];

/** Opens the database, starting the embedded one when no address is given, and brings it to the newest schema. */
export async function openMigratedDatabase(
  config: Config,
  log: Logger,
  onDatabaseLost?: (error: Error) => void,
): Promise<{ database: Database; applied: readonly string[] }> {
  const database = await openDatabase({
    url: config.databaseUrl,
    readUrl: config.databaseReadUrl,
    dataDir: config.dataDir,
    poolMax: config.dbPoolMax,
    pgBinDir: config.pgBinDir,
    onPoolError: (error) => log.error({ err: error }, 'A database connection broke.'),
    onServerLost: onDatabaseLost,
  });
  try {
    return {
      database,
      applied: await migrate(database.write, schemasOf(installedExtensions(config)), database.readerRole),
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Opens the database and registers the extensions; closes the database again when the start fails. */
export async function openInstallation(
  config: Config,
  parts: {
    log: Logger;
    clock: Clock;
    /** Told when the embedded database has gone away for good. */
    onDatabaseLost?: (error: Error) => void;
  },
): Promise<Installation> {
  const { log, clock, onDatabaseLost } = parts;
  const { database } = await openMigratedDatabase(config, log, onDatabaseLost);
  try {
    const installed = installedExtensions(config);
    return { extensions: await loadHost({ log, clock, database, installed, settings: config }), database };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

// Opens the database: a pool that can only read and one that owns everything. Without a url it starts the embedded server.
// It migrates nothing.
import knex, { type Knex } from 'knex';
import { Client, type PoolClient } from 'pg';
import { codeOf } from './embedded/errors';
import { startEmbeddedServer } from './embedded/server';
import {
  type Connection,
  clientConfig,
  PATIENCE_SECONDS,
  type PoolOptions,
  settingsStatement,
} from './pool-options';
import { openReadPool, type ReadPool } from './read-pool';
import { createReaderRole, READER_ROLE, READER_SETTINGS } from './roles';

const OLDEST_VERSION = 150_000;
/** For the commands beside the server. */
const MORE_CONNECTIONS = 60;
const WRITER_SETTINGS = { timezone: 'UTC', jit: 'off' };

export interface Database {
  /** Can only read, with the settings of READER_SETTINGS. */
  readonly read: ReadPool;
  /** Owns everything. */
  readonly write: Knex;
  /** The role that may read; migrate() grants it the right. It need not exist where both pools have the same url. */
  readonly readerRole: string;
  /** For people: "embedded PostgreSQL 18.4 in ./data". Holds no password. */
  readonly description: string;
  /** Closes the pools, and stops the embedded server unless others use it. */
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url?: string | undefined;
  /** For a role on the same server that cannot write; by default `read` uses `url` as well. */
  readonly readUrl?: string | undefined;
  readonly dataDir: string;
  readonly poolMax: number;
  readonly pgBinDir?: string | undefined;
  /** Whether this process answers requests: only one of those that use the embedded server may. */
  readonly isHttpServer?: boolean | undefined;
  onPoolError(error: Error): void;
  /** Called when the embedded server has gone away for good; by default `onPoolError` is. */
  readonly onServerLost?: ((error: Error) => void) | undefined;
}

/** Connects, after starting the embedded server where there is no url. Throws for a server that is too old. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.url === undefined ? openEmbedded(options) : openServer(options, options.url);
}

async function openEmbedded(options: DatabaseOptions): Promise<Database> {
  const server = await startEmbeddedServer({
    dataDir: options.dataDir,
    pgBinDir: options.pgBinDir,
    isHttpServer: options.isHttpServer,
    onError: options.onServerLost ?? options.onPoolError,
    settings: { max_connections: String(Math.max(100, 2 * options.poolMax + MORE_CONNECTIONS)) },
  });
  const connection = { ...server.connection, ssl: false as const };
  const pools = openPools(options, connection, { ...connection, user: READER_ROLE });
  const stop = async () => {
    await closePools(pools);
    await server.stop();
  };
  try {
    const version = await checkServer(pools.write);
    await createReaderRole(pools.write);
    const description = `embedded PostgreSQL ${version} in ${options.dataDir}`;
    return { ...pools, readerRole: READER_ROLE, description, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openServer(options: DatabaseOptions, url: string): Promise<Database> {
  const readUrl = options.readUrl ?? url;
  const pools = openPools(options, { connectionString: url }, { connectionString: readUrl });
  const readUser = options.readUrl === undefined ? undefined : new Client({ connectionString: readUrl }).user;
  const readerRole = readUser ?? READER_ROLE;
  const { host, port, database } = new Client({ connectionString: url });
  const place = `${host}:${port}/${database}`;
  try {
    const version = await checkServer(pools.write);
    const description = `PostgreSQL ${version} at ${place}`;
    return { ...pools, readerRole, description, stop: () => closePools(pools) };
  } catch (error) {
    await closePools(pools);
    throw isConnectionError(error)
      ? new Error(`No PostgreSQL answers at ${place} (DATABASE_URL): ${error.message}`)
      : error;
  }
}

interface Pools {
  readonly read: ReadPool;
  readonly write: Knex;
}

function openPools(options: DatabaseOptions, owner: Connection, reader: Connection): Pools {
  const { poolMax, onPoolError } = options;
  const shared = { poolMax, onPoolError };
  const readSettings = { ...WRITER_SETTINGS, ...READER_SETTINGS };
  return {
    write: openPool({ ...shared, connection: owner, name: 'qal write', settings: WRITER_SETTINGS }),
    read: openReadPool({ ...shared, connection: reader, name: 'qal read', settings: readSettings }),
  };
}

/** A pool of Knex. */
export function openPool(options: PoolOptions): Knex {
  const prepare = (client: PoolClient, done: (error: Error | null, client: PoolClient) => void) => {
    client.on('error', options.onPoolError);
    client.query(settingsStatement(options), (error) => done(error ?? null, client));
  };
  return knex({
    client: 'pg',
    connection: clientConfig(options),
    // One connection stays open: a new one would have to read the catalog again.
    pool: { min: 1, max: options.poolMax, afterCreate: prepare },
    acquireConnectionTimeout: PATIENCE_SECONDS * 1000,
    // Knex would print warnings to the console; it throws them as errors, too.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
}

function ignore(): void {}

async function closePools(pools: Pools): Promise<void> {
  await Promise.all([pools.read.end(), pools.write.destroy()]);
}

async function checkServer(write: Knex): Promise<string> {
  const { rows } = await write.raw(
    `SELECT current_setting('server_version_num')::int AS number, split_part(current_setting('server_version'), ' ', 1) AS version,
            current_setting('server_encoding') AS encoding`,
  );
  const { number, version, encoding } = rows[0];
  if (number < OLDEST_VERSION) {
    throw new Error(`The server of DATABASE_URL is PostgreSQL ${version}; version 15 or newer is needed.`);
  }
  if (encoding !== 'UTF8') {
    throw new Error(
      `The database of DATABASE_URL is encoded in ${encoding}; create one with ENCODING 'UTF8'.`,
    );
  }
  return version;
}

function isConnectionError(error: unknown): error is Error {
  return /^E[A-Z]+$/.test(codeOf(error) ?? '');
}

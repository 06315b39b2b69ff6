// Opens the database: a pool that can only read and one that owns everything. Without a url it starts the embedded server.
// It migrates nothing.
import knex, { type Knex } from 'knex';
import { Client, type PoolClient } from 'pg';
import { codeOf } from './embedded/errors';
import { startEmbeddedServer } from './embedded/server';
import { connectionTo, followPrimary } from './follow-primary';
import { openConnections } from './open-connections';
import {
  type Connection,
  clientConfig,
  currentPlace,
  PATIENCE_SECONDS,
  type PoolOptions,
} from './pool-options';
import { findReaders, placeOf, withRoleOf } from './read-addresses';
import { openReadPool, type ReadPool } from './read-pool';
import { openReplicas, type Replicas } from './replicas';
import { createReaderRole, READER_ROLE, READER_SETTINGS } from './roles';
import { identify, isSameServer } from './same-database';
import { isUnavailable } from './unavailable';

const OLDEST_VERSION = 150_000;
const OLDEST_SERVER = '15';
/** For the commands beside the server. */
const MORE_CONNECTIONS = 60;
const WRITER_SETTINGS = { timezone: 'UTC', jit: 'off' };

export interface Database {
  /** Can only read, with the settings of READER_SETTINGS. Always the primary. */
  readonly read: ReadPool;
  /** undefined: there are none. */
  readonly replicas: Replicas | undefined;
  /** Owns everything. */
  readonly write: Knex;
  /** The role that may read; migrate() grants it the right. It need not exist where both pools have the same url. */
  readonly readerRole: string;
  /** For people: "embedded PostgreSQL 18.4 in ./data". Holds no password. */
  readonly description: string;
  /** Sentences for the log of the server: what the database lets a query do that it should not. */
  readonly warnings: readonly string[];
  /** Closes the pools, and stops the embedded server unless others use it. */
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  /** Of the primary, or of servers of which one is: the one that is followed when another takes over. */
  readonly urls?: readonly string[] | undefined;
  /**
   * For a role that cannot write, on the same server or on replicas of it; by default `read` uses `urls` as well. Only an HTTP
   * server asks replicas.
   */
  readonly readUrls?: readonly string[] | undefined;
  readonly dataDir: string;
  readonly poolMax: number;
  /** Megabytes of temporary files that one process of a reading statement may write; by default as the disk allows. */
  readonly tempFileMb?: number | undefined;
  readonly pgBinDir?: string | undefined;
  /** Whether this process answers requests: only one of those that use the embedded server may. */
  readonly isHttpServer?: boolean | undefined;
  onPoolError(error: Error): void;
  /** Called when the embedded server has gone away for good; by default `onPoolError` is. */
  readonly onServerLost?: ((error: Error) => void) | undefined;
  /** Called with a sentence when another server is the primary, and when a read replica is left out or taken in again. */
  readonly onServerChange?: ((sentence: string) => void) | undefined;
}

/** Connects, after starting the embedded server where there are no urls. Throws for a server that is too old. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.urls === undefined ? openEmbedded(options) : openServer(options, options.urls);
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
    await pools.close();
    await server.stop();
  };
  try {
    const version = await checkServer(pools.write);
    await createReaderRole(pools.write, options.tempFileMb);
    const description = `embedded PostgreSQL ${version} in ${options.dataDir}`;
    return {
      ...{ read: pools.read, write: pools.write, replicas: undefined },
      ...{ readerRole: READER_ROLE, description, warnings: [], stop },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openServer(options: DatabaseOptions, urls: readonly string[]): Promise<Database> {
  const { readUrls = [], isHttpServer = false, onServerChange: onChange = ignore } = options;
  const primary = await followPrimary(urls, onChange);
  const [firstReader] = readUrls;
  const readers = await findReaders(readUrls);
  const readUrl = (url: string) => (firstReader === undefined ? url : withRoleOf(url, firstReader));
  // An only address of readers does not follow a primary that moves; its role does.
  const isFixed = readers.primary !== undefined && urls.length === 1;
  const reader = isFixed ? { connectionString: readers.primary } : connectionTo(primary, readUrl);
  const pools = openPools(options, connectionTo(primary), reader);
  const { read, write } = pools;
  const close = async () => {
    primary.stop();
    await pools.close();
  };
  const readUser = new Client({ connectionString: readUrl(primary.current()) }).user;
  const readerRole = (firstReader === undefined ? undefined : readUser) ?? READER_ROLE;
  const place = placeOf(primary.current());
  try {
    const [version, identity] = await reaching('DATABASE_URL', primary.current(), async () => [
      await checkServer(write),
      await identify(async (text) => (await write.raw(text)).rows),
    ]);
    if (readers.identity !== undefined && !isSameServer(readers.identity, identity))
      throw new Error(
        `DATABASE_READ_URL leads to another database (${readUrls.map(placeOf)}) than DATABASE_URL (${place}). Give the same one, or replicas of it.`,
      );
    const description = `PostgreSQL ${version} at ${place}`;
    const readPlace = readers.primary ?? readUrl(primary.current());
    const warnings = isHttpServer
      ? await reaching('DATABASE_READ_URL', readPlace, () => readerWarnings(read, options))
      : [];
    const replicas =
      isHttpServer && readers.replicas.length > 0
        ? openReplicas(readers.replicas, { ...readerOptions(options), primary: identity, onChange })
        : undefined;
    const stop = async () => {
      await Promise.all([replicas?.end(), close()]);
    };
    return { read, replicas, write, readerRole, description, warnings, stop };
  } catch (error) {
    await close();
    throw error;
  }
}

/** SQLSTATEs: the role may not log in, or there is no such database. */
const REFUSED = /^(28|3D)...$/;

/** Says of a failure to connect which setting leads there. */
async function reaching<T>(variable: string, address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error) ?? '';
    const place = `${placeOf(address)} (${variable})`;
    if (REFUSED.test(code)) throw new Error(`PostgreSQL refuses at ${place}: ${wordsOf(error)}`);
    // Also what the system says of an address that cannot be.
    if (!isUnavailable(error) && !/^E[A-Z]+$/.test(code)) throw error;
    throw new Error(`No PostgreSQL answers at ${place}: ${wordsOf(error) || code || 'it says nothing'}`);
  }
}

/** Those of the driver: not the statement that Knex puts before them, nor its guess at a pool that is full. */
const wordsOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message).replace(/^(.* - |Knex: .*)/s, '')
    : '';

interface Pools extends Pick<Database, 'read' | 'write'> {
  close(): Promise<void>;
}

const readerOptions = ({ poolMax, tempFileMb, onPoolError }: DatabaseOptions) => ({
  ...{ poolMax, tempFileMb, onPoolError },
  ...{ name: 'qal read', settings: { ...WRITER_SETTINGS, ...READER_SETTINGS } },
});

function openPools(options: DatabaseOptions, owner: Connection, reader: Connection): Pools {
  const { poolMax, onPoolError } = options;
  const ofOwner = { poolMax, onPoolError, connection: owner, name: 'qal write', settings: WRITER_SETTINGS };
  const connections = openConnections(ofOwner);
  const write = openPool(ofOwner, connections);
  const read = openReadPool({ ...readerOptions(options), connection: reader });
  return {
    ...{ write, read },
    async close() {
      await Promise.all([read.end(), connections.close(write.destroy())]);
    },
  };
}

/** A pool of Knex. */
export function openPool(options: PoolOptions, connections = openConnections(options)): Knex {
  const prepare = (client: PoolClient, done: (error: Error | null, client: PoolClient) => void) => {
    connections.add(client).then(
      () => done(null, client),
      (error) => done(error, client),
    );
  };
  return knex({
    client: 'pg',
    // Knex would ask each pool's first connection for it, before that connection is watched.
    version: OLDEST_SERVER,
    connection() {
      const place = currentPlace(options);
      return { ...clientConfig(options), expirationChecker: () => currentPlace(options) !== place };
    },
    // One connection stays open: a new one would have to read the catalog again.
    pool: { min: 1, max: options.poolMax, afterCreate: prepare },
    acquireConnectionTimeout: PATIENCE_SECONDS * 1000,
    // Knex would print warnings to the console; it throws them as errors, too.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
  });
}

function ignore(): void {}

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

/** What the reader's role lacks of what the embedded server has. */
async function readerWarnings(
  read: ReadPool,
  { tempFileMb }: Pick<DatabaseOptions, 'tempFileMb'>,
): Promise<readonly string[]> {
  if (tempFileMb === undefined) return [];
  const [found] = await read.query<{ limit: string; role: string }>({
    text: "SELECT current_setting('temp_file_limit') AS limit, current_user AS role",
  });
  if (found?.limit !== '-1') return [];
  return [
    `The role ${found.role} may not set temp_file_limit, so one query can fill the disk of the database. As a superuser: ALTER ROLE "${found.role}" SET temp_file_limit = '${tempFileMb}MB'`,
  ];
}

// Opens the database: a read-only pool and one that owns everything. Without a URL it starts the embedded server. It does not
// migrate.
import type { Knex } from 'knex';
import { Client } from 'pg';
import { checkServer, reaching, readerWarnings } from './check-server';
import { startEmbeddedServer } from './embedded/server';
import { connectionTo, followPrimary } from './follow-primary';
import type { Connection } from './pool-options';
import { findReaders, placeOf, withRoleOf } from './read-addresses';
import { openReadPool, type ReadPool } from './read-pool';
import { openReplicas, type Replicas } from './replicas';
import { createReaderRole, READER_ROLE, READER_SETTINGS } from './roles';
import { identify, isSameServer } from './same-database';
import { openWritePool } from './write-pool';

/** Used by commands that run next to the server. */
const MORE_CONNECTIONS = 60;
const WRITER_SETTINGS = { timezone: 'UTC', jit: 'off' };

export interface Database {
  /** Read-only, with READER_SETTINGS. Always the primary. */
  readonly read: ReadPool;
  /** Undefined without replicas. */
  readonly replicas: Replicas | undefined;
  /** Owns everything. */
  readonly write: Knex;
  /** The reader role, to which migrate() grants its rights. It need not exist if both pools have the same URL. */
  readonly readerRole: string;
  /** For messages: "embedded PostgreSQL 18.4 in ./data". Contains no password. */
  readonly description: string;
  /** Sentences for the server's log about missing restrictions of the reader role. */
  readonly warnings: readonly string[];
  /** Closes the pools, and stops the embedded server unless others use it. */
  stop(): Promise<void>;
}

interface DatabaseOptions {
  /** Of the primary, or of several servers, among which the primary is followed. */
  readonly urls?: readonly string[] | undefined;
  /**
   * For a role that cannot write, on the same server or on replicas of it; by default `read` uses `urls` as well. Only an HTTP
   * server asks replicas.
   */
  readonly readUrls?: readonly string[] | undefined;
  readonly dataDir: string;
  readonly poolMax: number;
  /** Megabytes of temporary files that one process of a reading statement may write; by default unlimited. */
  readonly tempFileMb?: number | undefined;
  readonly pgBinDir?: string | undefined;
  /** Whether this process serves requests: only one of those that use the embedded server may. */
  readonly isHttpServer?: boolean | undefined;
  onPoolError(error: Error): void;
  /** Called when the embedded server is permanently gone; defaults to `onPoolError`. */
  readonly onServerLost?: ((error: Error) => void) | undefined;
  /** Called with a sentence when another server becomes the primary, and when a read replica is excluded or included again. */
  readonly onServerChange?: ((sentence: string) => void) | undefined;
}

/** Connects; without URLs, starts the embedded server first. Throws for a server that is too old. */
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
  const { readUrls = [], isHttpServer = false, onServerChange: onChange = () => {} } = options;
  const primary = await followPrimary(urls, onChange);
  const [firstReader] = readUrls;
  const readers = await findReaders(readUrls);
  const readUrl = (url: string) => (firstReader === undefined ? url : withRoleOf(url, firstReader));
  // A single reader address does not follow a moving primary; its role does.
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
      ? await reaching('DATABASE_READ_URL', readPlace, () => readerWarnings(read, options.tempFileMb))
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
  const write = openWritePool(ofOwner);
  const read = openReadPool({ ...readerOptions(options), connection: reader });
  return {
    ...{ write, read },
    async close() {
      await Promise.all([read.end(), write.destroy()]);
    },
  };
}

// Opens the read pool and the owner's write pool. Starts the embedded server if there is no URL. Does not migrate.
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

/** Connections for commands that run at the same time as the server. */
const EXTRA_CONNECTIONS = 60;
const SETTINGS = { timezone: 'UTC', jit: 'off' };
/** An import reads its staging tables a dozen times. With the default of 8 MB, each read would come from disk. */
const WRITER_SETTINGS = { ...SETTINGS, temp_buffers: '32MB' };

export interface Database {
  /** Always connected to the primary. */
  readonly read: ReadPool;
  readonly replicas: Replicas | undefined;
  readonly write: Knex;
  /** migrate() grants this role its rights. The role need not exist if both pools have the same URL. */
  readonly readerRole: string;
  /** For messages: "embedded PostgreSQL 18.4 in ./data". Contains no password. */
  readonly description: string;
  /** Restrictions that the reader role lacks, as sentences for the log. */
  readonly warnings: readonly string[];
  /** Closes the connections, and stops the embedded server if no other process uses it. */
  stop(): Promise<void>;
}

interface DatabaseOptions {
  /** The primary, or several servers, one of which is the primary. */
  readonly urls?: readonly string[] | undefined;
  /** For a read-only role on the same server or on replicas. Default: `urls`. Only an HTTP server uses replicas. */
  readonly readUrls?: readonly string[] | undefined;
  readonly dataDir: string;
  readonly poolMax: number;
  /** Megabytes of temporary files that each server process may write during a read. Default: no limit. */
  readonly tempFileMb?: number | undefined;
  readonly pgBinDir?: string | undefined;
  /** Whether this process serves requests. Only one process per embedded server may do so. */
  readonly isHttpServer?: boolean | undefined;
  onPoolError(error: Error): void;
  /** Called when the embedded server is permanently gone. Default: `onPoolError`. */
  readonly onServerLost?: ((error: Error) => void) | undefined;
  /** Called with a sentence about a new primary, or about a replica that was excluded or included again. */
  readonly onServerChange?: ((sentence: string) => void) | undefined;
}

/** Throws if the server cannot be reached or is not suitable (`checkServer`). */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.urls === undefined ? openEmbedded(options) : openServer(options, options.urls);
}

async function openEmbedded(options: DatabaseOptions): Promise<Database> {
  const server = await startEmbeddedServer({
    dataDir: options.dataDir,
    pgBinDir: options.pgBinDir,
    isHttpServer: options.isHttpServer,
    onError: options.onServerLost ?? options.onPoolError,
    settings: { max_connections: String(Math.max(100, 2 * options.poolMax + EXTRA_CONNECTIONS)) },
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
      read: pools.read,
      write: pools.write,
      replicas: undefined,
      readerRole: READER_ROLE,
      description,
      warnings: [],
      stop,
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
  // If there are several primary addresses, a single reader address supplies only the role, so that reads follow the primary.
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
        `DATABASE_READ_URL points to a different database (${readUrls.map(placeOf)}) than DATABASE_URL (${place}). Use the same one, or its replicas.`,
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
  poolMax,
  tempFileMb,
  onPoolError,
  name: 'qal read',
  settings: { ...SETTINGS, ...READER_SETTINGS },
});

/** Two connections for an import, and one for a background reader, so that the import does not wait for the reader. */
const MIN_WRITERS = 3;

function openPools(options: DatabaseOptions, owner: Connection, reader: Connection): Pools {
  const { poolMax, onPoolError } = options;
  const writerOptions = {
    onPoolError,
    connection: owner,
    name: 'qal write',
    settings: WRITER_SETTINGS,
    poolMax: Math.max(MIN_WRITERS, poolMax),
  };
  const write = openWritePool(writerOptions);
  const read = openReadPool({ ...readerOptions(options), connection: reader });
  return {
    write,
    read,
    async close() {
      await Promise.all([read.end(), write.destroy()]);
    },
  };
}

// The locks that tell which processes use a data directory. The database holds them for one of our connections, so they go
// away with the process, however that ends, and they work between containers, where process numbers mean nothing.
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { SUPERUSER } from './cluster';
import { DirectoryInUseError, EmbeddedServerError } from './errors';
import { SOCKET_PORT } from './socket';

/** The database that initdb creates. The server is ours alone; another database would only cost time and space. */
export const DATABASE = 'postgres';

declare module 'pg' {
  // Missing from its types.
  interface Client {
    /** Lets the process end with the connection open. */
    unref(): void;
  }
}

/** Every process that uses the directory shares this one. Whoever gets it alone may stop the server. */
const USERS_LOCK = 7_411_001;
/** Held by the one process that answers requests. */
const HTTP_SERVER_LOCK = 7_411_003;
// The connection of a killed process is gone within a moment.
const PATIENCE_MS = 400;
const RECONNECT_ATTEMPTS = 60;

export interface HostLock {
  /**
   * Gives the directory up. True when no other process uses it: from then on nobody can join, and the server may be
   * stopped.
   */
  leave(): Promise<boolean>;
  /** Ends the connection. */
  close(): Promise<void>;
  /** Lets the process end while it holds the lock. */
  unref(): void;
}

interface LockOptions {
  readonly dataDir: string;
  readonly socketDirectory: string;
  /** Refuse to be the second one that answers requests. */
  readonly isHttpServer: boolean;
  hasEnded(): Promise<boolean>;
  onError(error: Error): void;
}

/** A connection of the superuser, outside of all pools and of the environment's settings. */
export async function connectAsSuperuser(socketDirectory: string): Promise<Client> {
  const client = new Client({
    host: socketDirectory,
    port: SOCKET_PORT,
    user: SUPERUSER,
    database: DATABASE,
    ssl: false,
    application_name: `qal process ${process.pid}`,
  });
  // The server may end while nobody waits for an answer.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

/**
 * Joins the processes that use the directory; undefined while the last of them stops the server. Throws a
 * DirectoryInUseError that names the other HTTP server.
 */
export async function joinDirectory(first: Client, options: LockOptions): Promise<HostLock | undefined> {
  let client = first;
  let isLeaving = false;
  const keep = (held: Client) => {
    client = held;
    let lost = false;
    const onLoss = () => {
      if (isLeaving || lost) return;
      lost = true;
      rejoin().catch(options.onError);
    };
    held.on('error', onLoss);
    held.on('end', onLoss);
  };
  // The server restarts itself when one of its processes is killed (out of memory). Then we need the locks again.
  const rejoin = async () => {
    for (let attempt = 0; attempt < RECONNECT_ATTEMPTS && !isLeaving; attempt++) {
      const fresh = await connectAsSuperuser(options.socketDirectory).catch(() => undefined);
      if (fresh === undefined) {
        if (await options.hasEnded()) break;
        await wait(500);
        continue;
      }
      if (isLeaving) return fresh.end();
      if (await takeLocks(fresh, options)) return keep(fresh);
      await fresh.end();
    }
    if (!isLeaving)
      throw new EmbeddedServerError('The embedded PostgreSQL has gone away and did not come back.');
  };
  if (!(await takeLocks(first, options))) return undefined;
  keep(first);
  return {
    async leave() {
      isLeaving = true;
      // Over a lost connection nobody knows who else is there: a server left running is adopted by the next start.
      return leaveUsers(client).catch(() => false);
    },
    close: () => client.end().catch(() => undefined),
    unref: () => client.unref(),
  };
}

async function takeLocks(client: Client, options: LockOptions): Promise<boolean> {
  if (!(await tryLock(client, 'pg_try_advisory_lock_shared', USERS_LOCK))) return false;
  if (options.isHttpServer) await becomeHttpServer(client, options.dataDir);
  return true;
}

/** Shared by two that leave at the same time, neither would get it alone: so each gives it up before it tries. */
async function leaveUsers(client: Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_unlock_all()');
  return tryLock(client, 'pg_try_advisory_lock', USERS_LOCK);
}

async function tryLock(
  client: Client,
  how: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  key: number,
): Promise<boolean> {
  const { rows } = await client.query(`SELECT ${how}($1) AS locked`, [key]);
  return rows[0]?.locked === true;
}

async function becomeHttpServer(client: Client, dataDir: string): Promise<void> {
  for (let waited = 0; ; waited += 50) {
    if (await tryLock(client, 'pg_try_advisory_lock', HTTP_SERVER_LOCK)) return;
    if (waited >= PATIENCE_MS) break;
    await wait(50);
  }
  const { rows } = await client.query(
    `SELECT a.application_name, to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS since
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.objid = $1 AND l.granted`,
    [HTTP_SERVER_LOCK],
  );
  const holder =
    rows[0] === undefined ? 'another process' : `${rows[0].application_name} since ${rows[0].since} UTC`;
  throw new DirectoryInUseError(dataDir, holder);
}

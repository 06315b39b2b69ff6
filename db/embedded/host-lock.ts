// Locks that show which processes use a data directory. They are advisory locks held by a connection, so they end with the
// process, and they work across containers, where process ids do not.
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { HOST_LOCKS } from '../advisory-locks';
import { SUPERUSER } from './cluster';
import { DirectoryInUseError, EmbeddedServerError } from './errors';
import { SOCKET_PORT } from './socket';

/** Created by initdb. A separate database would only take time and space. */
export const DATABASE = 'postgres';

declare module 'pg' {
  // Missing from pg's types.
  interface Client {
    /** Lets the process exit while the connection is open. */
    unref(): void;
  }
}

// A killed process's connection closes within this time.
const LOCK_TIMEOUT_MS = 400;
const RECONNECT_ATTEMPTS = 60;
const STOPPED = 'The embedded PostgreSQL stopped and did not restart.';

export interface HostLock {
  /**
   * Returns true if no other process uses the directory; no process can then join until the server has stopped. With an exclusive
   * lock, also runs a checkpoint.
   */
  leave(): Promise<boolean>;
  close(): Promise<void>;
  /** Lets the process exit while it holds the lock. */
  unref(): void;
}

interface LockOptions {
  readonly dataDir: string;
  readonly socketDirectory: string;
  readonly isHttpServer: boolean;
  /** No other process may use the server. Losing the connection is final: another process may have used the server since. */
  readonly isExclusive: boolean;
  hasEnded(): Promise<boolean>;
  onError(error: Error): void;
}

/** Bypasses the pools, and ignores environment variables. */
export async function connectAsSuperuser(socketDirectory: string): Promise<Client> {
  const client = new Client({
    host: socketDirectory,
    port: SOCKET_PORT,
    user: SUPERUSER,
    database: DATABASE,
    ssl: false,
    application_name: `qal process ${process.pid}`,
  });
  // Emitted if the server stops while no statement is running.
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
 * Returns undefined if the last process is stopping the server. If another process has a required lock, throws a
 * DirectoryInUseError that names it.
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
      if (options.isExclusive) return options.onError(new EmbeddedServerError(STOPPED));
      rejoin().catch(options.onError);
    };
    held.on('error', onLoss);
    held.on('end', onLoss);
  };
  // The server restarts if one of its processes is killed (out of memory). The locks must then be taken again.
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
    if (!isLeaving) throw new EmbeddedServerError(STOPPED);
  };
  if (!(await takeLocks(first, options))) return undefined;
  keep(first);
  return {
    async leave() {
      isLeaving = true;
      // Without a connection, it is unknown whether other processes use the server. If the server keeps running, the next start
      // adopts it.
      const isAlone = options.isExclusive ? client.query('CHECKPOINT').then(() => true) : leaveUsers(client);
      return isAlone.catch(() => false);
    },
    close: () => client.end().catch(() => undefined),
    unref: () => client.unref(),
  };
}

async function takeLocks(client: Client, options: LockOptions): Promise<boolean> {
  if (options.isExclusive) {
    await lockOrRefuse(client, HOST_LOCKS.dataDirectory, options.dataDir);
    return true;
  }
  if (!(await tryLock(client, 'pg_try_advisory_lock_shared', HOST_LOCKS.dataDirectory))) return false;
  if (options.isHttpServer) await lockOrRefuse(client, HOST_LOCKS.httpServer, options.dataDir);
  return true;
}

/** Unlocks first: if two processes left at the same time while holding the shared lock, neither would get it exclusively. */
async function leaveUsers(client: Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_unlock_all()');
  return tryLock(client, 'pg_try_advisory_lock', HOST_LOCKS.dataDirectory);
}

async function tryLock(
  client: Client,
  how: 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared',
  key: number,
): Promise<boolean> {
  const { rows } = await client.query(`SELECT ${how}($1) AS locked`, [key]);
  return rows[0]?.locked === true;
}

async function lockOrRefuse(client: Client, key: number, dataDir: string): Promise<void> {
  for (let waited = 0; ; waited += 50) {
    if (await tryLock(client, 'pg_try_advisory_lock', key)) return;
    if (waited >= LOCK_TIMEOUT_MS) break;
    await wait(50);
  }
  const { rows } = await client.query(
    `SELECT a.application_name, to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS since
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.objid = $1 AND l.granted`,
    [key],
  );
  const holder =
    rows[0] === undefined ? 'another process' : `${rows[0].application_name} since ${rows[0].since} UTC`;
  throw new DirectoryInUseError(dataDir, holder);
}

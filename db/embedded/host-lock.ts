// The lock that tells which process serves a data directory. The database holds it for one of our connections, so it goes
// away with the process, however that ends, and it works between containers, where process numbers mean nothing.
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

const LOCK_KEY = 7_411_001;
// The connection of a killed process is gone within a moment.
const PATIENCE_MS = 400;
const RECONNECT_ATTEMPTS = 60;

export interface HostLock {
  release(): Promise<void>;
  /** Lets the process end while it holds the lock. */
  unref(): void;
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
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

/** Locks the directory for this process; throws a DirectoryInUseError that names the holder. */
export async function takeHostLock(
  first: Client,
  dataDir: string,
  socketDirectory: string,
  server: { hasEnded(): Promise<boolean>; onError(error: Error): void },
): Promise<HostLock> {
  let client = first;
  let released = false;
  const keep = (held: Client) => {
    client = held;
    let lost = false;
    const onLoss = () => {
      if (released || lost) return;
      lost = true;
      retake().catch(server.onError);
    };
    held.on('error', onLoss);
    held.on('end', onLoss);
  };
  // The server restarts itself when one of its processes is killed (out of memory). Then we need the lock again.
  const retake = async () => {
    for (let attempt = 0; attempt < RECONNECT_ATTEMPTS && !released; attempt++) {
      const fresh = await connectAsSuperuser(socketDirectory).catch(() => undefined);
      if (fresh === undefined) {
        if (await server.hasEnded()) break;
        await wait(500);
        continue;
      }
      if (released) return fresh.end();
      await lockOrThrow(fresh, dataDir);
      return keep(fresh);
    }
    if (!released)
      throw new EmbeddedServerError('The embedded PostgreSQL has gone away and did not come back.');
  };
  await lockOrThrow(first, dataDir);
  keep(first);
  return {
    async release() {
      released = true;
      await client.end().catch(() => undefined);
    },
    unref: () => client.unref(),
  };
}

async function lockOrThrow(client: Client, dataDir: string): Promise<void> {
  for (let waited = 0; ; waited += 50) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS locked', [LOCK_KEY]);
    if (rows[0]?.locked === true) return;
    if (waited >= PATIENCE_MS) break;
    await wait(50);
  }
  const { rows } = await client.query(
    `SELECT a.application_name, to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS since
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
      WHERE l.locktype = 'advisory' AND l.objid = $1 AND l.granted`,
    [LOCK_KEY],
  );
  await client.end();
  const holder =
    rows[0] === undefined ? 'another process' : `${rows[0].application_name} since ${rows[0].since} UTC`;
  throw new DirectoryInUseError(dataDir, holder);
}

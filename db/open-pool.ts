import { Client, Pool, type PoolClient } from 'pg';
import { type ConnectionPool, NoConnection } from './connection-pool';
import { type OpenConnections, openConnections } from './open-connections';
import { askingConfig, clientConfig, PATIENCE_SECONDS, type PoolOptions } from './pool-options';
import { onSeparateConnection } from './separate-connection';

const IDLE_MS = 30_000;

/** Exposes pg's own connections within db/. */
export interface OpenPool extends ConnectionPool {
  readonly connections: OpenConnections;
  acquire(seconds?: number, signal?: AbortSignal): Promise<PooledClient>;
  cancel(connection: PoolClient): Promise<void>;
}

export type PooledClient = Client & Pick<PoolClient, 'release'>;

export function openPool(options: PoolOptions): OpenPool {
  const connections = openConnections(options);
  const pool = new Pool({
    // As a pool option, the connect timeout would also limit the wait for a free connection.
    Client: class extends Client {
      constructor() {
        super(clientConfig(options));
      }
    },
    max: options.poolMax,
    // One connection stays open, because a new one would have to read the catalog again.
    min: 1,
    idleTimeoutMillis: IDLE_MS,
    onConnect: connections.add,
  });
  // The connection's own listener reports the error.
  pool.on('error', () => {});
  let ending: Promise<void> | undefined;
  return {
    size: options.poolMax,
    connections,
    acquire: (seconds = PATIENCE_SECONDS, signal) =>
      acquire(pool, Math.min(seconds, PATIENCE_SECONDS), signal),
    cancel(connection) {
      const pid = connections.pidOf(connection);
      return onSeparateConnection(askingConfig(options), async (client) => {
        // Citus adds a function of the same name for its global process ids.
        await client.query('SELECT pg_cancel_backend($1::integer)', [pid]);
      });
    },
    use: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    end() {
      ending ??= connections.close(pool.end());
      return ending;
    },
  };
}

async function acquire(pool: Pool, seconds: number, signal?: AbortSignal): Promise<PooledClient> {
  signal?.throwIfAborted();
  const connecting = pool.connect();
  try {
    return await new Promise((resolve, reject) => {
      const giveUp = () => reject(new NoConnection(seconds));
      const timer = setTimeout(giveUp, seconds * 1000);
      signal?.addEventListener('abort', giveUp, { once: true });
      connecting.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      });
    });
  } catch (error) {
    // A connection that opens too late goes back to the pool.
    connecting.then(
      (late) => late.release(),
      () => {},
    );
    signal?.throwIfAborted();
    throw error;
  }
}

// A pool of connections with settings and a watchdog. Every wait for a connection has a time limit.
import { Client, Pool, type PoolClient } from 'pg';
import { type OpenConnections, openConnections } from './open-connections';
import { clientConfig, PATIENCE_SECONDS, type PoolOptions } from './pool-options';

const IDLE_MS = 30_000;

export interface ConnectionPool {
  /** The maximum number of connections. */
  readonly size: number;
  readonly connections: OpenConnections;
  /**
   * Waits at most 10 s for a connection. Its `release` returns it, or closes it when called with true. Throws NoConnection,
   * and the reason of the signal.
   */
  acquire(seconds?: number, signal?: AbortSignal): Promise<PooledClient>;
  /** Current connections, and callers waiting for one. */
  use(): PoolUse;
  /** Waits a few seconds for work in progress, then until every connection is closed. */
  end(): Promise<void>;
}

/** A connection of a pool. */
export type PooledClient = Client & Pick<PoolClient, 'release'>;

interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

/** No connection was free in time. */
export class NoConnection extends Error {
  override readonly name = 'NoConnection';
  constructor(seconds: number) {
    super(`No connection to the database was free within ${seconds} seconds.`);
  }
}

/** Opens the pool; it connects when it is first used. */
export function openPool(options: PoolOptions): ConnectionPool {
  const connections = openConnections(options);
  const pool = new Pool({
    // As a setting of the pool, the connect timeout would also limit waiting.
    Client: class extends Client {
      constructor() {
        super(clientConfig(options));
      }
    },
    max: options.poolMax,
    // One connection stays open: a new one would have to read the catalog again.
    min: 1,
    idleTimeoutMillis: IDLE_MS,
    onConnect: connections.add,
  });
  // Already reported by the listener of the connection.
  pool.on('error', () => {});
  let ending: Promise<void> | undefined;
  return {
    size: options.poolMax,
    connections,
    acquire: (seconds = PATIENCE_SECONDS, signal) =>
      acquire(pool, Math.min(seconds, PATIENCE_SECONDS), signal),
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
    // A connection that arrives too late goes back to the pool.
    connecting.then(
      (late) => late.release(),
      () => {},
    );
    signal?.throwIfAborted();
    throw error;
  }
}

// A pool of connections, with settings and a watch over each of them. Each wait for one has an end.
import { Client, Pool, type PoolClient } from 'pg';
import { type OpenConnections, openConnections } from './open-connections';
import { clientConfig, PATIENCE_SECONDS, type PoolOptions } from './pool-options';

const IDLE_MS = 30_000;

export interface ConnectionPool {
  /** Connections, at most. */
  readonly size: number;
  readonly connections: OpenConnections;
  /**
   * A connection, which is waited for 10 s at most. Its `release` returns it, and closes it when called with true. Throws
   * NoConnection, and the reason of the signal.
   */
  acquire(seconds?: number, signal?: AbortSignal): Promise<PooledClient>;
  /** Connections at this moment, and work that waits for one. */
  use(): PoolUse;
  /** Waits for work under way, for some seconds at most, and until every connection is closed. */
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
    // Given to the pool, the time limit of connecting would hold for waiting as well.
    Client: class extends Client {
      constructor() {
        super(clientConfig(options));
      }
    },
    max: options.poolMax,
    // One connection stays: a new one would pay for its first look at the catalog again.
    min: 1,
    idleTimeoutMillis: IDLE_MS,
    onConnect: connections.add,
  });
  // The listener of the connection has reported it already.
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
    // A connection that comes too late goes back to the pool.
    connecting.then(
      (late) => late.release(),
      () => {},
    );
    signal?.throwIfAborted();
    throw error;
  }
}

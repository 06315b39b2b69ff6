// A pool of connections as its users see it, without pg's types: the declarations of this package compile without them.
import type { CopyClient } from './run-copy';

export interface ConnectionPool {
  /** The maximum number of connections. */
  readonly size: number;
  /**
   * Waits at most 10 s for a connection. Its `release` returns it, or closes it when called with true. Throws NoConnection,
   * and the reason of the signal.
   */
  acquire(seconds?: number, signal?: AbortSignal): Promise<PooledConnection>;
  /** Current connections, and callers waiting for one. */
  use(): PoolUse;
  /** Waits a few seconds for work in progress, then until every connection is closed. */
  end(): Promise<void>;
}

/** A statement with $1.. and its values. With a name, each connection prepares it once. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string | undefined;
  /** Rows as arrays of values instead of objects. */
  readonly rowMode?: 'array';
}

/** Runs statements, such as a client of pg, without requiring pg's types in extensions. */
export interface Queryable {
  query<Row extends object>(
    statement: string | (Statement & { readonly values: unknown[] }),
    values?: unknown[],
  ): Promise<{ readonly rows: Row[] }>;
}

/** A client of pg that belongs to a pool. */
export type PooledConnection = Queryable & CopyClient & { release(isBroken?: boolean): void };

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

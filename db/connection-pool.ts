// Pool types that do not depend on pg's types, so that this package's declarations compile without them.
import type { CopyClient } from './run-copy';

export interface ConnectionPool {
  readonly size: number;
  /** Waits at most 10 s. `release(true)` closes the connection. Throws NoConnection, or the signal's reason. */
  acquire(seconds?: number, signal?: AbortSignal): Promise<PooledConnection>;
  /** Asks the server over another connection, outside the pool, to cancel what `connection` is running. */
  cancel(connection: PooledConnection): Promise<void>;
  use(): PoolUse;
  /** Waits a few seconds for work in progress, and then for every connection to close. */
  end(): Promise<void>;
}

/** `text` refers to the values as $1, $2 and so on. A statement with a name is prepared once per connection. */
export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
  readonly name?: string | undefined;
  readonly rowMode?: 'array';
}

export interface Queryable {
  query<Row extends object>(
    statement: string | (Statement & { readonly values: unknown[] }),
    values?: unknown[],
  ): Promise<{ readonly rows: Row[] }>;
}

export type PooledConnection = Queryable & CopyClient & { release(isBroken?: boolean): void };

interface PoolUse {
  readonly inUse: number;
  readonly idle: number;
  readonly waiting: number;
}

export class NoConnection extends Error {
  override readonly name = 'NoConnection';
  constructor(seconds: number) {
    super(`No connection to the database became free within ${seconds} seconds.`);
  }
}

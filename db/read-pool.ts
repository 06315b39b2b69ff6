// The pool of read-only connections. Every wait has a time limit, and a statement is cancelled in the database when its
// caller stops waiting.
import type { Knex } from 'knex';
import type { PoolClient } from 'pg';
import { cancelOnAbort } from './cancel-on-abort';
import type { ConnectionPool, Queryable, Statement } from './connection-pool';
import { openPool } from './open-pool';
import type { PoolOptions } from './pool-options';
import { type StreamedStatement, streamRows } from './stream-rows';

/** For statements without a separate limit. */
const LONGEST_READ_SECONDS = 300;
/** They keep the limit of the connection's last statement, unless it is shorter than this. */
const LEAST_READ_SECONDS = 10;
/** How much longer than the server a caller waits; never reached if the server ends statements in time. */
const GRACE_SECONDS = 10;

export interface Patience {
  /** The time limit of each statement, and of all the work; waiting for a connection takes at most as long, and at most 10 s. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

export interface ReadPool extends Pick<ConnectionPool, 'size' | 'use' | 'end'> {
  /** The rows of a statement, with the type that the caller expects. */
  query<Row>(statement: Statement): Promise<Row[]>;
  /** The rows of a SELECT that Knex built without a connection. */
  select<Row>(built: BuiltSelect<Row>): Promise<Row[]>;
  /**
   * Runs `work` on one connection. Aborting the signal cancels its statement in the database. Throws NoConnection,
   * ServerSilent, the reason of the signal, and what `work` throws.
   */
  withConnection<Result>(
    patience: Patience,
    work: (connection: Queryable, stream: StreamRows) => Promise<Result>,
  ): Promise<Result>;
  /**
   * The rows of a SELECT in batches; the connection is occupied until the iteration ends. Throws as withConnection does.
   */
  batches<Row extends unknown[]>(
    patience: Patience,
    select: StreamedStatement,
  ): AsyncGenerator<Row[], void, undefined>;
}

/** The rows of a SELECT on the connection of `withConnection`, in batches as they arrive; leaving early cancels it. */
export type StreamRows = <Row extends unknown[]>(
  select: StreamedStatement,
) => AsyncGenerator<Row[], void, undefined>;

/** A query builder of Knex; the type of its rows is that of awaiting it. */
interface BuiltSelect<Row> extends Pick<Promise<Row[]>, 'then'> {
  toSQL(): Pick<Knex.Sql, 'toNative'>;
}

/** Opens the pool; it connects when it is first used. */
export function openReadPool(options: PoolOptions): ReadPool {
  const pool = openPool(options);
  const { connections } = pool;

  /**
   * A connection, a stream of rows on it, and its release; until then, aborting the signal cancels its statement.
   */
  async function borrow(seconds: number, signal: AbortSignal | undefined) {
    const connection = await pool.acquire(seconds, signal);
    const overdue = setTimeout(() => connections.drop(connection), (seconds + GRACE_SECONDS) * 1000);
    const stopListening = cancelOnAbort(options, connections, connection, signal);
    const cancel = () => {
      const leaving = new AbortController();
      const settled = cancelOnAbort(options, connections, connection, leaving.signal);
      leaving.abort();
      return settled();
    };
    const stream: StreamRows = (statement) => streamRows(connection, statement, cancel);
    const giveBack = async () => {
      await stopListening();
      clearTimeout(overdue);
      connection.release();
    };
    return { connection, stream, giveBack };
  }

  async function query<Row>({ values = [], ...statement }: Statement): Promise<Row[]> {
    const { connection, giveBack } = await borrow(LONGEST_READ_SECONDS, undefined);
    try {
      if ((limits.get(connection) ?? LEAST_READ_SECONDS) < LEAST_READ_SECONDS)
        await limitTime(connection, LONGEST_READ_SECONDS);
      const { rows } = await connection.query({ ...statement, values: [...values] });
      return rows;
    } finally {
      await giveBack();
    }
  }

  return {
    size: options.poolMax,
    query,
    select(built) {
      const { sql: text, bindings } = built.toSQL().toNative();
      return query({ text, values: bindings });
    },
    async withConnection({ seconds, signal }, work) {
      const { connection, stream, giveBack } = await borrow(seconds, signal);
      try {
        await limitTime(connection, seconds);
        signal.throwIfAborted();
        return await work(connection, stream);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        await giveBack();
      }
    },
    async *batches({ seconds, signal }, statement) {
      const { connection, stream, giveBack } = await borrow(seconds, signal);
      try {
        await limitTime(connection, seconds);
        signal.throwIfAborted();
        yield* stream(statement);
      } catch (error) {
        signal.throwIfAborted();
        throw error;
      } finally {
        await giveBack();
      }
    },
    use: pool.use,
    end: pool.end,
  };
}

/** The statement time limit of each connection, in seconds: set only if it changes. */
const limits = new WeakMap<PoolClient, number>();

async function limitTime(connection: PoolClient, seconds: number): Promise<void> {
  if (limits.get(connection) === seconds) return;
  // If this fails, the current limit is unknown.
  limits.delete(connection);
  await connection.query("SELECT set_config('statement_timeout', $1, false)", [String(seconds * 1000)]);
  limits.set(connection, seconds);
}

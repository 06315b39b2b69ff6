// Read-only connections. Every wait has a time limit, and a statement is canceled if its caller stops waiting.

import { Socket } from 'node:net';
import type { Knex } from 'knex';
import { Client, type PoolClient, Query, type QueryArrayConfig } from 'pg';
import type { ConnectionPool, Queryable, Statement } from './connection-pool';
import { type OpenPool, openPool } from './open-pool';
import { askingConfig, type PoolOptions } from './pool-options';
import { onSeparateConnection } from './separate-connection';

const MAX_READ_SECONDS = 300;
/** A statement without a limit keeps the connection's previous limit, unless that limit is shorter than this. */
const MIN_READ_SECONDS = 10;
/** How long a statement may ignore a cancel request, for example while it waits for an unresponsive Citus worker. */
const CANCEL_MS = 2_000;
/** The connection is dropped this long after the time limit, unless the server has ended the statements by then. */
const GRACE_SECONDS = 10;

export interface Patience {
  /** The limit for each statement and for the work as a whole. The wait for a connection has the same limit, but at most 10 s. */
  readonly seconds: number;
  readonly signal: AbortSignal;
}

export interface ReadPool extends Pick<ConnectionPool, 'size' | 'use' | 'end'> {
  /** `Row` is not checked. */
  query<Row>(statement: Statement): Promise<Row[]>;
  select<Row>(built: BuiltSelect<Row>): Promise<Row[]>;
  /** Closes the connections of `query` and `select` statements that have run this long, which then fail with ServerSilent. */
  dropStuck(seconds: number): void;
  /** Runs `work` on a new connection, for queries that must not wait for the pool. The time limit applies to each statement. */
  apart<Result>(seconds: number, work: (connection: Queryable) => Promise<Result>): Promise<Result>;
  /** Aborting the signal cancels the statement. Throws NoConnection, ServerSilent, the signal's reason, or what `work` throws. */
  withConnection<Result>(
    patience: Patience,
    work: (connection: Queryable, stream: StreamRows) => Promise<Result>,
  ): Promise<Result>;
  /** Occupies a connection until the iteration ends. Throws the same errors as `withConnection`. */
  batches<Row extends unknown[]>(
    patience: Patience,
    select: StreamedStatement,
  ): AsyncGenerator<Row[], void, undefined>;
}

/** Yields rows in batches as they arrive. Leaving the loop early cancels the statement. */
export type StreamRows = <Row extends unknown[]>(
  select: StreamedStatement,
) => AsyncGenerator<Row[], void, undefined>;

/** A Knex query builder that returns rows of type `Row` when awaited. */
interface BuiltSelect<Row> extends Pick<Promise<Row[]>, 'then'> {
  toSQL(): Pick<Knex.Sql, 'toNative'>;
}

export function openReadPool(options: PoolOptions): ReadPool {
  const pool = openPool(options);
  const { connections } = pool;

  /** Until `giveBack` is called, aborting the signal cancels the statement. */
  async function borrow(seconds: number, signal: AbortSignal | undefined) {
    const connection = await pool.acquire(seconds, signal);
    const overdue = setTimeout(() => connections.drop(connection), (seconds + GRACE_SECONDS) * 1000);
    const { cancel, settle } = createCancel(pool, connection);
    signal?.addEventListener('abort', cancel, { once: true });
    const stream: StreamRows = (statement) => streamRows(connection, statement, cancel, settle);
    const giveBack = async () => {
      signal?.removeEventListener('abort', cancel);
      await settle();
      clearTimeout(overdue);
      connection.release();
    };
    return { connection, stream, giveBack };
  }

  const running = new Map<PoolClient, number>();

  async function query<Row>({ values = [], ...statement }: Statement): Promise<Row[]> {
    const { connection, giveBack } = await borrow(MAX_READ_SECONDS, undefined);
    try {
      if ((limits.get(connection) ?? MIN_READ_SECONDS) < MIN_READ_SECONDS)
        await limitTime(connection, MAX_READ_SECONDS);
      running.set(connection, performance.now());
      const { rows } = await connection.query({ ...statement, values: [...values] });
      return rows;
    } finally {
      running.delete(connection);
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
    dropStuck(seconds) {
      for (const [connection, since] of running)
        if (performance.now() - since >= seconds * 1000) connections.drop(connection);
    },
    apart: (seconds, work) =>
      onSeparateConnection({ ...askingConfig(options), statement_timeout: seconds * 1000 }, work),
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

/** Each connection's statement timeout in seconds, so that the timeout is set only when it changes. */
const limits = new WeakMap<PoolClient, number>();

async function limitTime(connection: PoolClient, seconds: number): Promise<void> {
  if (limits.get(connection) === seconds) return;
  // If the next statement fails, the current limit is unknown.
  limits.delete(connection);
  await connection.query("SELECT set_config('statement_timeout', $1, false)", [String(seconds * 1000)]);
  limits.set(connection, seconds);
}

/** Call `settle` before the next statement and before releasing the connection: a pending cancel could hit a later statement. */
function createCancel(pool: OpenPool, connection: PoolClient) {
  let cancelling: Promise<unknown> = Promise.resolve();
  let cancelTimer: NodeJS.Timeout | undefined;
  const drop = () => pool.connections.drop(connection);
  return {
    cancel(): void {
      // If the cancel fails, drop the connection.
      const sent = pool.cancel(connection).then(() => {
        clearTimeout(cancelTimer);
        cancelTimer = setTimeout(drop, CANCEL_MS);
      }, drop);
      cancelling = Promise.all([cancelling, sent]);
    },
    async settle(): Promise<void> {
      await cancelling;
      clearTimeout(cancelTimer);
    },
  };
}

/** The limit for rows that have arrived but have not been taken, not counting the data on the socket. */
const BATCH_BYTES = 256 * 1024;

interface StreamedStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/**
 * No batch is empty. Yields the rows before an error, then throws it. Leaving the loop early calls `cancel` and waits for
 * `settle`.
 */
async function* streamRows<Row extends unknown[]>(
  connection: object,
  { text, values = [] }: StreamedStatement,
  cancel: () => void,
  settle: () => Promise<void>,
): AsyncGenerator<Row[], void, undefined> {
  if (!(connection instanceof Client)) throw new TypeError('Only a pg connection can stream rows.');
  const socket = connection.connection.stream;
  if (!(socket instanceof Socket)) throw new TypeError('Only a connection over a socket can stream rows.');
  const statement: QueryArrayConfig = { text, values: [...values], rowMode: 'array' };
  const query = new Query<Row>(statement);
  let arrived: Row[] = [];
  let batchStart = socket.bytesRead;
  let isFull = false;
  let wake = () => {};
  const ended = new Promise<{ readonly error?: unknown }>((resolve) => {
    query.on('end', () => resolve({}));
    query.on('error', (error) => resolve({ error }));
  });
  let outcome: Awaited<typeof ended> | undefined;
  ended.then((it) => {
    outcome = it;
    wake();
  });
  query.on('row', (row) => {
    arrived.push(row);
    if (isFull || socket.bytesRead - batchStart < BATCH_BYTES) return;
    isFull = true;
    socket.pause();
    wake();
  });
  connection.query(query);
  try {
    while (outcome === undefined || arrived.length > 0) {
      if (outcome === undefined && !isFull)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const batch = arrived;
      arrived = [];
      if (batch.length > 0) yield batch;
      batchStart = socket.bytesRead;
      isFull = false;
      socket.resume();
    }
    if ('error' in outcome) throw outcome.error;
  } finally {
    socket.resume();
    if (outcome === undefined) {
      query.removeAllListeners('row').on('row', () => {});
      cancel();
      await ended;
      await settle();
    }
  }
}

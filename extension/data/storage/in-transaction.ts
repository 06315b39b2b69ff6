import type { Knex } from 'knex';
import { Client, type ClientBase } from 'pg';
import { type ConnectionPool, poolOf } from '../../../host-shim/extension-api';
import { showingSite } from './planner';
import { isDivided } from './tables-of-site';
import { takeTurns } from './take-turns';
import type { GuardedSites, Workers } from './workers';

interface TransactionOptions {
  readonly end?: 'COMMIT' | 'ROLLBACK';
  /** Called when the connection breaks, before the running statement fails. */
  readonly onLost?: () => void;
}

/** `cancel` cancels what the connection is running; wait for it before the next statement. */
type Work<T> = (client: Client, cancel: () => Promise<void>) => Promise<T>;

/**
 * Runs `work` in a transaction on one connection, as COPY requires. Rolls back if it throws or `end` is ROLLBACK. Each
 * transaction reserves a second connection for what `work` commits separately, since imports into many sites could otherwise
 * deadlock. One connection is always left for `forCopy`.
 */
export function inTransaction<T>(write: Knex, work: Work<T>, options: TransactionOptions = {}): Promise<T> {
  const pool = poolOf(write);
  return stateOf(pool).changes(() => runOn(pool, work, options));
}

/** Runs a transaction for the columnar copy, which uses no other connection. A fill may take hours, and no import waits for it. */
export function forCopy<T>(
  write: Knex,
  work: (client: Client) => Promise<T>,
  guard?: AbortSignal,
): Promise<T> {
  const pool = poolOf(write);
  return stateOf(pool).copy(() => runOn(pool, work, {}, guard));
}

/** Runs a transaction that commits separately, on the second connection that `inTransaction` reserves. */
export const inSeparateTransaction = <T>(write: Knex, work: (client: Client) => Promise<T>): Promise<T> =>
  runOn(poolOf(write), work, {});

/** Transactions on this pool end when the worker of a site that they have locked or watch stops responding. */
export function watchWorkers(write: Knex, workers: Workers): void {
  stateOf(poolOf(write)).workers = workers;
}

/** For each running transaction, a function that watches the workers of the given sites until the transaction ends. */
const watches = new WeakMap<ClientBase, (sites: GuardedSites) => void>();

/** Throws WorkerUnavailable if the worker of one of these sites does not respond. */
export const watchSites = (client: ClientBase, sites: GuardedSites): void => watches.get(client)?.(sites);

/** `guard`: aborted if a machine that a statement is waiting for does not respond; the connection is then closed. */
async function runOn<T>(
  pool: ConnectionPool,
  work: Work<T>,
  { end = 'COMMIT', onLost = () => undefined }: TransactionOptions,
  guard?: AbortSignal,
): Promise<T> {
  const client = await pool.acquire();
  if (!(client instanceof Client)) throw new TypeError('A transaction requires a pg connection.');
  let isUsable = true;
  client.on('error', onLost).on('end', onLost);
  const ended = new AbortController();
  const watch = (signal: AbortSignal): void => {
    const giveUp = () => client.connection.stream.destroy(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true, signal: ended.signal });
  };
  if (guard !== undefined) watch(guard);
  try {
    guard?.throwIfAborted();
    // Queried before BEGIN, since `work` may set the isolation level, which must be the first statement of a transaction.
    const state = stateOf(pool);
    state.isDivided ??= await isDivided(client);
    const connection = state.isDivided ? showingSite(client) : client;
    watches.set(connection, (sites) => {
      if (state.workers !== undefined) watch(state.workers.guard(sites));
    });
    await client.query('BEGIN');
    const result = await work(connection, () => pool.cancel(client));
    await client.query(end);
    return result;
  } catch (error) {
    // A connection that cannot roll back is closed instead of returned to the pool.
    await client.query('ROLLBACK').catch(() => {
      isUsable = false;
    });
    throw error;
  } finally {
    ended.abort();
    client.off('error', onLost).off('end', onLost);
    client.release(!isUsable);
  }
}

interface PoolState {
  readonly changes: ReturnType<typeof takeTurns>;
  readonly copy: ReturnType<typeof takeTurns>;
  /** Queried once per pool. */
  isDivided?: boolean;
  workers?: Workers;
}
const statesByPool = new WeakMap<ConnectionPool, PoolState>();

function stateOf(pool: ConnectionPool): PoolState {
  const known = statesByPool.get(pool);
  if (known !== undefined) return known;
  const state: PoolState = {
    changes: takeTurns(Math.max(1, Math.floor((pool.size - 1) / 2))),
    copy: takeTurns(1),
  };
  statesByPool.set(pool, state);
  return state;
}

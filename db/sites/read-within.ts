// Owns reading that may take long: a read-only transaction with a time limit for each of its statements.
// Work on a connection in -> its result, or undefined when the time was over. It ends in the database too when the
// caller goes away: then the signal's reason is thrown.
import type { Knex } from 'knex';
import { type ClientBase, DatabaseError } from 'pg';

const QUERY_CANCELED = '57014';

export interface Patience {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Runs `work` on a connection of the reading pool; undefined when a statement took longer than `seconds`. */
export async function readWithin<T>(
  read: Knex,
  { seconds, signal }: Patience,
  work: (client: ClientBase) => Promise<T>,
): Promise<T | undefined> {
  signal.throwIfAborted();
  const client: ClientBase = await read.client.acquireConnection();
  let cancelling: Promise<void> = Promise.resolve();
  let stopListening = (): void => {};
  try {
    await client.query('BEGIN READ ONLY');
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pg_backend_pid() AS pid, set_config('statement_timeout', $1, true)",
      [String(seconds * 1000)],
    );
    const cancel = (): void => {
      cancelling = cancelBackend(read, rows[0]?.pid ?? 0);
      // Awaited below; until then a failure must not count as unhandled.
      cancelling.catch(() => {});
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', cancel, { once: true });
    stopListening = () => signal.removeEventListener('abort', cancel);
    return await work(client);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DatabaseError && error.code === QUERY_CANCELED) return undefined;
    throw error;
  } finally {
    stopListening();
    // Not before: a late cancel would hit what this connection does next.
    await cancelling.catch(() => {});
    await giveBack(read, client);
  }
}

/** A connection that cannot roll back leaves the pool. */
async function giveBack(read: Knex, client: ClientBase): Promise<void> {
  try {
    await client.query('ROLLBACK');
  } catch (failure) {
    Object.assign(client, { __knex__disposed: failure });
  }
  await read.client.releaseConnection(client);
}

/** Cancels over a connection of its own: the pool may be full. */
async function cancelBackend(read: Knex, pid: number): Promise<void> {
  const own: ClientBase = await read.client.acquireRawConnection();
  try {
    await own.query('SELECT pg_cancel_backend($1)', [pid]);
  } finally {
    await read.client.destroyRawConnection(own);
  }
}

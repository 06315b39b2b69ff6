// Owns reading that may take long: a read-only transaction with a time limit for each of its statements.
// Work on a connection in -> its result, or undefined when the time was over. It ends in the database too when the
// caller goes away: then the signal's reason is thrown.
import type { Knex } from 'knex';
import { type ClientBase, DatabaseError } from 'pg';
import { acquireWithin, cancelOnAbort, WaitOver } from '../../db/patient-connection';

const QUERY_CANCELED = '57014';

export interface Patience {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/**
 * Runs `work` on a connection of the reading pool; undefined when a statement took longer than `seconds`, or no connection
 * was free for so long.
 */
export async function readWithin<T>(
  read: Knex,
  { seconds, signal }: Patience,
  work: (client: ClientBase) => Promise<T>,
): Promise<T | undefined> {
  try {
    const client = await acquireWithin(read, seconds * 1000, signal);
    let stopListening = () => Promise.resolve();
    try {
      await client.query('BEGIN READ ONLY');
      const { rows } = await client.query<{ pid: number }>(
        "SELECT pg_backend_pid() AS pid, set_config('statement_timeout', $1, true)",
        [String(seconds * 1000)],
      );
      stopListening = cancelOnAbort(read, rows[0]?.pid ?? 0, signal);
      return await work(client);
    } finally {
      await stopListening().finally(() => giveBack(read, client));
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WaitOver) return undefined;
    if (error instanceof DatabaseError && error.code === QUERY_CANCELED) return undefined;
    throw error;
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

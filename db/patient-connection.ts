// Owns how long a connection is waited for, and how what runs on it is ended in the database when nobody waits any more.
// Pool, patience and signal -> a connection; its backend and the signal -> a cancel that is over before it is given back.
import type { Knex } from 'knex';
import type { Client } from 'pg';

/** No connection was free in time. */
export class WaitOver extends Error {
  override readonly name = 'WaitOver';
}

/**
 * A connection of the pool. Throws WaitOver after `ms`, or after the pool's own patience, and the signal's reason when it
 * is aborted.
 */
export async function acquireWithin(database: Knex, ms: number, signal: AbortSignal): Promise<Client> {
  signal.throwIfAborted();
  const connecting: Promise<Client> = database.client.acquireConnection();
  try {
    return await endedBy(connecting, ms, signal);
  } catch (error) {
    // What arrives too late goes back to the pool.
    connecting.then(
      (late) => database.client.releaseConnection(late),
      () => {},
    );
    signal.throwIfAborted();
    if (error instanceof Error && error.name === 'KnexTimeoutError')
      throw new WaitOver(error.message, { cause: error });
    throw error;
  }
}

function endedBy<Result>(promise: Promise<Result>, ms: number, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new WaitOver('No connection was free in time.'));
    const timer = setTimeout(stop, ms);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  });
}

/**
 * Cancels what the backend of this pid runs when the signal is aborted, until the answer is called: that waits for a
 * cancel under way, for a late one would hit what the connection does next. Rejects when it could not be cancelled.
 */
export function cancelOnAbort(database: Knex, pid: number, signal: AbortSignal): () => Promise<void> {
  signal.throwIfAborted();
  let cancelling: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    cancelling = cancelBackend(database, pid);
    // Awaited by whoever stops it; until then a failure must not count as unhandled.
    cancelling.catch(() => {});
  };
  signal.addEventListener('abort', cancel, { once: true });
  return () => {
    signal.removeEventListener('abort', cancel);
    return cancelling;
  };
}

/** Cancels over a connection of its own: the pool may be full of work that nobody waits for. */
async function cancelBackend(database: Knex, pid: number): Promise<void> {
  const own: Client = await database.client.acquireRawConnection();
  try {
    await own.query('SELECT pg_cancel_backend($1)', [pid]);
  } finally {
    await database.client.destroyRawConnection(own);
  }
}

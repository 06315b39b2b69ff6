// Cancels in the database what nobody waits for any more.
import { Client, type PoolClient } from 'pg';
import type { OpenConnections } from './open-connections';
import { askingConfig, type PoolOptions } from './pool-options';

/**
 * Cancels what a connection runs when the signal is aborted. Call the answer before giving the connection back: it ends the
 * listening and waits for a cancel under way, which would hit the next statement.
 */
export function cancelOnAbort(
  options: PoolOptions,
  connections: OpenConnections,
  connection: PoolClient,
  signal: AbortSignal | undefined,
): () => Promise<void> {
  let cancelling: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    // What cannot be cancelled is not waited for either.
    cancelling = cancelBackend(options, connections.pidOf(connection)).catch(() =>
      connections.drop(connection),
    );
  };
  signal?.addEventListener('abort', cancel, { once: true });
  return () => {
    signal?.removeEventListener('abort', cancel);
    return cancelling;
  };
}

/** Cancels over a connection of its own: the pool may be full of work that nobody waits for. */
async function cancelBackend(options: PoolOptions, pid: number): Promise<void> {
  const own = new Client(askingConfig(options));
  own.on('error', () => {});
  try {
    await own.connect();
    await own.query('SELECT pg_cancel_backend($1)', [pid]);
  } finally {
    // Not `end`, which would wait for the server's word.
    own.connection.stream.destroy();
  }
}

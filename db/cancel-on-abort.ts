// Cancels statements in the database when their callers stop waiting.
import { Client, type PoolClient } from 'pg';
import type { OpenConnections } from './open-connections';
import { askingConfig, type PoolOptions } from './pool-options';

/**
 * Cancels the statement of a connection when the signal is aborted. Call the returned disposer before releasing the
 * connection: it waits for a pending cancel, which would otherwise hit the next statement.
 */
export function cancelOnAbort(
  options: PoolOptions,
  connections: OpenConnections,
  connection: PoolClient,
  signal: AbortSignal | undefined,
): () => Promise<void> {
  let cancelling: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    // If the cancel fails, there is nothing to wait for.
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

/** Cancels over a separate connection, since the pool may be full of abandoned statements. */
async function cancelBackend(options: PoolOptions, pid: number): Promise<void> {
  const own = new Client(askingConfig(options));
  own.on('error', () => {});
  try {
    await own.connect();
    await own.query('SELECT pg_cancel_backend($1)', [pid]);
  } finally {
    // Not `end`, which would wait for the server.
    own.connection.stream.destroy();
  }
}

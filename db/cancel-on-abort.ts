import { Client, type PoolClient } from 'pg';
import type { OpenConnections } from './open-connections';
import { askingConfig, type PoolOptions } from './pool-options';

/**
 * Cancels the connection's statement when the signal is aborted. Call the returned disposer before you release the connection: it
 * waits for a pending cancel, which could otherwise hit the next statement.
 */
export function cancelOnAbort(
  options: PoolOptions,
  connections: OpenConnections,
  connection: PoolClient,
  signal: AbortSignal | undefined,
): () => Promise<void> {
  let cancelling: Promise<void> = Promise.resolve();
  const cancel = (): void => {
    // If the cancel fails, drop the connection.
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

/** Uses a separate connection, because the pool may be full of abandoned statements. */
async function cancelBackend(options: PoolOptions, pid: number): Promise<void> {
  const own = new Client(askingConfig(options));
  own.on('error', () => {});
  try {
    await own.connect();
    await own.query('SELECT pg_cancel_backend($1)', [pid]);
  } finally {
    // `end` would wait for the server.
    own.connection.stream.destroy();
  }
}

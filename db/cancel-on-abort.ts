import type { PoolClient } from 'pg';
import type { OpenConnections } from './open-connections';
import { askingConfig, type PoolOptions } from './pool-options';
import { onSeparateConnection } from './separate-connection';

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
    const pid = connections.pidOf(connection);
    // If the cancel fails, drop the connection.
    cancelling = onSeparateConnection(askingConfig(options), (client) =>
      client.query('SELECT pg_cancel_backend($1)', [pid]),
    ).then(
      () => undefined,
      () => connections.drop(connection),
    );
  };
  signal?.addEventListener('abort', cancel, { once: true });
  return () => {
    signal?.removeEventListener('abort', cancel);
    return cancelling;
  };
}

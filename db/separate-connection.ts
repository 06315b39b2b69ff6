import { Client, type ClientConfig } from 'pg';

/** Runs `work` on a connection outside the pools, which may be exhausted or unresponsive. */
export async function onSeparateConnection<T>(
  config: ClientConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(config);
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    // `end` would wait for the server.
    client.connection.stream.destroy();
  }
}

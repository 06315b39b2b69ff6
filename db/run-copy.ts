// Runs COPY, and waits until PostgreSQL has reported the number of rows and is ready for the next statement.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from, to } from 'pg-copy-streams';

/** A pg connection, without pg's types in our declarations. */
export interface CopyClient {
  query(copy: object): unknown;
  end(): Promise<void>;
  readonly connection: {
    once(event: 'errorMessage', listener: () => void): unknown;
    off(event: 'errorMessage', listener: () => void): unknown;
  };
}

/**
 * COPY ... TO STDOUT. Returns PostgreSQL's row count. `read` must read to the end. If it fails, the connection is closed, because
 * unread rows would block it forever, even for a ROLLBACK.
 */
export const copyTo = (
  client: CopyClient,
  statement: string,
  read: (bytes: Readable) => Promise<unknown>,
): Promise<number> =>
  closeOnFailure(client, async () => {
    const copy = to(statement);
    // The end of the data is a separate message, so the row count may arrive later.
    const ready = new Promise<void>((resolve, reject) => {
      Object.assign(copy, { handleReadyForQuery: resolve });
      copy.on('error', reject);
    });
    ready.catch(() => {});
    client.query(copy);
    await read(copy);
    if (!copy.readableEnded) throw new Error('A COPY was not read to its end.');
    await ready;
    return copy.rowCount;
  });

/** COPY ... FROM STDIN. Returns PostgreSQL's row count. If the source fails, the connection is closed. */
export const copyFrom = (
  client: CopyClient,
  statement: string,
  bytes: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<number> =>
  closeOnFailure(client, async () => {
    const copy = from(statement);
    client.query(copy);
    // Resolves once PostgreSQL is ready for the next statement.
    await pipeline(bytes, copy);
    return copy.rowCount;
  });

/** Closes the connection after a failure, unless PostgreSQL itself reported it: the connection is then still usable. */
async function closeOnFailure(client: CopyClient, run: () => Promise<number>): Promise<number> {
  let isReported = false;
  const onErrorMessage = () => {
    isReported = true;
  };
  client.connection.once('errorMessage', onErrorMessage);
  try {
    return await run();
  } catch (error) {
    if (!isReported) await client.end();
    throw error;
  } finally {
    client.connection.off('errorMessage', onErrorMessage);
  }
}

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
 * COPY ... TO STDOUT. Returns PostgreSQL's row count. `read` must read to the end. If `read` fails, the connection is closed,
 * because unread rows would block even a ROLLBACK forever.
 */
export async function copyTo(
  client: CopyClient,
  statement: string,
  read: (bytes: Readable) => Promise<unknown>,
): Promise<number> {
  let isReported = false;
  const onErrorMessage = () => {
    isReported = true;
  };
  client.connection.once('errorMessage', onErrorMessage);
  const copy = to(statement);
  // The end of the data is a separate message, so the row count may arrive later.
  const ready = new Promise<void>((resolve, reject) => {
    Object.assign(copy, { handleReadyForQuery: resolve });
    copy.on('error', reject);
  });
  ready.catch(() => {});
  client.query(copy);
  try {
    await read(copy);
    if (!copy.readableEnded) throw new Error('A COPY was not read to its end.');
    await ready;
    return copy.rowCount;
  } catch (error) {
    // After an error from PostgreSQL, the connection is still usable.
    if (!isReported) await client.end();
    throw error;
  } finally {
    client.connection.off('errorMessage', onErrorMessage);
  }
}

/**
 * COPY ... FROM STDIN. Returns PostgreSQL's row count. If the source fails, PostgreSQL discards the rows, and the transaction can be
 * rolled back.
 */
export async function copyFrom(
  client: CopyClient,
  statement: string,
  bytes: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<number> {
  const copy = from(statement);
  let isSourceFault = false;
  const source = async function* () {
    try {
      yield* bytes;
    } catch (error) {
      isSourceFault = true;
      throw error;
    }
  };
  client.query(copy);
  try {
    // Resolves once PostgreSQL is ready for the next statement.
    await pipeline(source, copy);
  } catch (error) {
    // `copy` closes once PostgreSQL has reported that the COPY failed.
    if (isSourceFault && !copy.closed) await new Promise((resolve) => copy.once('close', resolve));
    throw error;
  }
  return copy.rowCount;
}

// Rows in batches as they arrive. The socket is read only on demand, so PostgreSQL waits in the meantime. Unlike a cursor, a
// statement can use parallel workers and takes one round trip.
import { Socket } from 'node:net';
import { Client, Query, type QueryArrayConfig } from 'pg';

/** The limit for rows that have arrived but have not been taken, in addition to the data on the socket. */
const BATCH_BYTES = 256 * 1024;

export interface StreamedStatement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** No batch is empty. Throws the statement's error after the rows before it. Leaving the loop early calls `cancel` and waits. */
export async function* streamRows<Row extends unknown[]>(
  connection: object,
  { text, values = [] }: StreamedStatement,
  cancel: () => Promise<void>,
): AsyncGenerator<Row[], void, undefined> {
  if (!(connection instanceof Client)) throw new TypeError('Only a connection of pg streams rows.');
  const socket = connection.connection.stream;
  if (!(socket instanceof Socket)) throw new TypeError('Only a connection over a socket streams rows.');
  const statement: QueryArrayConfig = { text, values: [...values], rowMode: 'array' };
  const query = new Query<Row>(statement);
  let arrived: Row[] = [];
  let takenAt = socket.bytesRead;
  let isFull = false;
  let wake = () => {};
  const ended = new Promise<{ readonly error?: unknown }>((resolve) => {
    query.on('end', () => resolve({}));
    query.on('error', (error) => resolve({ error }));
  });
  let outcome: Awaited<typeof ended> | undefined;
  ended.then((it) => {
    outcome = it;
    wake();
  });
  query.on('row', (row) => {
    arrived.push(row);
    if (isFull || socket.bytesRead - takenAt < BATCH_BYTES) return;
    isFull = true;
    socket.pause();
    wake();
  });
  connection.query(query);
  try {
    while (outcome === undefined || arrived.length > 0) {
      if (outcome === undefined && !isFull)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const batch = arrived;
      arrived = [];
      if (batch.length > 0) yield batch;
      takenAt = socket.bytesRead;
      isFull = false;
      socket.resume();
    }
    if ('error' in outcome) throw outcome.error;
  } finally {
    socket.resume();
    if (outcome === undefined) {
      query.removeAllListeners('row').on('row', () => {});
      await Promise.all([cancel(), ended]);
    }
  }
}

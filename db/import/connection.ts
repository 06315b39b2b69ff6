// Owns one connection for the length of an import: COPY and the statements around it must share a transaction.
// Knex pool in -> a client of pg for the callback, always given back.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';

/** Runs `work` in one transaction on one connection; whatever it throws rolls everything back. */
export async function inTransaction<T>(write: Knex, work: (client: ClientBase) => Promise<T>): Promise<T> {
  const client: ClientBase = await write.client.acquireConnection();
  try {
    await client.query('BEGIN');
    try {
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
  } finally {
    await write.client.releaseConnection(client);
  }
}

import { DatabaseError } from 'pg';
import { NoConnection, type Patience, type Queryable, type ReadPool } from '../../../host-shim/extension-api';

const QUERY_CANCELED = '57014';

/**
 * Runs `work` in a read-only transaction. Returns undefined if a statement takes longer than `seconds`, or if no connection
 * becomes free within that time. If the signal is aborted, the statement is canceled in the database and the reason is thrown.
 */
export async function readWithin<T>(
  read: ReadPool,
  patience: Patience,
  work: (client: Queryable) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read.withConnection(patience, async (client) => {
      try {
        await client.query('BEGIN READ ONLY');
        return await work(client);
      } finally {
        // The pool drops a connection that cannot roll back.
        await client.query('ROLLBACK').catch(() => {});
      }
    });
  } catch (error) {
    if (error instanceof NoConnection) return undefined;
    if (error instanceof DatabaseError && error.code === QUERY_CANCELED) return undefined;
    throw error;
  }
}

// Reading that may take long: a read-only transaction whose statements have a time limit.
import { DatabaseError } from 'pg';
import { NoConnection, type Patience, type Queryable, type ReadPool } from '../../../host-shim/extension-api';

const QUERY_CANCELED = '57014';

/**
 * Runs `work` on a connection of the read pool. Answers undefined when a statement takes longer than `seconds`, or when no
 * connection is free for that long. When the signal is aborted, the database cancels the work and this throws its reason.
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
        // A connection that cannot roll back is broken: the pool drops it by itself.
        await client.query('ROLLBACK').catch(() => {});
      }
    });
  } catch (error) {
    if (error instanceof NoConnection) return undefined;
    if (error instanceof DatabaseError && error.code === QUERY_CANCELED) return undefined;
    throw error;
  }
}

// One connection for a whole transaction, whose first failure is the one to report.
import type { Knex } from 'knex';
import type { Client } from 'pg';

/**
 * Runs `work` in a transaction. A COPY that was given up closes the connection, and Knex would report that the ROLLBACK found it
 * closed.
 */
export async function inTransaction<T>(
  write: Knex,
  work: (client: Client, transaction: Knex) => Promise<T>,
  config?: Knex.TransactionConfig,
): Promise<T> {
  let first: { readonly error: unknown } | undefined;
  const watched = async (transaction: Knex.Transaction): Promise<T> => {
    try {
      return await work(await transaction.client.acquireConnection(), transaction);
    } catch (error) {
      first = { error };
      throw error;
    }
  };
  try {
    return await write.transaction(watched, config);
  } catch (error) {
    throw first === undefined ? error : first.error;
  }
}

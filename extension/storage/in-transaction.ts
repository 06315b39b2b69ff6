// One connection for a whole transaction, as COPY needs it.
import type { Knex } from 'knex';
import type { Client } from 'pg';

/**
 * Runs `work` in a transaction, and rolls back if it throws. Such work may need a second connection of the pool, so at most
 * half of the pool is used this way at a time: otherwise imports of many sites could wait for each other for ever.
 */
export async function inTransaction<T>(write: Knex, work: (client: Client) => Promise<T>): Promise<T> {
  const turns = turnsOf(write);
  await turns.take();
  try {
    const client: Client = await write.client.acquireConnection();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await rollBack(client);
      throw error;
    } finally {
      await write.client.releaseConnection(client);
    }
  } finally {
    turns.giveBack();
  }
}

/** Never throws, for the first failure is the one to report. A connection that cannot roll back leaves the pool. */
async function rollBack(client: Client): Promise<void> {
  try {
    await client.query('ROLLBACK');
  } catch (failure) {
    Object.assign(client, { __knex__disposed: failure });
  }
}

const turnsByPool = new WeakMap<object, ReturnType<typeof turnsFor>>();

function turnsOf({ client }: Knex): ReturnType<typeof turnsFor> {
  const turns = turnsByPool.get(client.pool) ?? turnsFor(Math.max(1, Math.floor(client.pool.max / 2)));
  turnsByPool.set(client.pool, turns);
  return turns;
}

/** Lets so many in at a time, in the order in which they come. */
function turnsFor(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return {
    async take(): Promise<void> {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    giveBack(): void {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

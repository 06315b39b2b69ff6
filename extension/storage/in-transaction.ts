// Owns one connection for the length of an import: COPY and the statements around it must share a transaction.
// Knex pool in -> a client of pg for the callback, always given back. The work may ask the pool for one connection more,
// so half of the pool is all that is held this way at a time: else imports of many sites would wait for each other.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';

/** Runs `work` in one transaction on one connection; whatever it throws rolls everything back. */
export async function inTransaction<T>(write: Knex, work: (client: ClientBase) => Promise<T>): Promise<T> {
  const turns = turnsOf(write);
  await turns.take();
  try {
    const client: ClientBase = await write.client.acquireConnection();
    try {
      return await transact(client, work);
    } finally {
      await write.client.releaseConnection(client);
    }
  } finally {
    turns.giveBack();
  }
}

async function transact<T>(client: ClientBase, work: (client: ClientBase) => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await rollBack(client);
    throw error;
  }
}

/** The failure that made it necessary is the one to tell. A connection that cannot roll back leaves the pool. */
async function rollBack(client: ClientBase): Promise<void> {
  try {
    await client.query('ROLLBACK');
  } catch (failure) {
    Object.assign(client, { __knex__disposed: failure });
  }
}

interface Turns {
  take(): Promise<void>;
  giveBack(): void;
}

const turnsByPool = new WeakMap<object, Turns>();

function turnsOf({ client }: Knex): Turns {
  const known = turnsByPool.get(client.pool);
  if (known !== undefined) return known;
  const made = turnsFor(Math.max(1, Math.floor(client.pool.max / 2)));
  turnsByPool.set(client.pool, made);
  return made;
}

/** So many at a time, the others in the order in which they came. */
function turnsFor(most: number): Turns {
  let free = most;
  const waiting: (() => void)[] = [];
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    giveBack() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

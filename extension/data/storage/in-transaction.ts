// One connection for a whole transaction, as COPY needs it.
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { type ConnectionPool, poolOf } from '../../../host-shim/extension-api';
import { showingSite } from './planner';
import { takeTurns } from './take-turns';

/**
 * Runs `work` in a transaction, and rolls back if it throws, or in the end if only its result is wanted. `onLost` is called
 * when the connection breaks, before the statement under way fails. Such work may need a second connection of the pool, so at
 * most half of the pool is used this way at a time: otherwise imports of many sites could wait for each other for ever.
 */
export function inTransaction<T>(
  write: Knex,
  work: (client: Client) => Promise<T>,
  end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
  onLost: () => void = () => undefined,
): Promise<T> {
  const pool = poolOf(write);
  return turnsOf(pool)(async () => {
    const client = await pool.acquire();
    let isUsable = true;
    client.on('error', onLost).on('end', onLost);
    try {
      // Before it begins: the work may set the transaction's isolation, which nothing may precede.
      const connection = (await isDivided(pool, client)) ? showingSite(client) : client;
      await client.query('BEGIN');
      const result = await work(connection);
      await client.query(end);
      return result;
    } catch (error) {
      // The first failure is the one to report. A connection that cannot roll back is closed, so that nobody gets it next.
      await client.query('ROLLBACK').catch(() => {
        isUsable = false;
      });
      throw error;
    } finally {
      client.off('error', onLost).off('end', onLost);
      client.release(!isUsable);
    }
  });
}

const dividedPools = new WeakMap<ConnectionPool, boolean>();

/** Whether the tables are divided over the machines of a Citus; asked once for each pool. */
async function isDivided(pool: ConnectionPool, client: Client): Promise<boolean> {
  const known = dividedPools.get(pool);
  if (known !== undefined) return known;
  const { rows } = await client.query<{ yes: boolean }>('SELECT analytics.is_divided() AS yes');
  const yes = rows[0]?.yes === true;
  dividedPools.set(pool, yes);
  return yes;
}

type Turns = ReturnType<typeof takeTurns>;
const turnsByPool = new WeakMap<ConnectionPool, Turns>();

function turnsOf(pool: ConnectionPool): Turns {
  const turns = turnsByPool.get(pool) ?? takeTurns(Math.max(1, Math.floor(pool.size / 2)));
  turnsByPool.set(pool, turns);
  return turns;
}

// Runs statements on a site's tables where their rows are: in a Citus cluster, in the site's shards on one machine.
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';

/** The tables with a site's rows, and how to run a statement on their machine, outside a transaction. */
interface TablesOfSite {
  readonly names: readonly string[];
  /** Returns the column `result` of the row that the statement returns, if any. */
  run(statement: string): Promise<string>;
}

/** Returns the shards in a Citus cluster, since statements on whole tables would run on every machine. */
export async function tablesOfSite(
  write: Knex,
  siteId: number,
  tables: readonly string[],
): Promise<TablesOfSite> {
  if (!(await isDividedNow(write)))
    return {
      names: tables.map((table) => `analytics.${table}`),
      run: async (statement) => (await write.raw(statement)).rows[0]?.result ?? '',
    };
  const { rows }: { rows: Shard[] } = await write.raw(SHARDS, [siteId, [...tables]]);
  return {
    names: rows.map(({ name }) => name),
    async run(statement) {
      const { host = '', port = 0 } = rows[0] ?? {};
      const ran: { rows: { success: boolean; result: string }[] } = await write.raw(ON_WORKER, [
        host,
        port,
        statement,
      ]);
      const { success = false, result = '' } = ran.rows[0] ?? {};
      if (!success) throw new Error(result);
      return result;
    },
  };
}

const IS_DIVIDED = 'SELECT analytics.is_divided() AS yes';

/** Whether the tables are distributed across a Citus cluster. */
export async function isDivided(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>(IS_DIVIDED);
  return rows[0]?.yes === true;
}

const isDividedNow = async (write: Knex): Promise<boolean> =>
  (await write.raw(IS_DIVIDED)).rows[0]?.yes === true;

interface Shard {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

const SHARDS = `
SELECT format('analytics.%I', t.name || '_' || p.shardid) AS name, n.nodename AS host, n.nodeport AS port
  FROM (SELECT name, place, get_shard_id_for_distribution_column(('analytics.' || name)::regclass, ?::int) AS shardid
          FROM unnest(?::text[]) WITH ORDINALITY AS asked (name, place)) t
  JOIN pg_dist_placement p ON p.shardid = t.shardid JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
 ORDER BY t.place`;

const ON_WORKER =
  'SELECT success, result FROM master_run_on_worker(ARRAY[?::text], ARRAY[?::int], ARRAY[?::text], false)';

/**
 * Lets PostgreSQL reuse the space of a site's removed rows, even if there were only a few. In a Citus cluster, leaves out
 * tables that all sites share.
 */
export async function vacuumSite(write: Knex, trackingId: string): Promise<void> {
  const { rows }: { rows: { siteId: number }[] } = await write.raw(
    'SELECT site_id AS "siteId" FROM analytics.site WHERE tracking_id = ?',
    [trackingId],
  );
  const siteId = rows[0]?.siteId ?? 0;
  const tables = async (where: string): Promise<readonly string[]> =>
    (await write.raw(`${TABLES} AND ${where} ORDER BY 1`)).rows.map(({ name }: { name: string }) => name);
  const isDivided = await isDividedNow(write);
  const here = await tables(isDivided ? `NOT EXISTS (${IN_CITUS})` : 'true');
  for (const name of here) await write.raw('VACUUM analytics.??', [name]);
  if (!isDivided) return;
  const ofSite = await tables(`EXISTS (${IN_CITUS} AND p.partmethod = 'h')`);
  const { names, run } = await tablesOfSite(write, siteId, ofSite);
  await run(`VACUUM ${names.join(', ')}`);
}

const TABLES = `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'analytics'::regnamespace AND c.relkind = 'r'`;
const IN_CITUS =
  "SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid AND (p.partmethod = 'h' OR p.repmodel = 't')";

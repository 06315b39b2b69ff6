// Works around planner statistics that are older than the rows of a running import.
import type { Knex } from 'knex';
import { type Client, type ClientBase, escapeLiteral, type QueryConfig } from 'pg';
import { perConnection } from '../rows/per-connection';
import { tablesOfSite } from './tables-of-site';

/**
 * The site `$1`, hidden from the planner, for looking up many keys: `site_id = ${ANY_SITE}`. The planner would otherwise assume
 * that a site missing from its statistics has no rows, and choose any index that starts with the site. To find out whether any row
 * meets a condition, use min, max or ORDER BY with LIMIT: for EXISTS, or LIMIT alone, it may read the tables of all sites from the
 * start, expecting to find a row soon.
 */
export const ANY_SITE = '(SELECT $1::smallint)';

/** `ANY_SITE` with any placeholder, since the steps of a site change have their own numbering. */
const ANY_SITE_NUMBERED = /\(SELECT (\$\d+::smallint)\)/g;

/**
 * A connection to Citus that replaces `ANY_SITE` with the site itself, which Citus needs to route a statement. A shard has few
 * sites, so its statistics are good enough.
 */
export const showingSite = perConnection(
  (client: Client): Client =>
    new Proxy(client, {
      get(target, key) {
        if (key !== 'query') return Reflect.get(target, key, target);
        return (statement: string | QueryConfig, ...rest: unknown[]) =>
          Reflect.apply(target.query, target, [shown(statement), ...rest]);
      },
    }),
);

/** Statements that are not plain objects are COPY streams, which look up nothing. */
function shown(statement: string | QueryConfig): string | QueryConfig {
  const withSite = (text: string): string => text.replaceAll(ANY_SITE_NUMBERED, '$1');
  if (typeof statement === 'string') return withSite(statement);
  const isPlain = Object.getPrototypeOf(statement) === Object.prototype;
  return isPlain ? { ...statement, text: withSite(statement.text) } : statement;
}

/**
 * Runs statements that join many rows where the planner expects few. A nested loop would read one side again for each
 * row of the other.
 */
export async function withHashJoins<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query('SET LOCAL enable_nestloop = off');
  const result = await work();
  await client.query('SET LOCAL enable_nestloop = on');
  return result;
}

/**
 * Removes what dry runs and stopped imports left in tables without rows. If autovacuum counted these pages during an import, the
 * planner would expect no rows in any page of the table, and could choose any index until the next count.
 */
export async function vacuumEmpty(write: Knex, siteId: number, tables: readonly string[]): Promise<void> {
  const { names, run } = await tablesOfSite(write, siteId, tables);
  const left = await run(emptyButWritten(names));
  if (left !== '') await run(`VACUUM ${left}`);
}

const emptyButWritten = (tables: readonly string[]): string =>
  `SELECT coalesce(string_agg(c.oid::regclass::text, ', '), '') AS result
     FROM pg_class c
    WHERE c.oid IN (${tables.map((table) => `${escapeLiteral(table)}::regclass`).join(', ')}) AND c.reltuples <= 0 AND pg_stat_get_dead_tuples(c.oid) > 0`;

/** Index-only scans become slow when this many rows are missing from the visibility map. */
const MANY_ROWS = 10_000;

/**
 * Updates the statistics of each table in which many rows have changed and, if many rows were written to the first table, the
 * visibility maps of all tables. Returns a warning for the user if that fails.
 */
export async function refreshStatistics(
  write: Knex,
  siteId: number,
  tables: readonly string[],
  written: number,
): Promise<string | undefined> {
  if (written === 0) return undefined;
  let statement = `ANALYZE ${tables.map((table) => `analytics.${table}`).join(', ')}`;
  try {
    const { names, run } = await tablesOfSite(write, siteId, tables);
    const stale = await run(staleAmong(names, written));
    const vacuum = written >= MANY_ROWS ? [`VACUUM ${names.join(', ')}`] : [];
    const analyze = stale === '' ? [] : [`ANALYZE ${stale}`];
    for (statement of [...vacuum, ...analyze]) await run(statement);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `The rows are stored, but queries may be slow until the statistics are refreshed (${statement}): ${error.message}`;
  }
}

/** With fewer changed rows than this, PostgreSQL does not refresh statistics either (autovacuum_analyze_threshold). */
const FEW_ROWS = 50;

/**
 * SQL: the number of changed rows that makes the statistics of a table stale. Sampling a row takes about as long as writing it,
 * so it must not be repeated for every small change. But the planner expects hardly any rows for times and sites that the
 * statistics do not include, so only a limited number of rows may be missing from them.
 */
const STALE_FROM = `greatest(${FEW_ROWS}, least(rows / 5, sqrt(1000 * rows)))`;

/** `written`: how many rows were written to the first table, which sessions may not have reported yet. */
function staleAmong(names: readonly string[], written: number): string {
  const [first = '', ...others] = names.map((name) => `${escapeLiteral(name)}::regclass`);
  return `SELECT coalesce(string_agg(name, ', '), '') AS result
    FROM (SELECT oid::regclass::text AS name, greatest(reltuples, 0) AS rows,
                 greatest(pg_stat_get_mod_since_analyze(oid), CASE WHEN oid = ${first} THEN ${written} END) AS changed
            FROM pg_class WHERE oid IN (${[first, ...others].join(', ')})) t
   WHERE changed >= ${STALE_FROM}`;
}

// What to tell PostgreSQL's planner, and what to hide from it: its statistics are older than the rows of a running import.
import type { Knex } from 'knex';
import type { Client, QueryConfig } from 'pg';

/**
 * The site `$1`, hidden from the planner. To the planner, a site that is missing from its statistics looks empty, so any index
 * that starts with the site seems good enough. Write `site_id = ${ANY_SITE}` when looking up many keys of one site.
 */
export const ANY_SITE = '(SELECT $1::smallint)';

/**
 * A connection to Citus, which routes a statement by the site in it: `ANY_SITE` becomes the site itself. A shard has few sites,
 * so its statistics are good enough.
 */
export const showingSite = (client: Client): Client =>
  new Proxy(client, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key, target);
      return (statement: string | QueryConfig, ...rest: unknown[]) =>
        Reflect.apply(target.query, target, [shown(statement), ...rest]);
    },
  });

/** Statements that are instances of other classes are COPY streams, which do no lookups. */
function shown(statement: string | QueryConfig): string | QueryConfig {
  if (typeof statement === 'string') return statement.replaceAll(ANY_SITE, '$1::smallint');
  const isPlain = Object.getPrototypeOf(statement) === Object.prototype;
  return isPlain ? { ...statement, text: statement.text.replaceAll(ANY_SITE, '$1::smallint') } : statement;
}

/** Index-only scans get slow when this many rows are missing from the visibility map. */
const MANY_ROWS = 10_000;
/** Smaller changes do not affect plans, and sampling a large table takes a second or two. */
const STALE_SHARE = 0.01;

/**
 * Refreshes what the planner knows about tables of the schema `analytics` after `written` rows changed: the statistics of all
 * of them if those of the first are stale, and the visibility map after many rows. If that fails, the rows are stored
 * anyway, and this returns a sentence to show to the user.
 */
export async function refreshStatistics(
  write: Knex,
  tables: readonly string[],
  written: number,
): Promise<string | undefined> {
  if (written === 0) return undefined;
  const names = tables.map((table) => `analytics.${table}`);
  let statement = `ANALYZE ${names.join(', ')}`;
  try {
    const { known, changed } = await statisticsOf(write, names[0] ?? '');
    const isStale = Math.max(changed, written) >= known * STALE_SHARE;
    if (written >= MANY_ROWS) statement = `VACUUM ${isStale ? '(ANALYZE) ' : ''}${names.join(', ')}`;
    if (isStale || written >= MANY_ROWS) await write.raw(statement);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `The rows are stored, but queries may be slow until the statistics are refreshed (${statement}): ${error.message}`;
  }
}

interface Statistics {
  /** The planner's row count; negative without statistics. */
  readonly known: number;
  /** Rows changed since then, as far as connections have reported them. */
  readonly changed: number;
}

async function statisticsOf(write: Knex, table: string): Promise<Statistics> {
  const answer: { rows: Statistics[] } = await write.raw(
    `SELECT c.reltuples::float8 AS known, coalesce(s.n_mod_since_analyze, 0)::float8 AS changed
       FROM pg_class c LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid WHERE c.oid = ?::regclass`,
    [table],
  );
  return answer.rows[0] ?? { known: -1, changed: 0 };
}

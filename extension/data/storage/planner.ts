// Works around the planner's statistics, which are older than the rows of a running import.
import type { Knex } from 'knex';
import type { Client, QueryConfig } from 'pg';

/**
 * The site `$1`, hidden from the planner, for looking up many keys: `site_id = ${ANY_SITE}`. The planner assumes that a site
 * missing from its statistics has no rows, and would choose any index that starts with the site.
 */
export const ANY_SITE = '(SELECT $1::smallint)';

/** The steps of a site change number their values themselves. */
const ANY_SITE_NUMBERED = /\(SELECT (\$\d+::smallint)\)/g;

/**
 * A connection to Citus that replaces `ANY_SITE` with the site itself, which Citus needs to route a statement. A shard has few
 * sites, so its statistics are good enough.
 */
export const showingSite = (client: Client): Client =>
  new Proxy(client, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key, target);
      return (statement: string | QueryConfig, ...rest: unknown[]) =>
        Reflect.apply(target.query, target, [shown(statement), ...rest]);
    },
  });

/** Instances of other classes are COPY streams, which look up nothing. */
function shown(statement: string): string;
function shown(statement: string | QueryConfig): string | QueryConfig;
function shown(statement: string | QueryConfig): string | QueryConfig {
  if (typeof statement === 'string') return statement.replaceAll(ANY_SITE_NUMBERED, '$1');
  const isPlain = Object.getPrototypeOf(statement) === Object.prototype;
  return isPlain ? { ...statement, text: shown(statement.text) } : statement;
}

/** Index-only scans become slow when this many rows are missing from the visibility map. */
const MANY_ROWS = 10_000;
/** Smaller changes do not affect plans, and sampling a large table takes seconds. */
const STALE_SHARE = 0.01;

/**
 * Updates the statistics of these tables if the first table's are stale, and their visibility maps if many rows were written.
 * Returns a warning for the user if that fails.
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
  /** The estimated number of rows; negative if there are no statistics. */
  readonly known: number;
  /** The number of rows that have changed since then, as reported by sessions so far. */
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

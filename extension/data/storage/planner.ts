// What PostgreSQL's planner must know, or must not: its statistics are older than the rows of a running import.
import type { Knex } from 'knex';
import type { Client, QueryConfig } from 'pg';

/**
 * The site `$1`, hidden from the planner. A site that is new to its statistics looks empty, so that any index which begins
 * with the site seems good enough. Write `site_id = ${ANY_SITE}` wherever many keys of one site are looked up.
 */
export const ANY_SITE = '(SELECT $1::smallint)';

/**
 * A connection to a Citus, which must see the site in a statement to find its machine: there `ANY_SITE` is the site itself. The
 * statistics of shards are those of few sites.
 */
export const showingSite = (client: Client): Client =>
  new Proxy(client, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key, target);
      return (statement: string | QueryConfig, ...rest: unknown[]) =>
        Reflect.apply(target.query, target, [shown(statement), ...rest]);
    },
  });

/** Copies are objects of classes of their own, and look nothing up. */
function shown(statement: string | QueryConfig): string | QueryConfig {
  if (typeof statement === 'string') return statement.replaceAll(ANY_SITE, '$1::smallint');
  const isPlain = Object.getPrototypeOf(statement) === Object.prototype;
  return isPlain ? { ...statement, text: statement.text.replaceAll(ANY_SITE, '$1::smallint') } : statement;
}

/** Index-only scans are slow over so many rows that the visibility map does not know yet. */
const MANY_ROWS = 10_000;
/** Changes of a smaller share of all rows change no plan; reading a sample of a large table takes a second or two. */
const STALE_SHARE = 0.01;

/**
 * Refreshes what the planner knows of tables of schema analytics after so many rows were written: the statistics of all of
 * them if those of the first one are stale, and the visibility map after many rows. Gives a sentence for people if that
 * fails: the rows are stored all the same.
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
  /** Rows that the planner assumes; negative if it has no statistics. */
  readonly known: number;
  /** Rows changed since then, as far as their connections have reported them. */
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

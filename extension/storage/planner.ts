// Owns how statements of an import keep PostgreSQL's planner from trusting statistics that are older than the import.
// A site that is new to the statistics looks empty: any index that begins with the site then seems as good as the right one.
import type { Knex } from 'knex';

/**
 * The site `$1`, hidden from the planner: it reckons with a site of usual size, and searches by the whole key.
 * Write `site_id = ${ANY_SITE}` wherever many keys of one site are looked up.
 */
export const ANY_SITE = '(SELECT $1::smallint)';

/** The same in a statement without parameters. */
export const anySite = (siteId: number): string => `(SELECT ${siteId}::smallint)`;

const MANY_ROWS = 10_000;
/** Fewer changes, which are a small share of what the planner knows, change no plan. */
const FEW_ROWS = 1000;
const SMALL_SHARE = 0.01;

/**
 * `written`: so many rows were, in tables of schema analytics, or for them; the first table decides whether statistics are
 * due. Without the visibility map index-only counts are slow.
 */
export async function tellPlanner(
  write: Knex,
  tables: readonly string[],
  written: number,
): Promise<string | undefined> {
  if (written === 0) return undefined;
  const names = tables.map((table) => `analytics.${table}`);
  const statement = `${written >= MANY_ROWS ? 'VACUUM (ANALYZE)' : 'ANALYZE'} ${names.join(', ')}`;
  try {
    const { known, changed } = await statisticsOf(write, names[0] ?? '');
    const due = Math.max(changed, written);
    if (due >= FEW_ROWS || due >= known * SMALL_SHARE) await write.raw(statement);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `The rows are there, but queries may be slow until the database was told of them (${statement}): ${error.message}`;
  }
}

interface Statistics {
  /** Rows that the planner takes the table to have; negative where it was never told. */
  readonly known: number;
  /** Rows that were changed since it was told, as far as their connections have said so. */
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

// Owns what PostgreSQL's planner is told when rows were written: statistics, and after many rows the visibility map.
// Tables in -> nothing, or what to tell people when that fails: the rows are there, so the work did not.
import type { Knex } from 'knex';

const MANY_ROWS = 10_000;
/** Fewer rows, which are a small share of what the planner knows, change no plan; of many such imports autovacuum takes care. */
const FEW_ROWS = 1000;
const SMALL_SHARE = 0.01;

/**
 * `written`: so many rows, in tables of schema analytics, the first of which tells how many there were. Without the
 * visibility map index-only counts are slow.
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
    const knows = written < FEW_ROWS && written < (await knownRows(write, names[0] ?? '')) * SMALL_SHARE;
    if (!knows) await write.raw(statement);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return `The rows are there, but queries may be slow until the database was told of them (${statement}): ${error.message}`;
  }
}

/** How many rows the planner takes a table to have; negative where it was never told. */
async function knownRows(write: Knex, table: string): Promise<number> {
  const answer: { rows: { rows: number }[] } = await write.raw(
    'SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = ?::regclass',
    [table],
  );
  return answer.rows[0]?.rows ?? -1;
}

// Removes the numbers of removed rows from the sets of rows that imports added or contained.
import type { ClientBase } from 'pg';
import { REMOVED } from '../change/staged-views';

interface Run {
  readonly table: string;
  /** The first and last of consecutive numbers, inclusive. */
  readonly low: number;
  readonly high: number;
}

/** Each run in a statement takes about 100 bytes of memory, and one value might not have room for all runs. */
const RUNS_AT_ONCE = 100_000;

/** Forgets the numbers of the removed rows. */
export async function forgetNumbers(
  client: ClientBase,
  siteId: number,
  atOnce = RUNS_AT_ONCE,
): Promise<void> {
  await client.query(RUNS);
  for (;;) {
    const { rows } = await client.query<Run>(`FETCH ${atOnce} FROM removed_runs`);
    for (const [table, runs] of Map.groupBy(rows, (run) => run.table))
      await client.query(FORGET, [siteId, table, runs.map(({ low }) => low), runs.map(({ high }) => high)]);
    if (rows.length < atOnce) break;
  }
  await client.query('CLOSE removed_runs');
}

const RUNS = `
DECLARE removed_runs NO SCROLL CURSOR FOR
SELECT removed_from AS table, min(row_id)::float8 AS low, max(row_id)::float8 AS high
  FROM (SELECT removed_from, row_id, row_id - row_number() OVER (PARTITION BY removed_from ORDER BY row_id) AS run
          FROM ${REMOVED} t) r
 GROUP BY removed_from, run ORDER BY removed_from, low`;

/** Comparing a set with the span of all runs takes less time than comparing it with each run, so the span is compared first. */
const FORGET = `
WITH gone AS MATERIALIZED (
  SELECT range_agg(int8range(low, high, '[]')) AS ids, int8range(min(low), max(high), '[]') AS span
    FROM unnest($3::bigint[], $4::bigint[]) AS u (low, high))
UPDATE analytics.import_record r SET ids = r.ids - g.ids FROM gone g
 WHERE r.site_id = $1 AND r.table_name = $2 AND r.ids && g.span AND r.ids && g.ids`;

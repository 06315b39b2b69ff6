// Finds the later import that must be undone first, since imports that build on each other are undone in reverse order.
import type { ClientBase } from 'pg';
import { noted } from '../change/noted';
import { isStored } from '../import/import-record';
import { isSetOf } from '../import/record-sets';
import { givenVisit } from '../rows/generated-ids';

/** The kind of the noted rows that an undo removes. */
export const UNDONE_ROW = 'undone_row';

/**
 * The newest import that builds on rows of this one, or undefined. UNDONE_ROW must already be noted. A later import builds on a
 * row if it contains that row again, changed or not. It also builds on a page view to which it added clicks or events, and on a page
 * version whose number it uses.
 */
export async function blockingImport(
  client: ClientBase,
  importId: number,
  siteId: number,
  table: string,
): Promise<number | undefined> {
  const more = table === 'page_view' ? [onViews('click'), onViews('event')] : [];
  const taken = table === 'page_version' ? [TAKEN_NUMBERS] : [];
  const { rows } = await client.query<{ id: number }>(
    `${LATER} SELECT import_id AS id FROM (${[SAME_ROWS, ...more, ...taken].join(' UNION ALL ')}) found
       ORDER BY end_no DESC LIMIT 1`,
    [importId, siteId, table],
  );
  return rows[0]?.id;
}

const LATER = `
WITH later AS MATERIALIZED (
  SELECT l.import_id, l.end_no, r.table_name, r.ids
    FROM analytics.import_run o JOIN analytics.import_run l USING (site_id)
    JOIN analytics.import_record r ON r.site_id = l.site_id AND ${isSetOf('l.import_id')}
   WHERE o.import_id = $1 AND l.site_id = $2 AND ${isStored('l')} AND l.end_no > o.end_no
     AND r.kind IN ('added', 'met')
), record AS MATERIALIZED (
  SELECT kind, ids, row_id, old FROM analytics.import_record WHERE site_id = $2 AND import_id = $1
)`;

/**
 * Finds ranges of later imports that overlap a range of this import. Sorted by row id, the ranges are compared in one pass: ids with
 * gaps make too many ranges to compare every pair.
 */
const SAME_ROWS = `
SELECT import_id, end_no FROM (
  SELECT import_id, end_no, low, max(high) OVER (ORDER BY at) AS reached FROM (
    SELECT NULL::integer AS import_id, NULL::integer AS end_no, lower(part) AS at, NULL::bigint AS low, upper(part) AS high
      FROM record, unnest(ids) part WHERE kind = 'added'
    UNION ALL
    SELECT NULL, NULL, row_id, NULL, row_id + 1 FROM record WHERE row_id IS NOT NULL
    UNION ALL
    SELECT import_id, end_no, upper(part) - 1, lower(part), NULL FROM later, unnest(ids) part WHERE table_name = $3
  ) bounds
) passed
 WHERE reached > low`;

/** SQL: the page views that an undo removes, and those that it moves back to a different time, visitor or given visit. */
const MOVING_VIEWS = `
${noted(UNDONE_ROW)}
 UNION ALL
SELECT v.pv_id FROM record o
  JOIN analytics.page_view v ON v.site_id = $2 AND v.pv_id = o.row_id, LATERAL jsonb_populate_record(v, o.old) n
 WHERE (n.at, n.reader_id, ${givenVisit('n')}) IS DISTINCT FROM (v.at, v.reader_id, ${givenVisit('v')})`;

const onViews = (table: 'click' | 'event'): string => `
SELECT l.import_id, l.end_no FROM later l, unnest(l.ids) part
  JOIN analytics.${table} c ON c.site_id = $2 AND c.${table}_id >= lower(part) AND c.${table}_id < upper(part)
 WHERE l.table_name = '${table}' AND c.pv_id IN (${MOVING_VIEWS})`;

const TAKEN_NUMBERS = `
SELECT l.import_id, l.end_no FROM record o
  JOIN analytics.page_version v ON v.site_id = $2 AND v.version_id = o.row_id
  CROSS JOIN LATERAL jsonb_populate_record(v, o.old) n
  CROSS JOIN later l
  JOIN analytics.page_version h ON h.site_id = $2 AND h.version_id <> o.row_id
   AND (h.page_id, h.device_id, h.version_no) = (n.page_id, n.device_id, n.version_no)
 WHERE l.table_name = 'page_version' AND l.ids @> h.version_id`;

// Removes waiting rows (clicks and events without a page view) together with their day, visit, visitor or import.
import type { ClientBase } from 'pg';
import { IMPORT_LIMITS } from '../import/limits';
import type { LoaderContext } from '../import/loader-context';
import { placeWaiting } from '../import/on-view/place-waiting';
import { timeParser } from '../import/parse-time';
import { FIRST_MAPPED_ID, LAST_GIVEN_ID } from '../rows/generated-ids';

/** Selects those of a row's ids that were mapped from strings in its file, with their kinds. */
export const textualIds = (row: string): string =>
  `LATERAL (SELECT kind, id
      FROM (VALUES ('pv_id', ${row}.pv_id), ('session_id', ${row}.session_id), ('reader_id', ${row}.reader_id)) v (kind, id)
     WHERE id BETWEEN ${FIRST_MAPPED_ID} AND ${LAST_GIVEN_ID}) u`;

interface Condition {
  readonly text: string;
  readonly values: unknown[];
}

interface WaitingCount {
  readonly material: string;
  readonly rows: number;
}

/** Removes the waiting rows `w` that meet a condition, and notes their textual ids by kind. Returns row counts by material. */
export async function removeWaiting(
  client: ClientBase,
  { text, values }: Condition,
): Promise<readonly WaitingCount[]> {
  const { rows } = await client.query<WaitingCount>(
    `WITH gone AS (
       DELETE FROM analytics.waiting_row w WHERE w.row_id IS NULL AND ${text}
       RETURNING w.material, w.pv_id, w.session_id, w.reader_id),
     noted AS (
       INSERT INTO noted SELECT DISTINCT u.kind, u.id FROM gone g, ${textualIds('g')} ON CONFLICT DO NOTHING)
     SELECT material, count(*)::float8 AS rows FROM gone GROUP BY material`,
    values,
  );
  return rows;
}

/** Counts the waiting rows `w` that meet a condition, by material. */
export async function countWaiting(
  client: ClientBase,
  { text, values }: Condition,
): Promise<readonly WaitingCount[]> {
  const { rows } = await client.query<WaitingCount>(
    `SELECT material, count(*)::float8 AS rows FROM analytics.waiting_row w WHERE w.row_id IS NULL AND ${text} GROUP BY material`,
    values,
  );
  return rows;
}

const IS_GONE = `w.site_id = $1 AND w.row_id IS NOT NULL AND (
     w.material = 'click_event' AND w.row_id IN (SELECT row_id FROM touched WHERE removed_from = 'click')
  OR w.material = 'datalayer_event' AND w.row_id IN (SELECT row_id FROM touched WHERE removed_from = 'event'))`;

/** Deletes the waiting rows of clicks and events that were placed and then removed. */
export const forgetPlaced = (client: ClientBase, siteId: number): Promise<unknown> =>
  client.query(`DELETE FROM analytics.waiting_row w WHERE ${IS_GONE}`, [siteId]);

/** Makes placed rows wait again after an undo removed their view. */
export const waitAgain = (client: ClientBase, siteId: number): Promise<unknown> =>
  client.query(`UPDATE analytics.waiting_row w SET row_id = NULL, placed_by = NULL WHERE ${IS_GONE}`, [
    siteId,
  ]);

/** SQL: whether only this import contained the waiting row `w`. */
export const isOnlyOf = (importId: string): string => `w.import_ids <@ ARRAY[${importId}::integer]`;

/** Removes the import's arrivals, and forgets placed rows that only this import contained. */
export async function forgetArrivals(client: ClientBase, siteId: number, importId: number): Promise<void> {
  await client.query(WITHOUT_IMPORT, [siteId, importId]);
  await client.query(
    `DELETE FROM analytics.waiting_row w WHERE w.site_id = $1 AND w.row_id IS NOT NULL AND ${isOnlyOf('$2')}`,
    [siteId, importId],
  );
}

const ofOthers = (list: string): string => `ARRAY(
  SELECT value FROM unnest(w.import_ids, w.${list}) WITH ORDINALITY u (import_id, value, place) WHERE import_id <> $2::integer ORDER BY place)`;

/** Rows that other imports also contained keep the arrivals from those imports. */
const WITHOUT_IMPORT = `
UPDATE analytics.waiting_row w
   SET import_ids = array_remove(w.import_ids, $2::integer), arrivals = ${ofOthers('arrivals')}, lines = ${ofOthers('lines')}
 WHERE w.site_id = $1 AND $2::integer = ANY(w.import_ids) AND NOT ${isOnlyOf('$2')}`;

/** Tries to place all waiting rows, since an undo may have restored the time, visitor or visit of their views. */
export const placeAfterUndo = (
  context: Pick<LoaderContext, 'client' | 'write' | 'manifest' | 'siteId'>,
  importId: number,
): Promise<void> =>
  placeWaiting(
    { ...context, parseTime: timeParser(undefined), limits: IMPORT_LIMITS, isDry: false, browseSec: false },
    importId,
    'true',
  );

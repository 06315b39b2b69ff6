// Updates waiting rows (clicks and events without a page view) when their placed rows, or the imports that contained them, are removed.
import type { ClientBase } from 'pg';
import { removedFrom } from '../change/staged-views';
import { IMPORT_LIMITS } from '../import/limits';
import type { LoaderContext } from '../import/loader-context';
import { placeWaiting } from '../import/on-view/place-waiting';
import { VIEW_ROWS } from '../import/on-view/view-row-tables';
import { timeParser } from '../import/parse-time';
import type { RemovedRows } from './removal-plan';

/** The condition that a row waits for its page view and meets another condition. */
export const isWaiting =
  (where: RemovedRows['where']): RemovedRows['where'] =>
  (bind) =>
    `t.row_id IS NULL AND (${where(bind)})`;

const IS_GONE = `t.site_id = $1 AND t.row_id IS NOT NULL AND (${Object.entries(VIEW_ROWS)
  .map(
    ([material, { table }]) =>
      `t.material = '${material}' AND t.row_id IN (SELECT row_id FROM ${removedFrom(table)} r)`,
  )
  .join(' OR ')})`;

/** Deletes the waiting rows of clicks and events that were placed and then removed. */
export const forgetPlaced = (client: ClientBase, siteId: number): Promise<unknown> =>
  client.query(`DELETE FROM analytics.waiting_row t WHERE ${IS_GONE}`, [siteId]);

/** Makes placed rows wait again after an undo removed their view. */
export const waitAgain = (client: ClientBase, siteId: number): Promise<unknown> =>
  client.query(`UPDATE analytics.waiting_row t SET row_id = NULL, placed_by = NULL WHERE ${IS_GONE}`, [
    siteId,
  ]);

/** SQL: whether only this import contained the waiting row `t`. */
export const isOnlyOf = (importId: string): string => `t.import_ids <@ ARRAY[${importId}::integer]`;

/** Removes the import's arrivals, and forgets placed rows that only this import contained. */
export async function forgetArrivals(client: ClientBase, siteId: number, importId: number): Promise<void> {
  await client.query(WITHOUT_IMPORT, [siteId, importId]);
  await client.query(
    `DELETE FROM analytics.waiting_row t WHERE t.site_id = $1 AND t.row_id IS NOT NULL AND ${isOnlyOf('$2')}`,
    [siteId, importId],
  );
}

const ofOthers = (list: string): string => `ARRAY(
  SELECT value FROM unnest(t.import_ids, t.${list}) WITH ORDINALITY u (import_id, value, place) WHERE import_id <> $2::integer ORDER BY place)`;

/** Rows that other imports also contained keep the arrivals from those imports. */
const WITHOUT_IMPORT = `
UPDATE analytics.waiting_row t
   SET import_ids = array_remove(t.import_ids, $2::integer), arrivals = ${ofOthers('arrivals')}, lines = ${ofOthers('lines')}
 WHERE t.site_id = $1 AND $2::integer = ANY(t.import_ids) AND NOT ${isOnlyOf('$2')}`;

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

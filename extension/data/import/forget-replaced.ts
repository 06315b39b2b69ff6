// Only the newest imports into a site can be undone; the values that older ones replaced are deleted.
import type { ClientBase } from 'pg';
import { unusedValues } from '../storage/unused-values';
import { isStored } from './import-record';
import { deleteRecords } from './record-sets';

/** Deletes waiting rows that were placed, once the import that added their page view can no longer be undone. */
const FORGET_PLACED = `
WITH past AS MATERIALIZED (
  SELECT import_id FROM analytics.import_run
   WHERE site_id = $1 AND end_no > coalesce((SELECT max(end_no) FROM analytics.import_run WHERE site_id = $1 AND can_undo), 0))
DELETE FROM analytics.waiting_row w USING past p
 WHERE w.site_id = $1 AND w.row_id IS NOT NULL AND w.placed_by = p.import_id`;

/**
 * Marks imports as no longer undoable: the ($2 + 1)th newest import that changed rows, and all before it. If `$2` is 0, marks
 * all of them.
 */
const FORGET = `
UPDATE analytics.import_run SET can_undo = false
 WHERE site_id = $1 AND can_undo AND ($2 = 0 OR end_no <= (
   SELECT end_no FROM analytics.import_run r
    WHERE site_id = $1 AND ${isStored('r')} AND rows_added + rows_updated + rows_waiting > 0
    ORDER BY end_no DESC OFFSET $2::integer LIMIT 1))
RETURNING import_id AS id`;

/**
 * Deletes the values that the site's imports replaced, except those replaced by the newest `kept` imports that changed rows.
 * Older imports can then no longer be undone. Also deletes strings that only these values referred to.
 */
export async function forgetReplaced(client: ClientBase, siteId: number, kept: number): Promise<void> {
  const { rows } = await client.query<{ id: number }>(FORGET, [siteId, kept]);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  await client.query(FORGET_PLACED, [siteId]);
  const unused = await unusedValues(client, siteId);
  await unused.noteReplaced("r.site_id = $1 AND r.import_id = ANY($2::integer[]) AND r.kind = 'changed'", [
    siteId,
    ids,
  ]);
  await deleteRecords(client, siteId, ids);
  await unused.drop();
}

// Sets of rows in the record of imports. An import with exactly the rows of an earlier one, such as an
// unchanged file, shares its sets.
import type { ClientBase } from 'pg';

/** SQL: whether a set `r` belongs to an import. */
export const isSetOf = (importId: string): string =>
  `(r.import_id = ${importId} OR ${importId} = ANY(r.shared_by))`;

/** SQL: the ids of rows that import `$2` of site `$1` added or contained, from the sets that meet a condition. */
export const recordedRows = (condition: string): string => `
SELECT generate_series(lower(part), upper(part) - 1) AS row_id FROM analytics.import_record, unnest(ids) part
 WHERE site_id = $1 AND import_id = $2 AND ${condition}`;

/** Shares the sets of an import that has the same rows as an earlier one. */
export async function shareSets(client: ClientBase, siteId: number, importId: number): Promise<void> {
  const { rowCount } = await client.query(
    `UPDATE analytics.import_record r SET shared_by = coalesce(r.shared_by, '{}') || $2::integer
       FROM analytics.import_record n
      WHERE r.site_id = $1 AND n.site_id = $1 AND n.import_id = $2 AND n.kind = 'met' AND n.shared_by IS NULL
        AND r.table_name = n.table_name AND r.ids = n.ids AND r.import_id <> $2
        AND (r.shared_by IS NULL OR $2 <> ALL(r.shared_by))`,
    [siteId, importId],
  );
  if (rowCount === 0) return;
  await client.query(
    `WITH shared AS MATERIALIZED (
       SELECT table_name, ids FROM analytics.import_record r WHERE r.site_id = $1 AND r.ids IS NOT NULL AND $2 = ANY(r.shared_by))
     DELETE FROM analytics.import_record n USING shared s
      WHERE n.site_id = $1 AND n.import_id = $2 AND n.kind = 'met' AND n.table_name = s.table_name AND n.ids = s.ids`,
    [siteId, importId],
  );
}

/** A subquery, because Citus 13 crashes on an array element in SET. */
const FIRST_SHARER = '(SELECT min(i) FROM unnest(r.shared_by) i)';

/** Deletes what is recorded about the rows of imports. Sets that other imports share are passed on to those imports. */
export async function deleteRecords(
  client: ClientBase,
  siteId: number,
  importIds: readonly number[],
): Promise<void> {
  const bindings = [siteId, importIds];
  await client.query(
    `UPDATE analytics.import_record r
        SET shared_by = nullif(ARRAY(SELECT i FROM unnest(r.shared_by) i WHERE i <> ALL($2::integer[])), '{}')
      WHERE r.site_id = $1 AND r.ids IS NOT NULL AND r.shared_by && $2::integer[]`,
    bindings,
  );
  await client.query(
    `UPDATE analytics.import_record r
        SET import_id = ${FIRST_SHARER}, kind = 'met', shared_by = nullif(array_remove(r.shared_by, ${FIRST_SHARER}), '{}')
      WHERE r.site_id = $1 AND r.ids IS NOT NULL AND r.import_id = ANY($2::integer[]) AND r.shared_by IS NOT NULL`,
    bindings,
  );
  await client.query(
    'DELETE FROM analytics.import_record WHERE site_id = $1 AND import_id = ANY($2::integer[])',
    bindings,
  );
}

// When visitors whose first views are no longer stored were first seen, from an exported file.

import { FIRST_AT } from '../../change/view-change';
import { isGiven } from '../../rows/copy-rows';
import { placesOf, type RowBatch } from '../../rows/row-batch';
import type { TableLayout } from '../../rows/table-layout';
import type { LoaderContext } from '../loader-context';

/** Stores the times in the rows of a batch for their visitors. */
export async function noteFirstTimes(
  { client, siteId }: LoaderContext,
  { fieldOf }: TableLayout,
  batch: RowBatch,
): Promise<void> {
  const [visitor, firstAt] = [fieldOf('reader_id'), fieldOf(FIRST_AT)];
  const rows = placesOf(batch);
  if (!isGiven(batch, rows, firstAt)) return;
  const value = (row: number, field: number): number =>
    batch.values[row * batch.shape.width + field] ?? Number.NaN;
  const given = [...rows].filter(
    (row) => !Number.isNaN(value(row, firstAt)) && !Number.isNaN(value(row, visitor)),
  );
  await client.query(
    `INSERT INTO analytics.visitor_first AS f (site_id, reader_id, first_at)
     SELECT $1, reader_id, to_timestamp(min(at)) FROM unnest($2::bigint[], $3::float8[]) AS u(reader_id, at) GROUP BY reader_id
     ON CONFLICT (site_id, reader_id) DO UPDATE SET first_at = least(f.first_at, excluded.first_at)`,
    [siteId, given.map((row) => value(row, visitor)), given.map((row) => value(row, firstAt))],
  );
}

// Owns which rows of a batch are new: not stored yet, and not twice in the batch.
// Rows in file order in -> the new ones out. The row that was there first stays as it is.
import type { ClientBase } from 'pg';
import type { RowBatch } from '../row-batch';
import { printOf, storedIds, storedPrints } from '../stored-keys';
import { MADE, type ViewFields } from './view-fields';

/** Keeps the rows that are new. `ask`: whether the database may hold some of them. */
export async function newRows(
  client: ClientBase,
  batch: RowBatch,
  fields: ViewFields,
  siteId: number,
  ask: boolean,
): Promise<Uint32Array> {
  const { values, width } = batch;
  const rows = new Uint32Array(batch.end - batch.start).map((_, place) => batch.start + place);
  const isGiven = (row: number): boolean => ((values[row * width + fields.made] ?? 0) & MADE.pv_id) === 0;
  const pvId = (row: number): number => values[row * width + fields.pv_id] ?? 0;
  const seen = new Set<number>();
  const once = rows.filter((row) => {
    if (!isGiven(row)) return true;
    const before = seen.size;
    seen.add(pvId(row));
    return seen.size > before;
  });
  if (!ask) return once;

  const ids: number[] = [];
  const prints: string[] = [];
  for (const row of once) {
    if (isGiven(row)) ids.push(pvId(row));
    else prints.push(printOf(batch, row));
  }
  const knownIds = await storedIds(client, siteId, 'page_view', 'pv_id', ids);
  const knownPrints = await storedPrints(client, siteId, 'page_view', prints);
  return once.filter((row) =>
    isGiven(row) ? !knownIds.has(pvId(row)) : !knownPrints.has(printOf(batch, row)),
  );
}

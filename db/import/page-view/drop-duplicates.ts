// Owns which rows of a batch are new: not stored yet, and not twice in the batch.
// Rows in file order in -> the new ones out. The row that was there first stays as it is.
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../planner-hints';
import type { RowBatch } from '../row-batch';
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
  const storedIds = await stored<number>(client, siteId, 'pv_id', 'bigint', 'float8', ids);
  const storedPrints = await stored<string>(client, siteId, 'fingerprint', 'uuid', 'text', prints);
  return once.filter((row) =>
    isGiven(row) ? !storedIds.has(pvId(row)) : !storedPrints.has(printOf(batch, row)),
  );
}

function printOf(batch: RowBatch, row: number): string {
  const hex = Buffer.from(batch.fingerprints.buffer, row * 16, 16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

async function stored<T>(
  client: ClientBase,
  siteId: number,
  column: string,
  type: string,
  answerType: string,
  keys: readonly T[],
): Promise<ReadonlySet<T>> {
  if (keys.length === 0) return new Set();
  const answer = await client.query<{ key: T }>(
    `SELECT k::${answerType} AS key FROM unnest($2::${type}[]) k,
       LATERAL (SELECT FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND ${column} = k LIMIT 1) v`,
    [siteId, keys],
  );
  return new Set(answer.rows.map((row) => row.key));
}

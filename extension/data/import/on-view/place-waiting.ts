// Adds waiting clicks and events to their page view once it is stored: as if they were imported now, in their original order, each by
// the import that contained it.

import { note, noted } from '../../change/noted';
import { emptyBatch, rowBatch } from '../../rows/row-batch';
import type { ConflictRule } from '../conflict-rules';
import type { LoaderContext } from '../loader-context';
import { openClickLoader, openEventLoader } from './click-and-event-loaders';
import type { ViewRowLoader } from './view-row-loader';
import { addWaiting, type WaitingRow } from './waiting-rows';

type PlacingContext = Omit<LoaderContext, 'material' | 'sourceName' | 'onConflict' | 'duplicates' | 'undo'>;

const LOADERS: Readonly<Record<string, (context: LoaderContext) => Promise<ViewRowLoader>>> = {
  click_event: openClickLoader,
  datalayer_event: openEventLoader,
};

const ARRIVED = 'arrived_row';

/** Up to this many waiting rows are all tried; more are looked up by the new views. */
const FEW = 10_000;

/** Places the rows whose view was added by the import `importId`. */
export async function placeArrived(context: PlacingContext, importId: number): Promise<void> {
  const { client, siteId } = context;
  const { rows } = await client.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM (
       SELECT FROM analytics.waiting_row WHERE site_id = $1 AND row_id IS NULL LIMIT ${FEW + 1}) w`,
    [siteId],
  );
  const waiting = rows[0]?.n ?? 0;
  if (waiting === 0) return;
  if (waiting <= FEW) return placeWaiting(context, importId, 'true');
  const found = (field: string): string => `
    SELECT w.waiting_id FROM given v JOIN analytics.waiting_row w ON w.site_id = $1 AND w.row_id IS NULL AND w.${field} = v.${field}`;
  await note(
    client,
    ARRIVED,
    `WITH given AS MATERIALIZED (
       SELECT v.pv_id, v.session_id, v.reader_id
         FROM analytics.import_record r, unnest(r.ids) part, generate_series(lower(part), upper(part) - 1) id
         JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = id
        WHERE r.site_id = $1 AND r.import_id = $2 AND r.table_name = 'page_view')
     ${['pv_id', 'session_id', 'reader_id'].map(found).join(' UNION ')}`,
    [siteId, importId],
  );
  await client.query('ANALYZE noted');
  await placeWaiting(context, importId, `w.waiting_id IN (${noted(ARRIVED)})`);
}

interface FoundRow extends WaitingRow {
  readonly sourceName: string | null;
  readonly onConflict: ConflictRule;
  readonly canUndo: boolean;
}

/** Places the rows `w` that meet a condition and whose view is stored. */
export async function placeWaiting(context: PlacingContext, placedBy: number, among: string): Promise<void> {
  let open: Placer | undefined;
  for (let last = 0; ; ) {
    const rows = await waitingAfter(context, last, among);
    for (let first = 0; first < rows.length; ) {
      const row = rows[first];
      if (row === undefined) break;
      const end = rows.findIndex((one, place) => place > first && !isOfOneImport(one, row));
      const run = rows.slice(first, end < 0 ? rows.length : end);
      if (open === undefined || !isOfOneImport(open.row, row)) {
        await open?.finish();
        open = await openPlacer(context, row, placedBy);
      }
      await open.place(run);
      first += run.length;
    }
    const newest = rows.at(-1);
    if (newest === undefined) break;
    last = newest.id;
  }
  await open?.finish();
}

const isOfOneImport = (one: FoundRow, other: FoundRow): boolean =>
  one.importId === other.importId && one.material === other.material;

async function waitingAfter(
  { client, siteId, limits }: PlacingContext,
  last: number,
  among: string,
): Promise<readonly FoundRow[]> {
  const { rows } = await client.query<FoundRow>(
    `SELECT w.waiting_id::float8 AS id, w.material, w.import_ids[1] AS "importId", w.facts, extract(epoch FROM w.at)::float8 AS at,
            w.pv_id::float8 AS "pvId", w.session_id::float8 AS "sessionId", w.reader_id::float8 AS "readerId",
            r.source_name AS "sourceName", r.on_conflict AS "onConflict", r.can_undo AS "canUndo"
       FROM analytics.waiting_row w JOIN analytics.import_run r ON r.import_id = w.import_ids[1]
      WHERE w.site_id = $1 AND w.row_id IS NULL AND w.waiting_id > $2 AND ${among} ORDER BY w.waiting_id LIMIT $3`,
    [siteId, last, limits.batchRows],
  );
  return rows;
}

interface Placer {
  readonly row: FoundRow;
  place(rows: readonly FoundRow[]): Promise<void>;
  finish(): Promise<void>;
}

async function openPlacer(context: PlacingContext, row: FoundRow, placedBy: number): Promise<Placer> {
  const { client, siteId, manifest } = context;
  const material = manifest.materials.get(row.material);
  const openLoader = LOADERS[row.material];
  if (material === undefined || openLoader === undefined)
    throw new Error(`Rows of ${row.material} cannot wait.`);
  const { importId } = row;
  const own: LoaderContext = {
    ...context,
    material,
    sourceName: row.sourceName ?? undefined,
    onConflict: row.onConflict,
    duplicates: 'refuse',
    undo: row.canUndo ? { importId } : undefined,
  };
  const loader = await openLoader(own);
  const batch = rowBatch(loader.checker.shape);
  return {
    row,
    async place(rows) {
      for (const one of rows) addWaiting(own, loader, batch, one);
      const rejections = await loader.write(batch, true);
      const wrong = new Map(rejections.map((one) => [one.row, one.fault]));
      const field = loader.layout.fieldOf(loader.rowId);
      const placed = rows.flatMap(({ id }, row) => {
        const number = batch.values[row * batch.shape.width + field] ?? Number.NaN;
        return Number.isNaN(number) || wrong.has(row) ? [] : [{ id, number }];
      });
      await client.query(PLACED, [
        siteId,
        placed.map(({ id }) => id),
        placed.map(({ number }) => number),
        placedBy,
      ]);
      await client.query(GIVEN_AGAIN, [siteId, placed.map(({ id }) => id), loader.table]);
      const rejected = rows.flatMap(({ id }, row) => {
        const fault = wrong.get(row);
        return fault === undefined ? [] : [{ id, fault }];
      });
      await client.query(REJECTED, [
        siteId,
        importId,
        rejected.map(({ id }) => id),
        rejected.map(({ fault }) => fault.column ?? null),
        rejected.map(({ fault }) => fault.message),
      ]);
      emptyBatch(batch);
    },
    async finish() {
      await loader.finish();
    },
  };
}

const PLACED = `
UPDATE analytics.waiting_row w SET row_id = u.number, placed_by = $4
  FROM unnest($2::bigint[], $3::bigint[]) AS u(id, number) WHERE w.site_id = $1 AND w.waiting_id = u.id`;

/** Records the rows for the other imports that contained them. */
const GIVEN_AGAIN = `
INSERT INTO analytics.import_record (site_id, import_id, table_name, kind, ids)
SELECT $1, r.import_id, $3, 'met', range_agg(int8range(w.row_id, w.row_id, '[]'))
  FROM analytics.waiting_row w, unnest(w.import_ids[2:]) i JOIN analytics.import_run r ON r.import_id = i AND r.can_undo
 WHERE w.site_id = $1 AND w.waiting_id = ANY($2::bigint[]) GROUP BY r.import_id`;

/** A row that does not fit its view is a rejected row of its import, as it would have been if the view had been there. */
const REJECTED = `
WITH gone AS (
  DELETE FROM analytics.waiting_row WHERE site_id = $1 AND waiting_id = ANY($3::bigint[]) RETURNING waiting_id, line),
noted AS (
  INSERT INTO analytics.import_rejection (import_id, file, line, column_name, value, reason)
  SELECT $2, '', g.line, u.column_name, NULL, u.reason
    FROM gone g JOIN unnest($3::bigint[], $4::text[], $5::text[]) AS u(id, column_name, reason) ON u.id = g.waiting_id
  ON CONFLICT (import_id, file, line) DO NOTHING)
UPDATE analytics.import_run SET rows_rejected = rows_rejected + (SELECT count(*) FROM gone) WHERE import_id = $2`;

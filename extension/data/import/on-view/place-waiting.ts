// Adds waiting clicks and events to their page view once it is stored, as if each import that contained them
// were repeated now, in the original order.

import { countNoted, note, noted } from '../../change/noted';
import { emptyBatch, type RowBatch, rowBatch, valueAt } from '../../rows/row-batch';
import type { ConflictRule } from '../conflict-rules';
import { rejectionOf } from '../import-record';
import type { LoaderContext } from '../loader-context';
import { recordRejections } from '../record-import';
import { recordedRows } from '../record-sets';
import { type ViewRowLoader, viewRowLoader } from './view-row-loader';
import { addWaiting, type WaitingRow, withoutArrival } from './waiting-rows';

type PlacingContext = Omit<
  LoaderContext,
  'material' | 'sourceName' | 'onConflict' | 'duplicates' | 'importId'
>;

const ARRIVED = 'arrived_row';

/**
 * If there are at most this many waiting rows, all of them are tried. If there are more, the rows of the new views are looked up.
 */
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
         FROM (${recordedRows("table_name = 'page_view'")}) r JOIN analytics.page_view v ON v.site_id = $1 AND v.pv_id = r.row_id)
     ${['pv_id', 'session_id', 'reader_id'].map(found).join(' UNION ')}`,
    [siteId, importId],
  );
  await countNoted(client);
  await placeWaiting(context, importId, `w.waiting_id IN (${noted(ARRIVED)})`);
}

/** A row as a file contained it. */
interface Arrival extends WaitingRow {
  /** The number of the file; later files have higher numbers. */
  readonly arrival: number;
  readonly importId: number;
  readonly line: number;
  readonly sourceName: string | null;
  readonly onConflict: ConflictRule;
  readonly canUndo: boolean;
}

/** Places the rows `w` that meet a condition and whose view is stored. */
export async function placeWaiting(context: PlacingContext, placedBy: number, among: string): Promise<void> {
  const { client, siteId, limits } = context;
  let open: Placing | undefined;
  await client.query(arrivalsOf(among), [siteId]);
  for (;;) {
    const { rows } = await client.query<Arrival>(`FETCH ${limits.batchRows} FROM arrivals`);
    if (rows.length === 0) break;
    for (const [arrival, ofFile] of Map.groupBy(rows, (row) => row.arrival)) {
      if (open === undefined || !ofFile.every(isOf(open))) {
        await open?.loader.finish();
        open = await openPlacing(context, ofFile);
      } else if (open.arrival !== arrival) await open.loader.nextFile();
      open.arrival = arrival;
      await placeRows(open, ofFile, placedBy);
    }
  }
  await client.query('CLOSE arrivals');
  await open?.loader.finish();
}

const arrivalsOf = (among: string): string => `
DECLARE arrivals NO SCROLL CURSOR FOR
 SELECT w.waiting_id::float8 AS id, w.material, w.facts, extract(epoch FROM w.at)::float8 AS at,
        w.pv_id::float8 AS pv_id, w.session_id::float8 AS session_id, w.reader_id::float8 AS reader_id,
        a.arrival::float8 AS arrival, a.import_id AS "importId", a.line::float8 AS line,
        r.source_name AS "sourceName", r.on_conflict AS "onConflict", r.can_undo AS "canUndo"
   FROM analytics.waiting_row w, unnest(w.import_ids, w.arrivals, w.lines) AS a(import_id, arrival, line)
   JOIN analytics.import_run r ON r.import_id = a.import_id
  WHERE w.site_id = $1 AND w.row_id IS NULL AND ${among} ORDER BY a.arrival, a.line, w.waiting_id`;

/** The import whose rows are being placed. */
interface Placing {
  readonly context: LoaderContext;
  readonly importId: number;
  readonly loader: ViewRowLoader;
  readonly batch: RowBatch;
  /** The file whose rows are being placed. */
  arrival: number;
}

const isOf =
  ({ importId, context: { material } }: Placing) =>
  (row: Arrival): boolean =>
    row.importId === importId && row.material === material.name;

async function openPlacing(context: PlacingContext, [first]: readonly Arrival[]): Promise<Placing> {
  const material = context.manifest.materials.get(first?.material ?? '');
  if (first === undefined || material === undefined)
    throw new Error(`Rows of ${first?.material} cannot wait.`);
  const { importId, arrival, sourceName, onConflict, canUndo } = first;
  const own: LoaderContext = {
    ...context,
    material,
    sourceName: sourceName ?? undefined,
    onConflict,
    duplicates: 'refuse',
    isPlacing: true,
    importId: canUndo ? importId : undefined,
  };
  const loader = await viewRowLoader(own);
  return { context: own, importId, loader, batch: rowBatch(loader.checker.extrasPerRow), arrival };
}

async function placeRows(
  { context, importId, loader, batch }: Placing,
  rows: readonly Arrival[],
  placedBy: number,
): Promise<void> {
  const { client, siteId } = context;
  for (const one of rows) addWaiting(loader, batch, one);
  const rejections = await loader.write(batch);
  const faults = new Map(rejections.map((one) => [one.row, one.fault]));
  const field = loader.layout.fieldOf(loader.rowId);
  const placed = rows.flatMap(({ id }, row) => {
    const number = valueAt(batch, row, field);
    return Number.isNaN(number) || faults.has(row) ? [] : [{ id, number }];
  });
  const rejected = rows.flatMap((row, place) => {
    const fault = faults.get(place);
    return fault === undefined ? [] : [{ ...row, fault }];
  });
  emptyBatch(batch);
  await client.query(PLACED, [siteId, JSON.stringify(placed), placedBy]);
  if (rejected.length === 0) return;
  const ids = rejected.map(({ id }) => id);
  // A row that does not match its view is rejected by its import, as it would have been if the view had existed.
  await recordRejections(
    client,
    importId,
    rejected.map(({ line, fault }) =>
      rejectionOf({ line, column: fault.column ?? null, value: null, reason: fault.message }),
    ),
  );
  await client.query(
    'UPDATE analytics.import_run SET rows_rejected = rows_rejected + $2 WHERE import_id = $1',
    [importId, rejected.length],
  );
  await client.query(WITHOUT_ARRIVAL, [siteId, ids, rejected.map(({ arrival }) => arrival)]);
  await client.query(WITHOUT_ANY, [siteId, ids]);
}

const PLACED = `
UPDATE analytics.waiting_row w SET row_id = u.number, placed_by = $3
  FROM json_to_recordset($2) AS u(id bigint, number bigint) WHERE w.site_id = $1 AND w.waiting_id = u.id`;

const WITHOUT_ARRIVAL = `
UPDATE analytics.waiting_row w SET ${withoutArrival('array_position(w.arrivals, u.arrival)')}
  FROM unnest($2::bigint[], $3::bigint[]) AS u(id, arrival) WHERE w.site_id = $1 AND w.waiting_id = u.id`;
const WITHOUT_ANY = `DELETE FROM analytics.waiting_row WHERE site_id = $1 AND waiting_id = ANY($2::bigint[]) AND arrivals = '{}'`;

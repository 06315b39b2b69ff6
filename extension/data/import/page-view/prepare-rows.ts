// The steps of a batch of page views before it is sessionized.
import type { Fingerprinter } from '../fingerprint';
import { fingerprintText } from '../fingerprint';
import { FIRST_GENERATED_ID, type IdCounters, SESSION_READER_BASE } from '../generated-ids';
import type { LoaderContext } from '../loader-context';
import type { RowBatch } from '../row-batch';
import { storedIds, storedViewPrints } from '../stored-keys';
import { ALONE, GENERATED, VISIT_TRAFFIC, type ViewFields } from './view-fields';

const OPEN_FIELDS = [
  'pv_id',
  'session_id',
  'pv',
  'is_last',
  'prev_page_id',
  'next_page_id',
  'is_newuser',
] as const;

/** Marks in each new row of the batch what must be generated, and gives rows without a pv_id their fingerprint. */
export function prepareRows(
  batch: RowBatch,
  fields: ViewFields,
  { siteId, browseSec }: Pick<LoaderContext, 'siteId' | 'browseSec'>,
  fingerprint: Fingerprinter,
): void {
  const { values, shape } = batch;
  for (let row = batch.first; row < batch.end; row += 1) {
    const base = row * shape.width;
    let generated = 0;
    for (const name of OPEN_FIELDS)
      if (Number.isNaN(values[base + fields[name]] ?? 0)) generated |= GENERATED[name];
    const reader = values[base + fields.reader_id] ?? 0;
    if (Number.isNaN(reader)) {
      generated |= GENERATED.reader_id;
      const session = values[base + fields.session_id] ?? 0;
      if (Number.isNaN(session)) generated |= ALONE;
      else values[base + fields.reader_id] = SESSION_READER_BASE + session;
    } else if (reader >= FIRST_GENERATED_ID) generated |= GENERATED.reader_id;
    if (browseSec && Number.isNaN(values[base + fields.browse_sec] ?? 0)) generated |= GENERATED.browse_sec;
    if (fields.traffic.every(({ visit }) => Number.isNaN(values[base + visit] ?? 0)))
      generated |= VISIT_TRAFFIC;
    values[base + fields.generated] = generated;
    values[base + fields.site_id] = siteId;
    if ((generated & GENERATED.pv_id) === 0) continue;
    fingerprint(batch, row);
    values[base + fields.fingerprint] = 1;
  }
}

interface SortedRows {
  readonly fresh: Uint32Array;
  /** Rows that are stored already; their pv_id is that of the stored row. */
  readonly stored: Uint32Array;
}

/** Tells the rows that are new from those that the database holds. */
export async function sortRows(
  context: LoaderContext,
  batch: RowBatch,
  rows: Uint32Array,
  fields: ViewFields,
): Promise<SortedRows> {
  const { values, shape } = batch;
  const value = (row: number, field: number): number => values[row * shape.width + field] ?? 0;
  const hasGivenId = (row: number): boolean => (value(row, fields.generated) & GENERATED.pv_id) === 0;
  const ids: number[] = [];
  const prints: string[] = [];
  const times: number[] = [];
  for (const row of rows) {
    if (hasGivenId(row)) ids.push(value(row, fields.pv_id));
    else {
      prints.push(fingerprintText(batch, row));
      times.push(value(row, fields.at));
    }
  }
  const knownIds = await storedIds(context, 'page_view', 'pv_id', ids);
  const knownPrints = await storedViewPrints(context, prints, times);
  const isFresh = (row: number): boolean => {
    if (hasGivenId(row)) return !knownIds.has(value(row, fields.pv_id));
    const id = knownPrints.get(fingerprintText(batch, row));
    if (id === undefined) return true;
    values[row * shape.width + fields.pv_id] = id;
    return false;
  };
  const fresh = rows.filter(isFresh);
  const isNew = new Set(fresh);
  return { fresh, stored: rows.filter((row) => !isNew.has(row)) };
}

/** What the file gave in a field of a row, or NaN: not what the importer generated. */
export function givenValue(
  { values, shape }: Pick<RowBatch, 'values' | 'shape'>,
  row: number,
  field: number,
  fields: ViewFields,
): number {
  const base = row * shape.width;
  const value = values[base + field] ?? Number.NaN;
  const generated = values[base + fields.generated] ?? 0;
  const bit = fields.bits.get(field);
  if (bit === undefined || (generated & bit) === 0) return value;
  // A reader that the file names by the site's own id is given, although its number is not.
  const isNamed = field === fields.reader_id && (generated & ALONE) === 0 && value < SESSION_READER_BASE;
  return isNamed ? value : Number.NaN;
}

/** Leaves in rows that are stored already only what the file gave. */
export function clearGenerated({ values, shape }: RowBatch, rows: Uint32Array, fields: ViewFields): void {
  for (const row of rows) {
    for (const field of fields.bits.keys()) {
      if (field === fields.pv_id) continue;
      const given = givenValue({ values, shape }, row, field, fields);
      values[row * shape.width + field] = given;
    }
  }
}

/** Gives ids to rows that turned out to be new, in the order of the file. */
export function generateIds(
  { values, shape }: RowBatch,
  rows: Uint32Array,
  fields: ViewFields,
  counters: IdCounters,
): void {
  for (const row of rows) {
    const base = row * shape.width;
    if (Number.isNaN(values[base + fields.pv_id] ?? 0)) values[base + fields.pv_id] = counters.view();
    if (Number.isNaN(values[base + fields.reader_id] ?? 0))
      values[base + fields.reader_id] = counters.reader();
  }
}

/**
 * Takes back the generated sessions of a batch: rows that turn out to be stored already may have joined two of them. The
 * sessions of rows held from before are held as a whole, so no stored row has their ids.
 */
export function forgetSessions({ values, shape, start, end }: RowBatch, fields: ViewFields): void {
  for (let row = start; row < end; row += 1) {
    const generated = values[row * shape.width + fields.generated] ?? 0;
    if ((generated & GENERATED.session_id) !== 0) values[row * shape.width + fields.session_id] = Number.NaN;
  }
}

// The steps of a batch of page views before it is sessionized.
import type { Fingerprinter } from '../fingerprint';
import { fingerprintText } from '../fingerprint';
import { FIRST_GENERATED_ID, type IdCounters, SESSION_READER_BASE } from '../generated-ids';
import type { LoaderContext } from '../loader-context';
import type { RowBatch } from '../row-batch';
import { storedFingerprints, storedIds } from '../stored-keys';
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
  siteId: number,
  fingerprint: Fingerprinter,
  { browseSec }: { readonly browseSec: boolean },
): void {
  const { values, shape } = batch;
  for (let row = batch.first; row < batch.end; row += 1) {
    const base = row * shape.width;
    if (Number.isNaN(values[base + fields.pv_id] ?? 0)) {
      fingerprint(batch, row);
      values[base + fields.fingerprint] = 1;
    }
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
  }
}

/**
 * The rows of the batch that are new, in the order of the file: not twice in the batch and, if `mayBeStored`, not in the
 * database. The row that came first stays as it is.
 */
export async function newRows(
  context: LoaderContext,
  batch: RowBatch,
  fields: ViewFields,
  mayBeStored: boolean,
): Promise<Uint32Array> {
  const { values, shape, start, end } = batch;
  const value = (row: number, field: number): number => values[row * shape.width + field] ?? 0;
  const hasGivenId = (row: number): boolean => (value(row, fields.generated) & GENERATED.pv_id) === 0;
  const rows = new Uint32Array(end - start).map((_, i) => start + i);
  const seen = new Set<number>();
  const once = rows.filter((row) => {
    if (!hasGivenId(row)) return true;
    const before = seen.size;
    seen.add(value(row, fields.pv_id));
    return seen.size > before;
  });
  if (!mayBeStored) return once;

  const ids: number[] = [];
  const prints: string[] = [];
  for (const row of once) {
    if (hasGivenId(row)) ids.push(value(row, fields.pv_id));
    else prints.push(fingerprintText(batch, row));
  }
  const knownIds = await storedIds(context, 'page_view', 'pv_id', ids);
  const knownPrints = await storedFingerprints(context, 'page_view', prints);
  return once.filter((row) =>
    hasGivenId(row) ? !knownIds.has(value(row, fields.pv_id)) : !knownPrints.has(fingerprintText(batch, row)),
  );
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

// The steps for a batch of page views before it is sessionized.
import { FIRST_GENERATED_ID, type IdCounters, NAMED_BY, SESSION_READER_BASE } from '../../rows/generated-ids';
import type { RowBatch } from '../../rows/row-batch';
import type { LoaderContext } from '../loader-context';
import type { ViewFields } from './view-fields';

/** Whether an id is missing or was generated. */
export const isGenerated = (id: number): boolean => !(id < FIRST_GENERATED_ID);

/** Marks in each new row of the batch which values the file contains. */
export function prepareRows(
  batch: RowBatch,
  fields: ViewFields,
  { siteId, browseSec }: Pick<LoaderContext, 'siteId' | 'browseSec'>,
  ownSource: number,
): void {
  const { values, shape } = batch;
  for (let row = 0; row < batch.end; row += 1) {
    const base = row * shape.width;
    for (const [field, given] of fields.given) values[base + given] = values[base + field] ?? Number.NaN;
    const reader = values[base + fields.reader_id] ?? Number.NaN;
    const session = values[base + fields.session_id] ?? Number.NaN;
    if (!Number.isNaN(reader)) {
      if (Number.isNaN(values[base + fields.named_by] ?? Number.NaN))
        values[base + fields.named_by] = isGenerated(reader) ? NAMED_BY.original : NAMED_BY.number;
    } else if (Number.isNaN(session)) values[base + fields.named_by] = NAMED_BY.nothing;
    else {
      values[base + fields.named_by] = NAMED_BY.visit;
      values[base + fields.reader_id] = SESSION_READER_BASE + session;
    }
    if (browseSec && Number.isNaN(values[base + fields.browse_sec] ?? 0))
      values[base + fields.is_browse_derived] = 1;
    if (fields.traffic.some(({ visit }) => !Number.isNaN(values[base + visit] ?? 0)))
      values[base + fields.is_visit_traffic] = 1;
    values[base + fields.site_id] = siteId;
    if (Number.isNaN(values[base + fields.source_no] ?? 0)) values[base + fields.source_no] = ownSource;
  }
}

/** The value from the file in a field of a row, or NaN; not what the importer generated. */
export function givenValue(
  { values, shape }: Pick<RowBatch, 'values' | 'shape'>,
  row: number,
  field: number,
  fields: ViewFields,
): number {
  const stored = (place: number): number => values[row * shape.width + place] ?? Number.NaN;
  const value = stored(fields.given.get(field) ?? field);
  const isDerived =
    ((field === fields.pv_id || field === fields.session_id) && isGenerated(value)) ||
    // A reader that the file identifies by the site's own id counts as given, although its number does not.
    (field === fields.reader_id && stored(fields.named_by) >= NAMED_BY.visit) ||
    (field === fields.browse_sec && stored(fields.is_browse_derived) === 1) ||
    (stored(fields.is_visit_traffic) !== 1 && fields.traffic.some(({ visit }) => visit === field));
  return isDerived ? Number.NaN : value;
}

/** Marks in a row the values that a later row with its key also contains. */
export function mergeMarks(
  { values, shape }: RowBatch,
  fields: ViewFields,
  first: number,
  row: number,
): void {
  const [to, from] = [first * shape.width, row * shape.width];
  for (const given of fields.given.values()) {
    const value = values[from + given] ?? Number.NaN;
    if (!Number.isNaN(value)) values[to + given] = value;
  }
  if (values[from + fields.is_visit_traffic] === 1) values[to + fields.is_visit_traffic] = 1;
  if (values[from + fields.is_browse_derived] !== 1) values[to + fields.is_browse_derived] = Number.NaN;
  const [before, named] = [values[to + fields.named_by] ?? 0, values[from + fields.named_by] ?? 0];
  values[to + fields.named_by] = named < NAMED_BY.visit ? named : Math.min(before, named);
}

/** Removes everything but the file's own values from rows that are already stored. */
export function clearGenerated(
  { values, shape }: RowBatch,
  rows: Iterable<number>,
  fields: ViewFields,
): void {
  const cleared = [
    ...fields.given.keys(),
    fields.session_id,
    fields.reader_id,
    fields.browse_sec,
    ...fields.traffic.map(({ visit }) => visit),
  ];
  for (const row of rows)
    for (const field of cleared)
      values[row * shape.width + field] = givenValue({ values, shape }, row, field, fields);
}

/** Assigns ids to rows that turned out to be new, in file order. */
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

// Adds the values that rows of page views need in addition to those from their file.
import { GIVEN_FIELDS, givenField, TRAFFIC_FIELDS } from '../../change/view-columns';
import { factFields, visitorOf } from '../../change/view-facts';
import { type IdCounters, isGenerated, NAMED_BY } from '../../rows/generated-ids';
import { type RowBatch, setValue, valueAt } from '../../rows/row-batch';
import type { TableLayout } from '../../rows/table-layout';

export type ViewFields = ReturnType<typeof viewFields>;

/** The position in a row of numbers of each field that the importer reads or sets. */
export const viewFields = (layout: TableLayout) => ({
  ...factFields(layout),
  site_id: layout.fieldOf('site_id'),
  pv_id: layout.fieldOf('pv_id'),
  named_by: layout.fieldOf('named_by'),
  browse_sec: layout.fieldOf('browse_sec'),
  is_browse_derived: layout.fieldOf('is_browse_derived'),
  is_visit_traffic: layout.fieldOf('is_visit_traffic'),
  /** For each derived field, the field of the given value. */
  given: new Map(GIVEN_FIELDS.map((field) => [layout.fieldOf(field), layout.fieldOf(givenField(field))])),
  traffic: TRAFFIC_FIELDS.map(layout.fieldOf),
});

/** Marks in each row what identifies the visitor, and whether its traffic and its duration come from the file. */
export function markRows(batch: RowBatch, rows: Uint32Array, fields: ViewFields, browseSec: boolean): void {
  const { columns } = batch;
  const traffic = fields.traffic.flatMap((field) => columns[field] ?? []);
  for (const row of rows) {
    const reader = valueAt(batch, row, fields.reader_id);
    if (Number.isNaN(reader)) {
      const hasVisit = !Number.isNaN(valueAt(batch, row, fields.session_id));
      setValue(batch, row, fields.named_by, hasVisit ? NAMED_BY.visit : NAMED_BY.nothing);
    } else if (Number.isNaN(valueAt(batch, row, fields.named_by)))
      setValue(batch, row, fields.named_by, isGenerated(reader) ? NAMED_BY.original : NAMED_BY.number);
    if (valueAt(batch, row, fields.is_browse_derived) === 1)
      setValue(batch, row, fields.browse_sec, Number.NaN);
    else if (browseSec && Number.isNaN(valueAt(batch, row, fields.browse_sec)))
      setValue(batch, row, fields.is_browse_derived, 1);
    for (const values of traffic)
      if (!Number.isNaN(values[row] ?? Number.NaN)) setValue(batch, row, fields.is_visit_traffic, 1);
  }
}

/** Copies the marks of values that a later row with the same key contains. */
export function mergeMarks(batch: RowBatch, fields: ViewFields, first: number, row: number): void {
  const copy = (mark: number): void => setValue(batch, first, mark, valueAt(batch, row, mark));
  if (!Number.isNaN(valueAt(batch, row, fields.reader_id))) copy(fields.named_by);
  if (!Number.isNaN(valueAt(batch, row, fields.browse_sec))) copy(fields.is_browse_derived);
  if (valueAt(batch, row, fields.is_visit_traffic) === 1) copy(fields.is_visit_traffic);
}

/** Completes new rows in file order: sets their ids, and copies given values into a second field if they may also be derived. */
export function completeNew(
  batch: RowBatch,
  rows: Uint32Array,
  fields: ViewFields,
  counters: IdCounters,
): void {
  for (const [field, given] of fields.given) {
    const values = batch.columns[field];
    if (values !== undefined) for (const row of rows) setValue(batch, row, given, values[row] ?? Number.NaN);
  }
  for (const row of rows) {
    if (Number.isNaN(valueAt(batch, row, fields.pv_id))) setValue(batch, row, fields.pv_id, counters.view());
    setValue(batch, row, fields.reader_id, visitorOf(batch, row, fields) ?? counters.reader());
  }
}

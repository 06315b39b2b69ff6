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
  /** Derived field -> the field of the given value. */
  given: new Map(GIVEN_FIELDS.map((field) => [layout.fieldOf(field), layout.fieldOf(givenField(field))])),
  traffic: TRAFFIC_FIELDS.map(layout.fieldOf),
});

/** Marks in each row what identifies the visitor, and whether its traffic and its duration come from the file. */
export function markRows(batch: RowBatch, rows: Uint32Array, fields: ViewFields, browseSec: boolean): void {
  const isEmpty = (row: number, field: number): boolean => Number.isNaN(valueAt(batch, row, field));
  for (const row of rows) {
    const set = (field: number, value: number): void => setValue(batch, row, field, value);
    if (isEmpty(row, fields.reader_id))
      set(fields.named_by, isEmpty(row, fields.session_id) ? NAMED_BY.nothing : NAMED_BY.visit);
    else if (isEmpty(row, fields.named_by)) {
      const isOfSite = isGenerated(valueAt(batch, row, fields.reader_id));
      set(fields.named_by, isOfSite ? NAMED_BY.original : NAMED_BY.number);
    }
    if (valueAt(batch, row, fields.is_browse_derived) === 1) set(fields.browse_sec, Number.NaN);
    else if (browseSec && isEmpty(row, fields.browse_sec)) set(fields.is_browse_derived, 1);
    if (fields.traffic.some((field) => !isEmpty(row, field))) set(fields.is_visit_traffic, 1);
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
  for (const row of rows) {
    for (const [field, given] of fields.given) setValue(batch, row, given, valueAt(batch, row, field));
    if (Number.isNaN(valueAt(batch, row, fields.pv_id))) setValue(batch, row, fields.pv_id, counters.view());
    setValue(batch, row, fields.reader_id, visitorOf(batch, row, fields) ?? counters.reader());
  }
}

// The facts that identify a view without a given id: its time, page and source, and its visitor if it has one.
import { FIRST_GENERATED_ID, NAMED_BY, SESSION_READER_BASE } from '../rows/generated-ids';
import { type RowBatch, valueAt } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';

export interface ViewFacts {
  /** The row's index in the batch. */
  readonly row: number;
  /** Epoch seconds. */
  readonly at: number;
  readonly page: number;
  /** Null if nothing identifies the visitor. */
  readonly visitor: number | null;
  readonly source: number;
}

/** The position of each fact in a row of numbers. */
export const factFields = ({ fieldOf }: TableLayout) => ({
  at: fieldOf('at'),
  page_id: fieldOf('page_id'),
  reader_id: fieldOf('reader_id'),
  session_id: fieldOf('session_id'),
  source_no: fieldOf('source_no'),
});
type FactFields = Readonly<ReturnType<typeof factFields>>;

export const factsOf = (batch: RowBatch, row: number, fields: FactFields): ViewFacts => ({
  row,
  at: valueAt(batch, row, fields.at),
  page: valueAt(batch, row, fields.page_id),
  source: valueAt(batch, row, fields.source_no),
  visitor: visitorOf(batch, row, fields),
});

/** The visitor of a new row: the one that it names, or else the one generated for its given visit. */
export function visitorOf(
  batch: RowBatch,
  row: number,
  fields: Pick<FactFields, 'reader_id' | 'session_id'>,
): number | null {
  const reader = valueAt(batch, row, fields.reader_id);
  if (!Number.isNaN(reader)) return reader;
  const visit = valueAt(batch, row, fields.session_id);
  return Number.isNaN(visit) ? null : SESSION_READER_BASE + visit;
}

/** The facts about views, as parameters for FACTS. */
export const factLists = (views: readonly ViewFacts[]): readonly unknown[] => [
  views.map(({ at }) => at),
  views.map(({ page }) => page),
  views.map(({ visitor }) => visitor),
  views.map(({ source }) => source),
];

/** SQL: a table `u` of the facts in `$2` to `$5`, with `place` numbering them from 1. */
export const FACTS =
  'unnest($2::float8[], $3::integer[], $4::bigint[], $5::smallint[]) WITH ORDINALITY AS u(at, page, visitor, source, place)';

/** SQL: whether a view `v` without a given id has the facts `u`. All conditions are equalities, which a hash join needs. */
export const HAS_FACTS = `v.at = to_timestamp(u.at) AND v.page_id = u.page AND v.source_no = u.source AND v.pv_id >= ${FIRST_GENERATED_ID}
   AND CASE WHEN v.named_by <> ${NAMED_BY.nothing} THEN v.reader_id ELSE -1 END = coalesce(u.visitor, -1)`;

// The fields of a page view that the importer computes if the file does not contain them.
import { GIVEN_FIELDS, givenField, TRAFFIC_FIELDS, viewField } from '../../change/view-columns';
import type { TableLayout } from '../../rows/table-layout';

type PlainField =
  | ('at' | 'page_id' | 'site_id' | 'source_no' | 'pv_id' | 'session_id' | 'reader_id' | 'named_by')
  | ('browse_sec' | 'is_browse_derived' | 'is_visit_traffic');

/** The places of fields in a row of numbers. */
export type ViewFields = Readonly<Record<PlainField | (typeof GIVEN_FIELDS)[number], number>> & {
  readonly traffic: readonly { readonly visit: number; readonly view: number }[];
  /** Derived field -> the field of the given value. */
  readonly given: ReadonlyMap<number, number>;
};

/** The places of the fields in this layout. */
export function viewFields({ fieldOf }: TableLayout): ViewFields {
  return {
    at: fieldOf('at'),
    page_id: fieldOf('page_id'),
    site_id: fieldOf('site_id'),
    source_no: fieldOf('source_no'),
    pv_id: fieldOf('pv_id'),
    session_id: fieldOf('session_id'),
    reader_id: fieldOf('reader_id'),
    named_by: fieldOf('named_by'),
    pv: fieldOf('pv'),
    is_last: fieldOf('is_last'),
    prev_page_id: fieldOf('prev_page_id'),
    next_page_id: fieldOf('next_page_id'),
    is_newuser: fieldOf('is_newuser'),
    browse_sec: fieldOf('browse_sec'),
    is_browse_derived: fieldOf('is_browse_derived'),
    is_visit_traffic: fieldOf('is_visit_traffic'),
    given: new Map(GIVEN_FIELDS.map((field) => [fieldOf(field), fieldOf(givenField(field))])),
    traffic: TRAFFIC_FIELDS.map((field) => ({ visit: fieldOf(field), view: fieldOf(viewField(field)) })),
  };
}

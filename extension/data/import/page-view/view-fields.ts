// The fields of a page view that the importer computes if the file does not give them.
import type { TableLayout } from '../../rows/table-layout';

/** Fields with a derived value, which is the given one where the file gave one: `given_...` is null where it did not. */
export const GIVEN_FIELDS = ['pv', 'is_last', 'prev_page_id', 'next_page_id', 'is_newuser'] as const;
export const givenField = <T extends string>(field: T): `given_${T}` => `given_${field}`;

/** Fields that a visit takes from its first view, and the fields of the view itself. */
export const TRAFFIC_FIELDS = ['source_id', 'medium_id', 'campaign_id', 'content_id'] as const;
export const viewField = <T extends string>(field: T): `view_${T}` => `view_${field}`;

/** A longer pause between two views of a visitor begins a new session. */
export const SESSION_GAP_SECONDS = 1800;

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

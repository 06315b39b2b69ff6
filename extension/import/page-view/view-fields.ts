// Owns the places of the fields of a page view that the importer computes, and the bits of `made`.
// Table layout -> field numbers. A bit of `made` says that the value was computed here and may be computed again.
import type { TableLayout } from '../table-layout';

/** Bits of analytics.page_view.made. */
export const MADE = {
  pv_id: 1,
  session_id: 2,
  reader_id: 4,
  pv: 8,
  is_last: 16,
  prev_page_id: 32,
  next_page_id: 64,
  is_newuser: 128,
} as const;

/** Bit of `made` for a view that came with no visitor and no session: nothing else can ever belong to it. */
export const ALONE = 256;

export type MadeField = keyof typeof MADE;

/** A longer pause between two views of a visitor begins a new session. */
export const SESSION_GAP_SECONDS = 1800;

export type ViewFields = Readonly<
  Record<MadeField | 'at' | 'page_id' | 'site_id' | 'made' | 'fingerprint', number>
>;

/** Fields that the check of a row leaves open. */
export const COMPUTED_FIELDS: ReadonlySet<string> = new Set([...Object.keys(MADE), 'site_id', 'made']);

/** The places of the fields in a row of numbers. */
export function viewFields(layout: TableLayout): ViewFields {
  const at = layout.fieldOf;
  return {
    at: at('at'),
    page_id: at('page_id'),
    site_id: at('site_id'),
    made: at('made'),
    fingerprint: at('fingerprint'),
    pv_id: at('pv_id'),
    session_id: at('session_id'),
    reader_id: at('reader_id'),
    pv: at('pv'),
    is_last: at('is_last'),
    prev_page_id: at('prev_page_id'),
    next_page_id: at('next_page_id'),
    is_newuser: at('is_newuser'),
  };
}

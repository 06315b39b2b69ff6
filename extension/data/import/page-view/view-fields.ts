// The fields of a page view that the importer computes if the file does not give them.
import type { TableLayout } from '../table-layout';

/** Bits of page_view.generated: the importer generated this value, and may change it again. */
export const GENERATED = {
  pv_id: 1,
  session_id: 2,
  reader_id: 4,
  pv: 8,
  is_last: 16,
  prev_page_id: 32,
  next_page_id: 64,
  is_newuser: 128,
  browse_sec: 1024,
} as const;

/** Bit of page_view.generated for a view that came without visitor and session: no other view can ever belong to it. */
export const ALONE = 256;

/** Bit of page_view.generated for a view whose file says where views came from, not visits: it has the traffic of its visit. */
export const VISIT_TRAFFIC = 512;

/** Fields that a visit takes from its first view, and the fields of the view itself. */
export const TRAFFIC_FIELDS = ['source_id', 'medium_id', 'campaign_id', 'content_id'] as const;
export const viewField = <T extends string>(field: T): `view_${T}` => `view_${field}`;

/** A longer pause between two views of a visitor begins a new session. */
export const SESSION_GAP_SECONDS = 1800;

/** The places of fields in a row of numbers. */
export type ViewFields = Readonly<
  Record<keyof typeof GENERATED | 'at' | 'page_id' | 'site_id' | 'generated' | 'fingerprint', number>
> & {
  readonly traffic: readonly { readonly visit: number; readonly view: number }[];
  /** Place of a field that may be generated -> its bit. */
  readonly bits: ReadonlyMap<number, number>;
};

/** What identifies a view that has no id. The reader of a view that names only its session stands for that session. */
export const VIEW_IDENTITY = ['at', 'page_id', 'reader_id'] as const;

/** The places of the fields in this layout. */
export function viewFields({ fieldOf }: TableLayout): ViewFields {
  return {
    at: fieldOf('at'),
    page_id: fieldOf('page_id'),
    site_id: fieldOf('site_id'),
    generated: fieldOf('generated'),
    fingerprint: fieldOf('fingerprint'),
    pv_id: fieldOf('pv_id'),
    session_id: fieldOf('session_id'),
    reader_id: fieldOf('reader_id'),
    pv: fieldOf('pv'),
    is_last: fieldOf('is_last'),
    prev_page_id: fieldOf('prev_page_id'),
    next_page_id: fieldOf('next_page_id'),
    is_newuser: fieldOf('is_newuser'),
    browse_sec: fieldOf('browse_sec'),
    bits: new Map([
      ...Object.entries(GENERATED).map(([name, bit]) => [fieldOf(name), bit] as const),
      ...TRAFFIC_FIELDS.map((name) => [fieldOf(name), VISIT_TRAFFIC] as const),
    ]),
    traffic: TRAFFIC_FIELDS.map((field) => ({ visit: fieldOf(field), view: fieldOf(viewField(field)) })),
  };
}

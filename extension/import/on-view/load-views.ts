// Owns what rows must know of the page views that they happened on.
// pv_ids of a batch in -> the views that are there, by pv_id.
import type { ClientBase } from 'pg';
import { ANY_SITE } from '../planner-hints';

export interface KnownView {
  readonly at: number;
  readonly sessionId: number;
  readonly pageId: number;
}

export interface KnownViews {
  find(pvId: number): KnownView | undefined;
}

/** Looks the views up; `pvIds` may hold one more than once. */
export async function loadViews(
  client: ClientBase,
  siteId: number,
  pvIds: Float64Array,
): Promise<KnownViews> {
  // In the order of the index, so that its pages are read one after the other.
  const ids = [...new Set(pvIds.sort())];
  if (ids.length === 0) return { find: () => undefined };
  const answer = await client.query<[number, number, number, number]>({
    rowMode: 'array',
    text: `SELECT k::float8, v.at, v.session_id, v.page_id FROM unnest($2::bigint[]) k,
             LATERAL (SELECT extract(epoch FROM at)::float8 AS at, session_id::float8 AS session_id, page_id
                        FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND pv_id = k LIMIT 1) v`,
    values: [siteId, ids],
  });
  const views = new Map<number, KnownView>();
  for (const [pvId, at, sessionId, pageId] of answer.rows) views.set(pvId, { at, sessionId, pageId });
  return { find: (pvId) => views.get(pvId) };
}

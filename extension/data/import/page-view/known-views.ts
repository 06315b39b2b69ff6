// Finds the views of a batch that are already stored: by id or, without one, by time, page, visitor and source.

import { spanOf } from '../../change/piece';
import { FACTS, factLists, factsOf, HAS_FACTS, type ViewFacts } from '../../change/view-facts';
import { isGenerated } from '../../rows/generated-ids';
import { type RowBatch, valueAt } from '../../rows/row-batch';
import { ANY_SITE, withHashJoins } from '../../storage/planner';
import type { LoaderContext } from '../loader-context';
import { storedIds } from '../stored-keys';
import type { ViewFields } from './prepare-rows';

/** The ids of the rows that are already stored, by row. */
export async function findKnownViews(
  context: LoaderContext,
  batch: RowBatch,
  rows: Uint32Array,
  fields: ViewFields,
): Promise<ReadonlyMap<number, number>> {
  const idOf = (row: number): number => valueAt(batch, row, fields.pv_id);
  const given = rows.filter((row) => !isGenerated(idOf(row)));
  const known = await viewsWithIds(context, Array.from(given, idOf));
  const facts = Array.from(
    rows.filter((row) => isGenerated(idOf(row))),
    (row) => factsOf(batch, row, fields),
  );
  return new Map([
    ...known.map(({ place, id }) => [given[place - 1] ?? 0, id] as const),
    ...(await viewsWithFacts(context, facts)),
  ]);
}

/**
 * Returns which of the ids are stored, with their positions. In most imports, all ids are greater than the stored ones,
 * so none needs a lookup.
 */
async function viewsWithIds(
  context: LoaderContext,
  ids: readonly number[],
): Promise<readonly { readonly place: number; readonly id: number }[]> {
  if (ids.length === 0) return [];
  const { client, siteId } = context;
  const { low, high } = spanOf(ids);
  const some = await client.query(
    `SELECT FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND pv_id BETWEEN $2 AND $3 ORDER BY pv_id LIMIT 1`,
    [siteId, low, high],
  );
  if (some.rowCount === 0) return [];
  return storedIds(context, 'page_view', 'pv_id', [{ name: 'pv_id', type: 'int8' }], [ids]);
}

/** The ids of stored views with these facts, by row. */
async function viewsWithFacts(
  { client, siteId }: LoaderContext,
  all: readonly ViewFacts[],
): Promise<readonly (readonly [row: number, id: number])[]> {
  if (all.length === 0) return [];
  const { low, high } = spanOf(all.map(({ at }) => at));
  const bounds = await client.query<{ first: number | null; last: number | null }>(STORED_SPAN, [
    siteId,
    low,
    high,
  ]);
  const { first = null, last = null } = bounds.rows[0] ?? {};
  const candidates = all.filter(({ at }) => first !== null && last !== null && at >= first && at <= last);
  if (candidates.length === 0) return [];
  const times = [...new Set(candidates.map(({ at }) => at))].map((at) => new Date(at * 1000));
  const { rows } = await withHashJoins(client, () =>
    client.query<{ place: number; id: number }>(STORED_VIEWS, [siteId, ...factLists(candidates), times]),
  );
  return rows.map(({ place, id }) => [candidates[place - 1]?.row ?? 0, id]);
}

const timeOf = (order: 'ASC' | 'DESC'): string => `
(SELECT extract(epoch FROM at)::float8 FROM analytics.page_view
  WHERE site_id = ${ANY_SITE} AND at BETWEEN to_timestamp($2::float8) AND to_timestamp($3::float8) ORDER BY at ${order} LIMIT 1)`;

/** Most imports are newer than all stored views, so none of their rows has to be looked up. */
const STORED_SPAN = `SELECT ${timeOf('ASC')} AS first, ${timeOf('DESC')} AS last`;

/** If several stored views have the same facts, the one with the lowest id is used. */
const STORED_VIEWS = `
SELECT u.place::float8 AS place, min(v.pv_id)::float8 AS id FROM ${FACTS}
  JOIN analytics.page_view v ON ${HAS_FACTS} AND v.site_id = ${ANY_SITE} AND v.at = ANY($6::timestamptz[]) GROUP BY u.place`;

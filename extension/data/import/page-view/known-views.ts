// Finds the views of a batch that are already stored: by id, or without one by time, page, visitor and source.

import { FIRST_GENERATED_ID, NAMED_BY } from '../../rows/generated-ids';
import type { RowBatch } from '../../rows/row-batch';
import { ANY_SITE } from '../../storage/planner';
import type { LoaderContext } from '../loader-context';
import { storedNumbers } from '../stored-keys';
import { isGenerated } from './prepare-rows';
import type { ViewFields } from './view-fields';

/** The ids of the rows that are stored already, by row. */
export async function findKnownViews(
  context: LoaderContext,
  batch: RowBatch,
  rows: Uint32Array,
  fields: ViewFields,
): Promise<ReadonlyMap<number, number>> {
  const { values, shape } = batch;
  const value = (row: number, field: number): number => values[row * shape.width + field] ?? 0;
  const hasGivenId = (row: number): boolean => !isGenerated(value(row, fields.pv_id));
  const given = rows.filter(hasGivenId);
  const known = await viewsWithIds(
    context,
    Array.from(given, (row) => value(row, fields.pv_id)),
  );
  const facts = Array.from(
    rows.filter((row) => !hasGivenId(row)),
    (row) => ({
      ...{ row, at: value(row, fields.at), page: value(row, fields.page_id) },
      visitor: value(row, fields.named_by) === NAMED_BY.nothing ? null : value(row, fields.reader_id),
      source: value(row, fields.source_no),
    }),
  );
  return new Map([
    ...known.map(({ place, id }) => [given[place - 1] ?? 0, id] as const),
    ...(await viewsWithFacts(context, facts)),
  ]);
}

/** The stored ones of these ids, with their places. Most imports have ids greater than all stored ones, which need no look-up. */
async function viewsWithIds(
  context: LoaderContext,
  ids: readonly number[],
): Promise<readonly { readonly place: number; readonly id: number }[]> {
  if (ids.length === 0) return [];
  const { client, siteId } = context;
  const [low, high] = ids.reduce(([least, most], id) => [Math.min(least, id), Math.max(most, id)] as const, [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as const);
  const some = await client.query(
    `SELECT FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND pv_id BETWEEN $2 AND $3 LIMIT 1`,
    [siteId, low, high],
  );
  if (some.rowCount === 0) return [];
  return storedNumbers(context, 'page_view', 'pv_id', [{ name: 'pv_id', type: 'int8' }], [ids]);
}

/** The facts that identify a view without an id. */
interface ViewFacts {
  readonly row: number;
  /** Epoch seconds. */
  readonly at: number;
  readonly page: number;
  /** Null if nothing names the visitor. */
  readonly visitor: number | null;
  readonly source: number;
}

/** The ids of stored views with these facts, by row. */
async function viewsWithFacts(
  { client, siteId }: LoaderContext,
  all: readonly ViewFacts[],
): Promise<readonly (readonly [row: number, id: number])[]> {
  if (all.length === 0) return [];
  const span = all.reduce(([first, last], { at }) => [Math.min(first, at), Math.max(last, at)] as const, [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as const);
  const bounds = await client.query<{ first: number | null; last: number | null }>(STORED_SPAN, [
    siteId,
    ...span,
  ]);
  const { first = null, last = null } = bounds.rows[0] ?? {};
  const asked = all.filter(({ at }) => first !== null && last !== null && at >= first && at <= last);
  if (asked.length === 0) return [];
  const { rows } = await client.query<[row: number, id: number]>({
    rowMode: 'array',
    text: STORED_VIEWS,
    values: [
      ...[siteId, asked.map(({ row }) => row), asked.map(({ at }) => at), asked.map(({ page }) => page)],
      ...[asked.map(({ visitor }) => visitor), asked.map(({ source }) => source)],
    ],
  });
  return rows;
}

const timeOf = (order: 'ASC' | 'DESC'): string => `
  (SELECT extract(epoch FROM at)::float8 FROM analytics.page_view
    WHERE site_id = ${ANY_SITE} AND at BETWEEN to_timestamp($2::float8) AND to_timestamp($3::float8) ORDER BY at ${order} LIMIT 1)`;

/** Most imports are newer than all stored views, so none of their rows has to be looked up. */
const STORED_SPAN = `SELECT ${timeOf('ASC')} AS first, ${timeOf('DESC')} AS last`;

const SAME = `site_id = ${ANY_SITE} AND at = to_timestamp(u.at) AND page_id = u.page AND source_no = u.source AND pv_id >= ${FIRST_GENERATED_ID}`;

const STORED_VIEWS = `
SELECT u.row, v.id FROM unnest($2::integer[], $3::float8[], $4::integer[], $5::bigint[], $6::smallint[]) AS u(row, at, page, visitor, source),
  LATERAL ((SELECT pv_id::float8 AS id FROM analytics.page_view WHERE ${SAME} AND reader_id = u.visitor LIMIT 1)
           UNION ALL
           (SELECT pv_id::float8 FROM analytics.page_view
             WHERE u.visitor IS NULL AND ${SAME} AND named_by = ${NAMED_BY.nothing} LIMIT 1)) v`;

// Finds the views of a batch that are already stored: by id, or without one by time, page, visitor and source.
import { ANY_SITE } from '../../storage/planner';
import { FIRST_GENERATED_ID } from '../generated-ids';
import type { LoaderContext } from '../loader-context';
import type { RowBatch } from '../row-batch';
import { storedIds } from '../stored-keys';
import { isGenerated } from './prepare-rows';
import { NAMED_BY, type ViewFields } from './view-fields';

interface SortedRows {
  readonly fresh: Uint32Array;
  /** Rows that are stored already; their pv_id is that of the stored row. */
  readonly stored: Uint32Array;
}

interface SortRules {
  readonly fields: ViewFields;
  readonly sourceNo: number;
}

/** Separates new rows from stored ones. */
export async function sortRows(
  context: LoaderContext,
  batch: RowBatch,
  rows: Uint32Array,
  { fields, sourceNo }: SortRules,
): Promise<SortedRows> {
  const { values, shape } = batch;
  const value = (row: number, field: number): number => values[row * shape.width + field] ?? 0;
  const hasGivenId = (row: number): boolean => !isGenerated(value(row, fields.pv_id));
  const given = rows.filter(hasGivenId);
  const known = await viewsWithIds(
    context,
    Array.from(given, (row) => value(row, fields.pv_id)),
  );
  const stored = new Set(given.filter((row) => known.has(value(row, fields.pv_id))));
  const facts = Array.from(
    rows.filter((row) => !hasGivenId(row)),
    (row) => ({
      ...{ row, at: value(row, fields.at), page: value(row, fields.page_id) },
      visitor: value(row, fields.named_by) === NAMED_BY.nothing ? null : value(row, fields.reader_id),
    }),
  );
  for (const [row, id] of await viewsWithFacts(context, sourceNo, facts)) {
    values[row * shape.width + fields.pv_id] = id;
    stored.add(row);
  }
  return { fresh: rows.filter((row) => !stored.has(row)), stored: rows.filter((row) => stored.has(row)) };
}

/** The stored ones of these ids. Most imports have ids greater than all stored ones, which need no look-up. */
async function viewsWithIds(context: LoaderContext, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return NO_IDS;
  const { client, siteId } = context;
  const [low, high] = ids.reduce(([least, most], id) => [Math.min(least, id), Math.max(most, id)] as const, [
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ] as const);
  const some = await client.query(
    `SELECT FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND pv_id BETWEEN $2 AND $3 LIMIT 1`,
    [siteId, low, high],
  );
  return some.rowCount === 0 ? NO_IDS : storedIds(context, 'page_view', 'pv_id', ids);
}

const NO_IDS: ReadonlySet<number> = new Set();

/** The facts, besides the source, that identify a view without an id. */
interface ViewFacts {
  readonly row: number;
  /** Epoch seconds. */
  readonly at: number;
  readonly page: number;
  /** Null if nothing names the visitor. */
  readonly visitor: number | null;
}

/** The ids of stored views with these facts, by row. */
async function viewsWithFacts(
  { client, siteId }: LoaderContext,
  sourceNo: number,
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
      ...[siteId, sourceNo, asked.map(({ row }) => row), asked.map(({ at }) => at)],
      ...[asked.map(({ page }) => page), asked.map(({ visitor }) => visitor)],
    ],
  });
  return rows;
}

const timeOf = (order: 'ASC' | 'DESC'): string => `
  (SELECT extract(epoch FROM at)::float8 FROM analytics.page_view
    WHERE site_id = ${ANY_SITE} AND at BETWEEN to_timestamp($2::float8) AND to_timestamp($3::float8) ORDER BY at ${order} LIMIT 1)`;

/** Most imports are newer than all stored views, so none of their rows has to be looked up. */
const STORED_SPAN = `SELECT ${timeOf('ASC')} AS first, ${timeOf('DESC')} AS last`;

const SAME = `site_id = ${ANY_SITE} AND at = to_timestamp(u.at) AND page_id = u.page AND source_no = $2 AND pv_id >= ${FIRST_GENERATED_ID}`;

const STORED_VIEWS = `
SELECT u.row, v.id FROM unnest($3::integer[], $4::float8[], $5::integer[], $6::bigint[]) AS u(row, at, page, visitor),
  LATERAL ((SELECT pv_id::float8 AS id FROM analytics.page_view WHERE ${SAME} AND reader_id = u.visitor LIMIT 1)
           UNION ALL
           (SELECT pv_id::float8 FROM analytics.page_view
             WHERE u.visitor IS NULL AND ${SAME} AND named_by = ${NAMED_BY.nothing} LIMIT 1)) v`;

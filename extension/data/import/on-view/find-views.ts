// The page view that a click or an event belongs to: identified by its pv_id, or else the newest earlier view of its visit or
// visitor.
import type { ClientBase } from 'pg';
import { PAUSE } from '../../change/steps';
import { FIRST_MAPPED_ID } from '../../rows/generated-ids';
import { ANY_SITE } from '../../storage/planner';
import { BadValue } from '../import-error';
import { largestOf } from '../parse-value';
import { VIEW_ROWS } from './view-row-tables';

export interface StoredView {
  readonly pvId: number;
  /** Epoch seconds. */
  readonly at: number;
  readonly sessionId: number;
  readonly pageId: number;
}

type ViewCells = [key: number, pvId: number, at: number, sessionId: number, pageId: number];

const CELLS =
  'pv_id::float8 AS pv_id, extract(epoch FROM at)::float8 AS at, session_id::float8 AS session_id, page_id';

const byKey = (rows: readonly ViewCells[]): ReadonlyMap<number, StoredView> =>
  new Map(rows.map(([key, pvId, at, sessionId, pageId]) => [key, { pvId, at, sessionId, pageId }]));

/** The stored views with these ids, by id; an id may be requested more than once. */
export async function findViews(
  client: ClientBase,
  siteId: number,
  pvIds: Float64Array,
): Promise<ReadonlyMap<number, StoredView>> {
  // Sorted like the index, so that its pages are read sequentially.
  const ids = [...new Set(pvIds.sort())];
  if (ids.length === 0) return new Map();
  const answer = await client.query<ViewCells>({
    rowMode: 'array',
    text: `SELECT k::float8, v.* FROM unnest($2::bigint[]) k,
             LATERAL (SELECT ${CELLS} FROM analytics.page_view WHERE site_id = ${ANY_SITE} AND pv_id = k LIMIT 1) v`,
    values: [siteId, ids],
  });
  return byKey(answer.rows);
}

/** The newest view of the visit `s`, or else of the visitor `r`, at the time `t`: SQL for a lateral subquery. */
const newestBefore = (columns: string, s: string, r: string, t: string): string => `
  (SELECT ${columns} FROM analytics.page_view
    WHERE ${s} IS NOT NULL AND site_id = ${ANY_SITE} AND session_id = ${s} AND at <= ${t} ORDER BY at DESC, coalesce(order_no, pv_id) DESC LIMIT 1)
  UNION ALL
  (SELECT ${columns} FROM analytics.page_view
    WHERE ${s} IS NULL AND site_id = ${ANY_SITE} AND reader_id = ${r} AND at <= ${t}
      AND at >= ${t} - ${PAUSE} ORDER BY at DESC, coalesce(order_no, pv_id) DESC LIMIT 1)`;

/** A row without pv_id. */
export interface Seeker {
  /** Its index in the batch. */
  readonly row: number;
  readonly sessionId: number | undefined;
  readonly readerId: number | undefined;
  /** Epoch seconds. */
  readonly at: number;
}

/** The reason why no view can be looked up for a row without pv_id; undefined if one can. */
export function lookUpFault({ sessionId, readerId, at }: Seeker): BadValue | undefined {
  if (sessionId === undefined && readerId === undefined)
    return new BadValue(
      'pv_id',
      undefined,
      'is required, unless session_id or reader_id identifies the visit or the visitor',
    );
  if (Number.isNaN(at)) return new BadValue('access_time', undefined, 'is required in a row without pv_id');
  return undefined;
}

/** An id as messages show it; undefined if it was text in the file, because its generated number means nothing to users. */
export const fileId = (id: number | undefined): number | undefined =>
  id !== undefined && id < FIRST_MAPPED_ID ? id : undefined;

/** The views that these rows belong to, by row. */
export async function lookUpViews(
  client: ClientBase,
  siteId: number,
  seekers: readonly Seeker[],
): Promise<ReadonlyMap<number, StoredView>> {
  if (seekers.length === 0) return new Map();
  const answer = await client.query<ViewCells>({
    rowMode: 'array',
    text: `SELECT u.row::float8, v.*
             FROM (SELECT row, "sessionId" AS s, "readerId" AS r, to_timestamp(at) AS t
                     FROM json_to_recordset($2) AS j(row integer, "sessionId" bigint, "readerId" bigint, at float8)) u,
                  LATERAL (${newestBefore(CELLS, 'u.s', 'u.r', 'u.t')}) v`,
    values: [siteId, JSON.stringify(seekers)],
  });
  return byKey(answer.rows);
}

/** SQL: whether a row's view was found by the row's time. */
export const isFound = (row: string): string =>
  `(${row}.found_session_id IS NOT NULL OR ${row}.found_reader_id IS NOT NULL)`;

/** SQL: the stored view that a row belongs to if its view is found by its time. */
const viewOf = (row: string, columns: string): string =>
  newestBefore(columns, `${row}.found_session_id`, `${row}.found_reader_id`, `${row}.at`);

/**
 * SQL: for each table, whether it has rows since `$2` whose view was found by time. Most sites have no such rows, so `moved` is
 * not planned.
 */
const HAVE_FOUND = `SELECT ${Object.values(VIEW_ROWS)
  .map(
    ({ table }) =>
      `(SELECT max(at) FROM analytics.${table} c WHERE c.site_id = ${ANY_SITE} AND ${isFound('c')}) >= to_timestamp($2) AS ${table}`,
  )
  .join(', ')}`;

/** SQL: whether a row's view was found, but the row now belongs to no view. */
export const isStray = (row: string): string => `(${isFound(row)} AND NOT EXISTS (${viewOf(row, '1')}))`;

/** SQL: the seconds from one time to a later one, or the largest number that the column can hold. */
export const secondsBetween = (start: string, end: string): string =>
  `least(extract(epoch FROM ${end} - ${start}), ${largestOf('int4')})::integer`;

/** SQL: rows since `$2` whose view was found by time, and which now belong to a different stored view. */
const moved = (table: 'click' | 'event'): string => `
  SELECT c.${table}_id, c.session_id AS old_session_id, v.* FROM analytics.${table} c,
         LATERAL (${viewOf('c', 'pv_id, at AS view_at, session_id, page_id')}) v
   WHERE c.site_id = ${ANY_SITE} AND ${isFound('c')} AND c.at >= to_timestamp($2) AND c.pv_id <> v.pv_id`;

/**
 * Finds the views of clicks and events again after changes to views at or after `since` (epoch seconds). Passes a
 * query for the sessions that lost or gained a row to `addSessions`. Rows for which no view is found stay unchanged.
 */
export async function lookUpViewsAgain(
  client: ClientBase,
  siteId: number,
  since: number,
  addSessions: (sql: string, bindings: readonly unknown[]) => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<Readonly<Record<string, boolean | null>>>(HAVE_FOUND, [siteId, since]);
  for (const { table, secondsField } of Object.values(VIEW_ROWS)) {
    if (rows[0]?.[table] !== true) continue;
    const found = moved(table);
    const seconds =
      secondsField === undefined ? '' : `, ${secondsField} = ${secondsBetween('n.view_at', 'c.at')}`;
    const some = await client.query(`SELECT FROM (${found}) n LIMIT 1`, [siteId, since]);
    if (some.rowCount === 0) continue;
    await addSessions(
      `SELECT DISTINCT s.id FROM (${found}) n, LATERAL (VALUES (n.old_session_id), (n.session_id)) s (id)`,
      [siteId, since],
    );
    await client.query(
      `UPDATE analytics.${table} c SET pv_id = n.pv_id, session_id = n.session_id, page_id = n.page_id, view_at = n.view_at${seconds}
         FROM (${found}) n WHERE c.site_id = ${ANY_SITE} AND c.${table}_id = n.${table}_id`,
      [siteId, since],
    );
  }
}

// Retention removes the visits that ended before an instant. A visit longer than a day, such as one whose id was used for years,
// loses only the views before that instant, and the remaining ones keep what was derived from the removed ones.
import type { ClientBase } from 'pg';
import type { Manifest } from '../../../manifests/reader/manifest';
import { laterDate } from '../../language/time/calendar';
import { localDateOf, midnightOf } from '../../language/time/local-time';
import type { Bind } from '../storage/bindings';
import type { Site } from '../storage/sites/list-sites';
import { conditionOf, planViews, type RemovalPlan } from './removal-plan';
import { type OldRows, type RetentionOptions, removeOld } from './retention';
import { isWaiting } from './waiting-rows';

/** For every site with `retention_days`, removes the visits that ended more than that many local days ago. */
export const removeOldVisits = (options: RetentionOptions, signal: AbortSignal): Promise<void> =>
  removeOld(options, signal, (site, today) => {
    if (site.retentionDays === null) return [];
    const firstKept = laterDate(today, -site.retentionDays);
    return [oldVisits(options.manifest, site, midnightOf(firstKept, site.timezone))];
  });

/** The visits that ended before `end`, in epoch seconds. */
function oldVisits(manifest: Manifest, site: Site, end: number): OldRows {
  const { siteId, timezone } = site;
  let after = Number.NEGATIVE_INFINITY;
  return {
    material: null,
    async nextPiece(client, rows) {
      const piece = await nextSpan(client, site, { after, end, rows });
      if (piece === undefined) return undefined;
      after = piece.end;
      const ends = { piece: piece.end, all: end };
      return {
        plan: planOldVisits(manifest, ends),
        firstDay: localDateOf(piece.first, timezone),
        lastDay: localDateOf(piece.end - 1, timezone),
        isLast: piece.end >= end,
        prepare: (locked) => cutLongVisits(locked, siteId, ends),
      };
    },
  };
}

/** A longer visit is cut; a shorter one is kept until its last view is too old. */
const MAX_WHOLE_VISIT = `interval '24 hours'`;

/**
 * A waiting row without a time is as old as its import. Citus cannot join the imports, which are in a local table, without
 * a subquery.
 */
const isOlderThan =
  (end: number) =>
  (bind: Bind): string => {
    const instant = `to_timestamp(${bind(end)}::float8)`;
    return `(t.at < ${instant} OR t.at IS NULL AND t.import_ids[1] IN (
      SELECT r.import_id FROM analytics.import_run r WHERE r.site_id = $1 AND r.started_at < ${instant}))`;
  };

/** Instants in epoch seconds. */
interface Ends {
  /** Views before this instant are removed by this piece. */
  readonly piece: number;
  /** Views before this instant are removed by the last piece at the latest. */
  readonly all: number;
}

/**
 * The visits of site `$1` that have views before `piece` and are removed or cut there. Each visit is read once, no
 * matter how many views it has. A visit is cut before `all` only if the rest of it is removed or cut later, so the
 * result does not depend on the size of pieces.
 */
const visitsBefore = (piece: string, all: string): string => `
  SELECT v.session_id FROM analytics.page_view v
   WHERE v.site_id = $1 AND v.session_id IN (SELECT o.session_id FROM analytics.page_view o WHERE o.site_id = $1 AND o.at < ${piece})
   GROUP BY v.session_id
  HAVING max(v.at) < ${piece} OR max(v.at) - min(v.at) > ${MAX_WHOLE_VISIT} AND (${piece} = ${all} OR max(v.at) < ${all}
      OR max(v.at) - min(v.at) FILTER (WHERE v.at >= ${piece}) > ${MAX_WHOLE_VISIT})`;

/** The views that are removed, with the rows that belong to them. */
const planOldVisits = (manifest: Manifest, ends: Ends): RemovalPlan => ({
  parts: planViews(manifest, (row) => (bind) => {
    const [piece, all] = [ends.piece, ends.all].map((end) => `to_timestamp(${bind(end)}::float8)`);
    return `${row}.at < ${piece} AND ${row}.session_id IN (${visitsBefore(`${piece}`, `${all}`)})`;
  }),
  keepsFirst: true,
  waiting: isOlderThan(ends.piece),
});

/**
 * Preserves, for the remaining views of a cut visit, what was derived from the removed ones: their positions, their traffic,
 * whether the visitor was new, and the page before the first remaining view.
 */
async function cutLongVisits(client: ClientBase, siteId: number, ends: Ends): Promise<void> {
  const piece = 'to_timestamp($2::float8)';
  await client.query(
    `WITH left_over AS (
       SELECT r.pv_id, row_number() OVER (PARTITION BY r.session_id ORDER BY r.at, coalesce(r.order_no, r.pv_id)) AS place
         FROM analytics.page_view r
        WHERE r.site_id = $1 AND r.at >= ${piece} AND r.session_id IN (${visitsBefore(piece, 'to_timestamp($3::float8)')}))
     UPDATE analytics.page_view v
        SET given_pv = v.pv, given_is_newuser = v.is_newuser, is_visit_traffic = true,
            given_prev_page_id = CASE WHEN l.place = 1 THEN v.prev_page_id ELSE v.given_prev_page_id END
       FROM left_over l
      WHERE v.site_id = $1 AND v.pv_id = l.pv_id
        AND (l.place = 1 OR v.given_pv IS NULL OR v.given_is_newuser IS NULL OR v.is_visit_traffic IS NULL)`,
    [siteId, ends.piece, ends.all],
  );
}

/**
 * The next piece of the views before `end`: at most `rows` views after `after`, in whole local days unless a single day has more.
 * Undefined if neither a view nor a row that is waiting for its view is left. Times are epoch seconds; `first` is that of the first view.
 */
async function nextSpan(
  client: ClientBase,
  { siteId, timezone }: Site,
  span: { readonly after: number; readonly end: number; readonly rows: number },
) {
  const viewAfter = async (others: number): Promise<number | undefined> => {
    const { rows } = await client.query<{ at: number }>(
      `SELECT extract(epoch FROM at)::float8 AS at FROM analytics.page_view
        WHERE site_id = $1 AND at > to_timestamp($2::float8) AND at < to_timestamp($3::float8) ORDER BY at OFFSET $4 LIMIT 1`,
      [siteId, span.after, span.end, others],
    );
    return rows[0]?.at;
  };
  const first = await viewAfter(0);
  // The last piece also contains the earlier views of visits that continued after the previous piece.
  if (first === undefined && Number.isFinite(span.after)) return { first: span.after, end: span.end };
  if (first === undefined) {
    const { text, values } = conditionOf(siteId, isWaiting(isOlderThan(span.end)));
    // Rows without a time do not belong to a day.
    const { rows } = await client.query<{ first: number }>(
      `SELECT coalesce(extract(epoch FROM min(t.at))::float8, ${span.end - 1}) AS first FROM analytics.waiting_row t WHERE ${text} HAVING count(*) > 0`,
      values,
    );
    return rows[0] && { first: rows[0].first, end: span.end };
  }
  const next = await viewAfter(span.rows);
  if (next === undefined) return { first, end: span.end };
  const midnight = midnightOf(localDateOf(next, timezone), timezone);
  return { first, end: midnight > first ? midnight : next };
}

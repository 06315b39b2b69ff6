// Recomputes what depends on page views after they change: the newest values of pages and readers, and the copies
// of page and time in clicks and events. Their session is derived, so settle-moved.sql copies it.
import type { ClientBase } from 'pg';
import { countNoted, note, noted, notedLines, noting } from '../../change/noted';
import { collectPageStates, countPageStates, forgetPageStates, PAGE_STATES } from '../../change/page-states';
import { STAGED } from '../../change/staging';
import { FIRST_GENERATED_ID, SESSION_READER_BASE } from '../../rows/generated-ids';
import type { ConversionUpdater } from '../../storage/goals/conversions';
import { ANY_SITE } from '../../storage/planner';
import { forgettingFirst, restorable } from '../../storage/unused-values';
import { fileRow } from '../file-rows';
import { ImportError } from '../import-error';
import { IMPORT_LIMITS, type ImportLimits } from '../limits';
import { fileId, isFound, isStray, lookUpViewsAgain, secondsBetween } from '../on-view/find-views';

export type ViewFollowers = ReturnType<typeof viewFollowers>;

/** Updates everything that depends on page views, for one transaction that changes them. */
export function viewFollowers(
  client: ClientBase,
  siteId: number,
  conversions: ConversionUpdater,
  { pageStateRows }: Pick<ImportLimits, 'pageStateRows'> = IMPORT_LIMITS,
) {
  let isNeeded = false;
  let hasMoved = false;
  let since = Number.POSITIVE_INFINITY;
  let states = 0;
  /** For each earlier file of the import, the kind under which its rows that moved views are noted. */
  const earlier: string[] = [];
  const followStates = async (): Promise<void> => {
    await countPageStates(client);
    await client.query(STAGED_PAGES, [siteId]);
    states = 0;
  };
  return {
    /**
     * Records the readers of changed views, and the pages whose newest values these views set, before or after the change. `from`: SQL
     * that begins with FROM, for the views `v` of site `$1`.
     */
    async collect(from: string, values: readonly unknown[] = [siteId]): Promise<void> {
      isNeeded = true;
      await client.query(
        `WITH found AS (SELECT v.page_id, v.reader_id, v.at, v.page_state_id ${from}) ${noting(`
         SELECT DISTINCT 'stale_page', p.page_id FROM found f JOIN analytics.page p ON p.site_id = $1 AND p.page_id = f.page_id
           JOIN analytics.page_state t ON t.site_id = $1 AND t.page_state_id = f.page_state_id WHERE ${SETS_NEWEST}
         UNION ALL SELECT DISTINCT 'stale_name', reader_id FROM found`)}`,
        [...values],
      );
    },
    /** Records the views whose session, page or time changed; the query returns their `pv_id`. */
    async collectMoved(sql: string): Promise<void> {
      hasMoved = true;
      await note(client, MOVED_VIEW, sql);
    },
    /** Notes the lines of the rows that moved views, because another file of the import follows. */
    async nextFile(): Promise<void> {
      const kind = `moved by file ${earlier.length}`;
      if (hasMoved)
        await note(
          client,
          kind,
          `SELECT row_id, line FROM ${fileRow('page_view')} f WHERE row_id IN (${noted(MOVED_VIEW)})`,
        );
      earlier.push(kind);
    },
    /** Notes that views at or after this time, in epoch seconds, have changed. */
    changedSince(at: number): void {
      since = Math.min(since, at);
    },
    /** Sets the newest names of the readers of staged views, and notes the states of their pages. */
    async followStaged(): Promise<void> {
      states += await collectPageStates(client);
      if (states >= pageStateRows) {
        await followStates();
        await forgetPageStates(client);
      }
      await client.query(STAGED_READERS, [siteId]);
    },
    /** Brings everything up to date after all views are written. */
    async run(): Promise<void> {
      if (states > 0) await followStates();
      if (isNeeded || hasMoved) await countNoted(client);
      if (isNeeded) {
        await client.query(PAGES, [siteId]);
        await client.query(READERS, [siteId]);
        await client.query(READERS_WITHOUT_NAME, [siteId]);
        await client.query(VISITORS_WITHOUT_VIEWS, [siteId]);
      }
      if (hasMoved) await client.query(followView('click', CLICK_TIME), [siteId]);
      if (hasMoved) await client.query(followView('event', ''), [siteId]);
      await lookUpViewsAgain(client, siteId, since, conversions.addFound);
    },
    /** Throws an ImportError if a row of the file moved a view away from rows that would then have no view. */
    async refuseStrays(): Promise<void> {
      if (!hasMoved) return;
      const { rows } = await client.query<Strays>(STRAYS, [siteId, earlier]);
      if (rows[0] !== undefined) throw strayFault(rows[0]);
    },
  };
}

interface Strays {
  /** The index of the last file of the import with this view, and its line there. */
  readonly file: number | null;
  readonly line: number | null;
  readonly pvId: number;
  readonly clicks: number;
  readonly events: number;
}

function strayFault({ file, line, pvId, clicks, events }: Strays): ImportError {
  const view = fileId(pvId) === undefined ? 'this page view' : `page view ${pvId}`;
  const reason =
    `clicks (${clicks}) and events (${events}) without pv_id were assigned to ${view} by time, and would have no page view ` +
    `if ${view} had this time, visitor and visit; undo their import or remove them, import this file, then import them again`;
  return new ImportError(reason, file === null || line === null ? {} : { file, line });
}

const MOVED_VIEW = 'moved_view';
const STALE_PAGES = `(SELECT id::integer AS page_id FROM (${noted('stale_page')}) n)`;
const STALE_NAMES = `(SELECT id AS reader_id FROM (${noted('stale_name')}) n)`;

/**
 * SQL: whether a view `f` with the state `t` sets a value of its page `p`. Of two views in the same second, the one with the
 * greater value sets it.
 */
const SETS_NEWEST = [
  ['title', 'title_at'],
  ['page_type', 'type_at'],
  ['page_fetch_status', 'status_at'],
]
  .map(([field, at]) => `t.${field} IS NOT NULL AND (f.at < p.${at}) IS NOT TRUE`)
  .join(' OR ');

const newest = (field: string, at: string, collation = ''): string =>
  `(array_agg(${field} ORDER BY ${at} DESC, ${field} ${collation} DESC) FILTER (WHERE ${field} IS NOT NULL))[1] AS ${field},
         max(${at}) FILTER (WHERE ${field} IS NOT NULL) AS ${at}`;

/**
 * Sets the newest values of the pages `s`. `views` is a query for the page_id, page_state_id and at of views; `stored`
 * adds the values that pages already have.
 */
const newestOfPages = (pages: string, views: string, stored = ''): string => `
WITH states AS MATERIALIZED (${views}), valued AS (
  SELECT page_id, title, at AS title_at, page_type, at AS type_at, page_fetch_status, at AS status_at
    FROM states JOIN analytics.page_state t USING (page_state_id) WHERE t.site_id = ${ANY_SITE} ${stored}
), newest AS (
  SELECT page_id, ${newest('title', 'title_at', 'COLLATE "C"')}, ${newest('page_type', 'type_at')},
         ${newest('page_fetch_status', 'status_at')}
    FROM valued GROUP BY page_id
)
UPDATE analytics.page p
   SET title = n.title, title_at = n.title_at, page_type = n.page_type, type_at = n.type_at,
       page_fetch_status = n.page_fetch_status, status_at = n.status_at
  FROM ${pages} s LEFT JOIN newest n USING (page_id)
 WHERE p.site_id = ${ANY_SITE} AND p.page_id = s.page_id
   AND (p.title, p.title_at, p.page_type, p.type_at, p.page_fetch_status, p.status_at)
       IS DISTINCT FROM (n.title, n.title_at, n.page_type, n.type_at, n.page_fetch_status, n.status_at)`;

const PAGES = newestOfPages(
  STALE_PAGES,
  `SELECT page_id, v.page_state_id, max(v.at) AS at FROM ${STALE_PAGES} s JOIN analytics.page_view v USING (page_id)
    WHERE v.site_id = ${ANY_SITE} AND v.page_state_id IS NOT NULL GROUP BY 1, 2`,
);

const STAGED_PAGES = newestOfPages(
  'newest',
  PAGE_STATES,
  `UNION ALL SELECT page_id, title, title_at, page_type, type_at, page_fetch_status, status_at
     FROM analytics.page WHERE site_id = ${ANY_SITE} AND page_id IN (SELECT page_id FROM states)`,
);

/** SQL: the order of names `r` in views `v`, the newest first. In the same second, the greater text comes first. */
const NEWEST_NAME = 'v.at DESC, r.original_id COLLATE "C" DESC';

const NAMES = `
  SELECT s.reader_id, n.at, n.original_id, n.text_key FROM ${STALE_NAMES} s
    LEFT JOIN LATERAL (
      SELECT v.at, r.original_id, r.text_key FROM analytics.page_view v
        JOIN analytics.reader_state r ON r.site_id = v.site_id AND r.reader_state_id = v.reader_state_id
       WHERE v.site_id = ${ANY_SITE} AND v.reader_id = s.reader_id
       ORDER BY ${NEWEST_NAME} LIMIT 1) n ON true`;

const setNames = (names: string, condition: string): string => `
INSERT INTO analytics.reader AS r (site_id, reader_id, original_id, seen_at, text_key)
SELECT $1, reader_id, original_id, at, text_key FROM (${names}) n WHERE original_id IS NOT NULL
ON CONFLICT (site_id, reader_id) DO UPDATE
   SET original_id = excluded.original_id, seen_at = excluded.seen_at, text_key = excluded.text_key
 WHERE ${condition}`;

const READERS = setNames(
  NAMES,
  '(r.original_id, r.seen_at) IS DISTINCT FROM (excluded.original_id, excluded.seen_at)',
);

const STAGED_READERS = setNames(
  `SELECT DISTINCT ON (v.reader_id) v.reader_id, v.at, r.original_id, r.text_key FROM ${STAGED} v
     JOIN analytics.reader_state r ON r.site_id = ${ANY_SITE} AND r.reader_state_id = v.reader_state_id
    ORDER BY v.reader_id, ${NEWEST_NAME}`,
  '(excluded.seen_at, excluded.original_id COLLATE "C") > (r.seen_at, r.original_id)',
);

/** A reader identified only by the site's own id keeps that id as long as the reader has views or an undo can restore some. */
const READERS_WITHOUT_NAME = `
WITH ${restorable('reader_id')}
DELETE FROM analytics.reader r USING (${NAMES}) n
 WHERE r.site_id = ${ANY_SITE} AND r.reader_id = n.reader_id AND n.original_id IS NULL
   AND (r.reader_id NOT BETWEEN ${FIRST_GENERATED_ID} AND ${SESSION_READER_BASE}
     OR NOT EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = ${ANY_SITE} AND v.reader_id = r.reader_id)
    AND NOT EXISTS (SELECT FROM restorable o WHERE o.id = r.reader_id))`;

/** If an import moves a visitor's only view, which it added itself, no undo restores the visitor. */
const VISITORS_WITHOUT_VIEWS = forgettingFirst(noted('stale_name'));

const straysOf = (table: 'click' | 'event'): string => `
  SELECT c.pv_id, '${table}' AS of FROM analytics.${table} c
   WHERE c.site_id = ${ANY_SITE} AND c.pv_id IN (${noted(MOVED_VIEW)}) AND ${isStray('c')}`;

const STRAYS = `
WITH strays AS (
  SELECT pv_id, (count(*) FILTER (WHERE of = 'click'))::float8 AS clicks, (count(*) FILTER (WHERE of = 'event'))::float8 AS events
    FROM (${straysOf('click')} UNION ALL ${straysOf('event')}) s GROUP BY pv_id
), found AS (
  SELECT DISTINCT ON (s.pv_id) s.*, f.file, f.line FROM strays s LEFT JOIN (
    SELECT row_id, line, cardinality($2::text[]) AS file FROM ${fileRow('page_view')} f
     UNION ALL
    SELECT row_id, line, array_position($2::text[], kind) - 1 FROM (${notedLines('= ANY($2::text[])')}) n) f ON f.row_id = s.pv_id
   ORDER BY s.pv_id, f.file DESC
)
SELECT file, line::float8 AS line, pv_id::float8 AS "pvId", clicks, events FROM found ORDER BY file, line LIMIT 1`;

/**
 * A click has an offset in seconds from its view; a click whose view was found by the click's time keeps that time.
 * The SQL uses no functions that depend on the time zone: an UPDATE of distributed tables must not contain them.
 */
const CLICK_TIME = `,
  at = CASE WHEN ${isFound('c')} THEN c.at ELSE to_timestamp(extract(epoch FROM v.at - to_timestamp(0))::float8 + c.event_sec) END,
  event_sec = CASE WHEN ${isFound('c')} AND v.at <= c.at THEN ${secondsBetween('v.at', 'c.at')} ELSE c.event_sec END`;

function followView(table: 'click' | 'event', time: string): string {
  return `UPDATE analytics.${table} c SET page_id = v.page_id, view_at = v.at${time}
    FROM (${noted(MOVED_VIEW)}) h JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.pv_id = h.id
    WHERE c.site_id = ${ANY_SITE} AND c.pv_id = h.id
      AND (c.page_id, c.view_at) IS DISTINCT FROM (v.page_id, v.at)`;
}

// Owns the repair of sessions whose views did not pass through one batch: other imports, files in any order.
// Stale keys collected during the transaction -> one UPDATE at its end. Only fields whose bit of `made` is set change.
import type { ClientBase } from 'pg';
import type { TouchedRows } from '../../rollups/touched-rows';
import type { ConversionKeeper } from '../../storage/goals/conversions';
import { ANY_SITE } from '../../storage/planner';
import { MADE, SESSION_GAP_SECONDS } from './view-fields';

export interface SessionRepair {
  collect(client: ClientBase, readers: ReadonlySet<number>, sessions: ReadonlySet<number>): Promise<void>;
  /** Computes the stale keys again from all stored views. Answers how many views changed. */
  run(client: ClientBase): Promise<number>;
}

/**
 * The repair of one import. `conversions` is told which sessions lose or gain a view, `touched` which views and clicks
 * change.
 */
export function sessionRepair(
  siteId: number,
  conversions: ConversionKeeper,
  touched: TouchedRows,
): SessionRepair {
  let needed = false;
  return {
    async collect(client, readers, sessions) {
      if (readers.size === 0 && sessions.size === 0) return;
      if (!needed) await client.query(TEMPORARY_TABLES);
      needed = true;
      await client.query('INSERT INTO stale_reader SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING', [
        [...readers],
      ]);
      await client.query('INSERT INTO stale_session SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING', [
        [...sessions],
      ]);
    },
    async run(client) {
      if (!needed) return 0;
      await client.query("SET LOCAL work_mem = '64MB'");
      await client.query('ANALYZE stale_session');
      await client.query(READERS_OF_SESSIONS, [siteId]);
      await client.query('ANALYZE stale_reader');
      await client.query(COMPUTE, [siteId]);
      await client.query('ANALYZE repaired');
      await conversions.touchFound(MOVED, [siteId]);
      const bindings = [siteId];
      const changed = await touched.noteChanged(client, 'allpv', {
        sql: APPLY,
        bindings,
        returnsValues: true,
      });
      const clicks = { sql: `${followView('click')} RETURNING c.at`, bindings, returnsValues: false };
      await touched.noteChanged(client, 'click_event', clicks);
      await client.query(followView('event'), [siteId]);
      return changed;
    },
  };
}

const TEMPORARY_TABLES = `
CREATE TEMPORARY TABLE stale_reader (reader_id bigint PRIMARY KEY) ON COMMIT DROP;
CREATE TEMPORARY TABLE stale_session (session_id bigint PRIMARY KEY) ON COMMIT DROP;
CREATE TEMPORARY TABLE repaired (pv_id bigint, stored_session_id bigint, session_id bigint, whole boolean, pv integer, is_last boolean,
  prev_page_id integer, next_page_id integer, is_newuser boolean) ON COMMIT DROP`;

// So every view of a stale session is a view of a stale reader too, and the next statement sees all of it.
const READERS_OF_SESSIONS = `
INSERT INTO stale_reader
SELECT DISTINCT v.reader_id FROM stale_session s JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.session_id = s.session_id
ON CONFLICT DO NOTHING`;

// A made session that was joined to another keeps the smallest of their ids. A given session of a stale reader may have
// views of other readers as well: unless it is stale itself, only is_newuser is computed for it (whole = false).
const COMPUTE = `
INSERT INTO repaired
WITH seen AS (
  SELECT v.reader_id, v.at, v.pv_id, v.session_id, v.page_id, v.made & ${MADE.session_id} <> 0 AS chained
    FROM stale_reader r JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.reader_id = r.reader_id
), paused AS (
  SELECT *, CASE WHEN at - lag(at) OVER (PARTITION BY reader_id, chained ORDER BY at, pv_id)
                        > interval '${SESSION_GAP_SECONDS} seconds' THEN 1 ELSE 0 END AS pause
    FROM seen
), chains AS (
  SELECT *, sum(pause) OVER (PARTITION BY reader_id, chained ORDER BY at, pv_id) AS chain FROM paused
), named AS (
  SELECT reader_id, at, pv_id, page_id, chained, session_id AS stored_session_id,
         CASE WHEN chained THEN min(session_id) OVER (PARTITION BY reader_id, chained, chain) ELSE session_id END AS session_id
    FROM chains
)
SELECT n.pv_id, n.stored_session_id, n.session_id, n.chained OR s.session_id IS NOT NULL,
       row_number() OVER w, lead(n.pv_id) OVER w IS NULL, coalesce(lag(n.page_id) OVER w, 0),
       coalesce(lead(n.page_id) OVER w, 0),
       n.session_id = first_value(n.session_id) OVER (PARTITION BY n.reader_id ORDER BY n.at, n.pv_id)
  FROM named n LEFT JOIN stale_session s ON s.session_id = n.session_id
WINDOW w AS (PARTITION BY n.session_id ORDER BY n.at, n.pv_id)`;

const APPLY = `
UPDATE analytics.page_view v
   SET session_id = r.session_id,
       pv = CASE WHEN v.made & ${MADE.pv} <> 0 AND r.whole THEN r.pv ELSE v.pv END,
       is_last = CASE WHEN v.made & ${MADE.is_last} <> 0 AND r.whole THEN r.is_last ELSE v.is_last END,
       prev_page_id = CASE WHEN v.made & ${MADE.prev_page_id} <> 0 AND r.whole THEN r.prev_page_id ELSE v.prev_page_id END,
       next_page_id = CASE WHEN v.made & ${MADE.next_page_id} <> 0 AND r.whole THEN r.next_page_id ELSE v.next_page_id END,
       is_newuser = CASE WHEN v.made & ${MADE.is_newuser} <> 0 THEN r.is_newuser ELSE v.is_newuser END
  FROM repaired r
 WHERE v.site_id = ${ANY_SITE} AND v.pv_id = r.pv_id
   AND (v.session_id <> r.session_id
     OR v.made & ${MADE.is_newuser} <> 0 AND v.is_newuser <> r.is_newuser
     OR r.whole AND (v.made & ${MADE.pv} <> 0 AND v.pv <> r.pv
       OR v.made & ${MADE.is_last} <> 0 AND v.is_last <> r.is_last
       OR v.made & ${MADE.prev_page_id} <> 0 AND v.prev_page_id <> r.prev_page_id
       OR v.made & ${MADE.next_page_id} <> 0 AND v.next_page_id <> r.next_page_id))
RETURNING v.at, ARRAY[v.session_id, r.stored_session_id] AS session_id, ARRAY[v.reader_id] AS reader_id`;

/** The sessions that views leave, and those that they come to. */
const MOVED = `
SELECT s.session_id FROM repaired r JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.pv_id = r.pv_id,
       LATERAL (VALUES (v.session_id), (r.session_id)) s (session_id)
 WHERE v.session_id <> r.session_id GROUP BY s.session_id`;

/** Clicks and events bear the session of their view. */
function followView(table: 'click' | 'event'): string {
  return `UPDATE analytics.${table} c SET session_id = r.session_id FROM repaired r
    WHERE c.site_id = ${ANY_SITE} AND c.pv_id = r.pv_id AND c.session_id <> r.session_id`;
}

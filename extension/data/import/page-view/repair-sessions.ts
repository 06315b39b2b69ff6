// Repairs sessions whose views did not pass through one batch: of other imports, or of a file in any order. Stale keys are
// collected during the transaction and computed again at its end. Only values that the importer generated change.
import type { ClientBase } from 'pg';
import type { ConversionUpdater } from '../../storage/goals/conversions';
import { ANY_SITE } from '../../storage/planner';
import { FIRST_GENERATED_ID, sessionOfViewSql } from '../generated-ids';
import { GIVEN_FIELDS, givenField, SESSION_GAP_SECONDS, TRAFFIC_FIELDS, viewField } from './view-fields';

export interface SessionRepair {
  collect(readers: ReadonlySet<number>, sessions: ReadonlySet<number>): Promise<void>;
  /** The same, for the views that a query finds, whose site is `$1`: its columns reader_id, session_id and is_given. */
  collectFound(sql: string): Promise<void>;
  /** Computes the stale keys again from all stored views. */
  run(): Promise<void>;
}

/** The repair of one import. It tells `conversions` which sessions lose or gain a view. */
export function sessionRepair(
  client: ClientBase,
  siteId: number,
  conversions: ConversionUpdater,
): SessionRepair {
  let isNeeded = false;
  const add = (table: string, keys: ReadonlySet<number>) =>
    client.query(`INSERT INTO ${table} SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING`, [[...keys]]);
  const open = async (): Promise<void> => {
    if (!isNeeded) await client.query(TEMPORARY_TABLES);
    isNeeded = true;
  };
  return {
    async collect(readers, sessions) {
      if (readers.size === 0 && sessions.size === 0) return;
      await open();
      await add('stale_reader', readers);
      await add('stale_session', sessions);
    },
    async collectFound(sql) {
      await open();
      await client.query(
        `WITH found AS (${sql}), sessions AS (
           INSERT INTO stale_session SELECT DISTINCT session_id FROM found WHERE is_given ON CONFLICT DO NOTHING)
         INSERT INTO stale_reader SELECT DISTINCT reader_id FROM found ON CONFLICT DO NOTHING`,
        [siteId],
      );
    },
    async run() {
      if (!isNeeded) return;
      await client.query("SET LOCAL work_mem = '64MB'");
      await client.query('ANALYZE stale_session');
      await client.query(READERS_OF_SESSIONS, [siteId]);
      await client.query('ANALYZE stale_reader');
      await client.query(COMPUTE, [siteId]);
      await client.query('ANALYZE repaired');
      await conversions.addFound(MOVED, [siteId]);
      await client.query(APPLY, [siteId]);
      await client.query(followView('click'), [siteId]);
      await client.query(followView('event'), [siteId]);
    },
  };
}

const TEMPORARY_TABLES = `
CREATE TEMPORARY TABLE stale_reader (reader_id bigint PRIMARY KEY) ON COMMIT DROP;
CREATE TEMPORARY TABLE stale_session (session_id bigint PRIMARY KEY) ON COMMIT DROP;
CREATE TEMPORARY TABLE repaired (pv_id bigint, stored_session_id bigint, session_id bigint, whole boolean, pv integer, is_last boolean,
  prev_page_id integer, next_page_id integer, is_newuser boolean, browse_sec integer,
  ${TRAFFIC_FIELDS.map((field) => `${field} integer`).join(', ')}) ON COMMIT DROP`;

// Makes every view of a stale session a view of a stale reader, so that the next statement sees all of it.
const READERS_OF_SESSIONS = `
INSERT INTO stale_reader
SELECT DISTINCT v.reader_id FROM stale_session s JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.session_id = s.session_id
ON CONFLICT DO NOTHING`;

// A given session of a stale reader may have views of other readers too: unless it is stale itself, only is_newuser is computed
// for it (whole = false). A visitor whose first views were removed by retention has been here before.
const COMPUTE = `
INSERT INTO repaired
WITH seen AS (
  SELECT v.reader_id, v.at, v.pv_id, v.session_id AS stored_session_id, v.page_id, v.session_id >= ${FIRST_GENERATED_ID} AS chained,
         v.is_visit_traffic IS NULL AS takes_traffic, ${TRAFFIC_FIELDS.map((field) => `v.${viewField(field)}`).join(', ')}
    FROM stale_reader r JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.reader_id = r.reader_id
), paused AS (
  SELECT *, CASE WHEN at - lag(at) OVER (PARTITION BY reader_id, chained ORDER BY at, pv_id)
                        > interval '${SESSION_GAP_SECONDS} seconds' THEN 1 ELSE 0 END AS pause
    FROM seen
), chains AS (
  SELECT *, sum(pause) OVER (PARTITION BY reader_id, chained ORDER BY at, pv_id) AS chain FROM paused
), named AS (
  SELECT *, CASE WHEN chained THEN first_value(${sessionOfViewSql('pv_id')}) OVER (PARTITION BY reader_id, chained, chain ORDER BY at, pv_id)
                 ELSE stored_session_id END AS session_id
    FROM chains
)
SELECT n.pv_id, n.stored_session_id, n.session_id, n.chained OR s.session_id IS NOT NULL,
       row_number() OVER w, lead(n.pv_id) OVER w IS NULL, coalesce(lag(n.page_id) OVER w, 0),
       coalesce(lead(n.page_id) OVER w, 0),
       n.session_id = first_value(n.session_id) OVER (PARTITION BY n.reader_id ORDER BY n.at, n.pv_id) AND f.reader_id IS NULL,
       extract(epoch FROM lead(n.at) OVER w - n.at)::int,
       ${TRAFFIC_FIELDS.map((field) => `first_value(n.${viewField(field)}) OVER t`).join(', ')}
  FROM named n LEFT JOIN stale_session s ON s.session_id = n.session_id
  LEFT JOIN analytics.visitor_first f ON f.site_id = ${ANY_SITE} AND f.reader_id = n.reader_id
WINDOW w AS (PARTITION BY n.session_id ORDER BY n.at, n.pv_id),
       t AS (PARTITION BY n.session_id, n.takes_traffic ORDER BY n.at, n.pv_id)`;

const ofTraffic = (row: string): string => TRAFFIC_FIELDS.map((field) => `${row}.${field}`).join(', ');

/** Of a session that was not read as a whole, only is_newuser is known. */
const isDerived = (field: (typeof GIVEN_FIELDS)[number]): string =>
  `v.${givenField(field)} IS NULL${field === 'is_newuser' ? '' : ' AND r.whole'}`;

const APPLY = `
UPDATE analytics.page_view v
   SET session_id = r.session_id,
       ${GIVEN_FIELDS.map((field) => `${field} = CASE WHEN ${isDerived(field)} THEN r.${field} ELSE v.${field} END`).join(',\n       ')},
       browse_sec = CASE WHEN v.is_browse_derived AND r.whole THEN r.browse_sec ELSE v.browse_sec END,
       ${TRAFFIC_FIELDS.map((field) => `${field} = CASE WHEN v.is_visit_traffic IS NULL AND r.whole THEN r.${field} ELSE v.${field} END`).join(',\n       ')}
  FROM repaired r
 WHERE v.site_id = ${ANY_SITE} AND v.pv_id = r.pv_id
   AND (v.session_id <> r.session_id
     OR ${GIVEN_FIELDS.map((field) => `${isDerived(field)} AND v.${field} <> r.${field}`).join('\n     OR ')}
     OR v.is_browse_derived AND r.whole AND v.browse_sec IS DISTINCT FROM r.browse_sec
     OR v.is_visit_traffic IS NULL AND r.whole AND (${ofTraffic('v')}) IS DISTINCT FROM (${ofTraffic('r')}))`;

/** The sessions that views move from and to. */
const MOVED = `
SELECT s.session_id FROM repaired r JOIN analytics.page_view v ON v.site_id = ${ANY_SITE} AND v.pv_id = r.pv_id,
       LATERAL (VALUES (v.session_id), (r.session_id)) s (session_id)
 WHERE v.session_id <> r.session_id GROUP BY s.session_id`;

/** Clicks and events have the session of their view. */
function followView(table: 'click' | 'event'): string {
  return `UPDATE analytics.${table} c SET session_id = r.session_id FROM repaired r
    WHERE c.site_id = ${ANY_SITE} AND c.pv_id = r.pv_id AND c.session_id <> r.session_id`;
}

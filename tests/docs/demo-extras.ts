import type { Knex } from 'knex';
import { textKey } from '../../extension/language/sql/text-key';

const SITE = "(SELECT site_id FROM analytics.site WHERE tracking_id = 'demo')";
const SOME_VIEWS = `analytics.page_view WHERE site_id = ${SITE} AND pv_id % 7 = 0`;

const STATEMENTS = [
  `INSERT INTO analytics.goal VALUES (${SITE}, 1, 'Products', 'gtype_page', '{"url": "/", "match": "contains"}')
   ON CONFLICT DO NOTHING`,
  `INSERT INTO analytics.conversion (at, site_id, goal_no, session_id, pv_id)
   SELECT at, site_id, 1, session_id, pv_id FROM analytics.page_view WHERE site_id = ${SITE} AND pv = 1 AND session_id % 5 = 0
   ON CONFLICT DO NOTHING`,
  `INSERT INTO analytics.selector VALUES (${SITE}, 1, '#buy', '${textKey(['#buy'])}') ON CONFLICT DO NOTHING`,
  `INSERT INTO analytics.click (at, selector_id, site_id, action_id, pv_id, session_id, page_id, event_sec, view_at, click_id, is_external, fingerprint)
   SELECT at, 1, site_id, 1, pv_id, session_id, page_id, 0, at, pv_id, false, md5('click' || pv_id)::uuid FROM ${SOME_VIEWS}
   ON CONFLICT DO NOTHING`,
  `INSERT INTO analytics.event_name (site_id, event_name_id, event_name, observed, text_key)
   SELECT ${SITE}, 1 + coalesce(max(event_name_id), 0), 'purchase', '{"value": "number", "currency": "string"}', '${textKey(['purchase'])}'
   FROM analytics.event_name WHERE site_id = ${SITE} HAVING NOT coalesce(bool_or(event_name = 'purchase'), false)`,
  `INSERT INTO analytics.event (at, event_name_id, site_id, pv_id, session_id, page_id, view_at, event_id, params, fingerprint)
   SELECT at, (SELECT event_name_id FROM analytics.event_name WHERE site_id = ${SITE} AND event_name = 'purchase'), site_id, pv_id,
     session_id, page_id, at, 1000000000 + pv_id, '{"value": 19.5, "currency": "EUR"}', md5('event' || pv_id)::uuid FROM ${SOME_VIEWS}
   ON CONFLICT DO NOTHING`,
  `INSERT INTO analytics.keyword VALUES (${SITE}, 1, 'shoes', '${textKey(['shoes'])}') ON CONFLICT DO NOTHING`,
  `INSERT INTO analytics.search_day (day, page_id, query_id, site_id, search_type, clicks, impressions, position_x100)
   SELECT day, page_id, 1, site_id, 1, 2, 40, 350 FROM analytics.page, generate_series('2026-10-01'::date, '2026-10-31', '1 day') day
   WHERE site_id = ${SITE} ON CONFLICT DO NOTHING`,
] as const;

/** Adds data to the demo for the pages to query: a goal, clicks, an event and searches. */
export async function addDemoExtras(write: Knex): Promise<void> {
  for (const statement of STATEMENTS) await write.raw(statement);
}

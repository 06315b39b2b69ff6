import type { BackupQuestion } from '../../../host-shim/extension-api';

/** SQL that answers a question for each site with a hash of its rows, written as lines of text and sorted in byte order. */
const hashOf = (rows: string): string => `
SELECT s.tracking_id AS site, md5(string_agg(r.line, E'\\n' ORDER BY r.line COLLATE "C")) AS answer
  FROM (SELECT site_id, concat_ws(' ', VARIADIC parts) AS line FROM (${rows}) t) r
  JOIN analytics.site s USING (site_id) GROUP BY s.tracking_id`;

const MONTH = `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM')`;

/** A restore rehearsal compares the restored database's answers with those from the backup's snapshot. */
export const BACKUP_QUESTIONS: readonly BackupQuestion[] = [
  {
    name: 'page views and visits by month',
    sql: hashOf(`SELECT site_id, ARRAY[${MONTH}, count(*)::text, count(*) FILTER (WHERE pv = 1)::text,
      sum(browse_sec)::text] AS parts FROM analytics.page_view GROUP BY site_id, ${MONTH}`),
  },
  {
    name: 'visitors',
    sql: hashOf(`SELECT site_id, ARRAY[count(*)::text, sum(reader_id::numeric)::text] AS parts
      FROM (SELECT DISTINCT site_id, reader_id FROM analytics.page_view) v GROUP BY site_id`),
  },
  {
    name: 'page views by page',
    sql: hashOf(`SELECT site_id, ARRAY[url, views::text] AS parts
      FROM (SELECT site_id, page_id, count(*) AS views FROM analytics.page_view GROUP BY site_id, page_id) v
      JOIN analytics.page USING (site_id, page_id)`),
  },
  {
    name: 'clicks, events and goals by month',
    sql: hashOf(`SELECT site_id, ARRAY[kind, ${MONTH}, count(*)::text] AS parts
      FROM (SELECT site_id, at, 'click' AS kind FROM analytics.click
            UNION ALL SELECT site_id, at, 'event' FROM analytics.event
            UNION ALL SELECT site_id, at, 'goal ' || goal_no FROM analytics.conversion) f
      GROUP BY site_id, kind, ${MONTH}`),
  },
  {
    name: 'search clicks and impressions by month',
    sql: hashOf(`SELECT site_id, ARRAY[to_char(day, 'YYYY-MM'), count(*)::text, sum(clicks)::text, sum(impressions)::text] AS parts
      FROM analytics.search_day GROUP BY site_id, to_char(day, 'YYYY-MM')`),
  },
  {
    name: 'page views by source, medium and campaign',
    sql: hashOf(`SELECT site_id, ARRAY[source_domain, utm_source, utm_medium, utm_campaign, views::text] AS parts
      FROM (SELECT site_id, source_id, medium_id, campaign_id, count(*) AS views FROM analytics.page_view
             GROUP BY site_id, source_id, medium_id, campaign_id) v
      LEFT JOIN analytics.source USING (site_id, source_id) LEFT JOIN analytics.medium USING (site_id, medium_id)
      LEFT JOIN analytics.campaign USING (site_id, campaign_id)`),
  },
  {
    name: 'page views by device, system, browser, language and country',
    sql: hashOf(`SELECT site_id, ARRAY[device_type, os, browser, language, country_code, views::text] AS parts
      FROM (SELECT site_id, device_id, os_id, browser_id, language_id, country_id, count(*) AS views
              FROM analytics.page_view GROUP BY site_id, device_id, os_id, browser_id, language_id, country_id) v
      LEFT JOIN analytics.device USING (device_id) LEFT JOIN analytics.os USING (os_id)
      LEFT JOIN analytics.browser USING (browser_id) LEFT JOIN analytics.language USING (language_id)
      LEFT JOIN analytics.country USING (country_id)`),
  },
  {
    name: 'clicks by element and events by name',
    sql: hashOf(`SELECT site_id, ARRAY['click', selector, clicks::text, details::text] AS parts
      FROM (SELECT site_id, selector_id, count(*) AS clicks, count(to_url) + count(element_text) AS details
              FROM analytics.click GROUP BY site_id, selector_id) c
      JOIN analytics.selector USING (site_id, selector_id)
      UNION ALL SELECT site_id, ARRAY['event', event_name, events::text, bytes::text]
      FROM (SELECT site_id, event_name_id, count(*) AS events, sum(length(params::text)) AS bytes
              FROM analytics.event GROUP BY site_id, event_name_id) e
      JOIN analytics.event_name USING (site_id, event_name_id)`),
  },
  {
    name: 'searches by keyword',
    sql: hashOf(`SELECT site_id, ARRAY[keyword, clicks::text, impressions::text, positions::text] AS parts
      FROM (SELECT site_id, query_id, sum(clicks) AS clicks, sum(impressions) AS impressions, sum(position_x100) AS positions
              FROM analytics.search_day GROUP BY site_id, query_id) k
      JOIN analytics.keyword USING (site_id, query_id)`),
  },
  {
    name: 'page versions and GA4 data by month',
    sql: hashOf(`SELECT site_id, ARRAY[kind, to_char(day, 'YYYY-MM'), count(*)::text, sum(number)::text] AS parts
      FROM (SELECT site_id, 'version' AS kind, update_date AS day, version_no AS number FROM analytics.page_version
            UNION ALL SELECT site_id, 'age and gender', month, sessions FROM analytics.ga4_age_gender
            UNION ALL SELECT site_id, 'country', month, sessions FROM analytics.ga4_country
            UNION ALL SELECT site_id, 'region', month, sessions FROM analytics.ga4_region) m
      GROUP BY site_id, kind, to_char(day, 'YYYY-MM')`),
  },
];

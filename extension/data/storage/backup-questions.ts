import type { BackupQuestion } from '../../../host-shim/extension-api';

/** Answers a question for each site with a hash of its rows as text, in byte order. */
const hashOf = (rows: string): string => `
SELECT s.tracking_id AS site, md5(string_agg(r.line, E'\\n' ORDER BY r.line COLLATE "C")) AS answer
  FROM (SELECT site_id, concat_ws(' ', VARIADIC parts) AS line FROM (${rows}) t) r
  JOIN analytics.site s USING (site_id) GROUP BY s.tracking_id`;

const MONTH = `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM')`;

/** A rehearsal compares the answers with those from the backup's snapshot. */
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
];

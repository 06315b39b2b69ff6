// Queries grouped by one small dimension or by day, and queries for conversions and searches.
import {
  AT_ALL_IN_RANGE,
  type BenchQuery,
  BY_VIEWS,
  COUNT_VIEWS,
  COUNTRY,
  DEVICE,
  type Dimension,
  IN_RANGE,
  OF_ALL_IN_RANGE,
  SOURCE,
  TEN_WITH_TIES,
  viewOf,
} from './bench-query';

const BROWSER: Dimension = { column: 'browser', table: 'browser', key: 'browser_id' };

const VIEWS = { calc: COUNT_VIEWS, sort: BY_VIEWS };

/** Selects the counted rows. */
interface Rows {
  readonly filter?: object;
  readonly best: string;
  readonly plain: string;
}
const OF_THE_SITE: Rows = { best: IN_RANGE, plain: IN_RANGE };
const OF_ALL_SITES: Rows = { best: OF_ALL_IN_RANGE, plain: AT_ALL_IN_RANGE };
const ON_PHONE = `${IN_RANGE} AND v.device_id = (SELECT device_id FROM device WHERE device_type = 'SP')`;
const OF_ONE_DEVICE: Rows = { filter: { device_type: 'SP' }, best: ON_PHONE, plain: ON_PHONE };

const byDimension = (
  { column, table, key, ofSite }: Dimension,
  { filter, best, plain }: Rows = OF_THE_SITE,
): Pick<BenchQuery, 'everyView' | 'view' | 'best' | 'plain'> => {
  const join = (rows: string) =>
    `LEFT JOIN ${table} d ON d.${key} = ${rows}.${key}${ofSite ? ' AND d.site_id = :site' : ''}`;
  return {
    everyView: true,
    view: viewOf([`allpv.${column}`], { filter, ...VIEWS }),
    best: `
      SELECT d.${column}, ${ofSite ? 'sum(x.n)' : 'x.n'} AS n
        FROM (SELECT v.${key}, count(*) AS n FROM page_view v WHERE ${best} GROUP BY 1) x
        ${join('x')} ${ofSite ? 'GROUP BY 1' : ''} ORDER BY n DESC, d.${column} COLLATE "C"`,
    plain: `SELECT d.${column}, count(*) AS n FROM page_view v ${join('v')} WHERE ${plain} GROUP BY 1 ORDER BY n DESC, 1`,
  };
};

/** Counts by source id, then merges groups with the same text. */
const bySource = (counts: string): string => `
  SELECT s.utm_source, sum(x.n) AS n FROM (${counts}) x
    LEFT JOIN source s ON s.site_id = :site AND s.source_id = x.source_id
   GROUP BY 1 ORDER BY n DESC, s.utm_source COLLATE "C"`;

/** DuckDB has no conversions, so they are computed: the first view of the goal's page in each session. */
const convertedSessions = (goalPage: string, join = ''): string => `
  SELECT s.utm_source, count(*) AS n
    FROM (SELECT arg_min(v.source_id, (v.at, v.pv_id)) AS source_id, min(v.at) AS at FROM page_view v ${join}
           WHERE v.site_id = :site AND ${goalPage} GROUP BY v.session_id) f
    LEFT JOIN source s ON s.site_id = :site AND s.source_id = f.source_id
   WHERE f.at >= :from AND f.at < :to GROUP BY 1 ORDER BY n DESC, 1`;

export const DIMENSION_QUERIES = (goalUrl: string): readonly BenchQuery[] => [
  { name: 'by country', ...byDimension(COUNTRY) },
  { name: 'by utm_source', ...byDimension(SOURCE) },
  { name: 'by device', ...byDimension(DEVICE) },
  { name: 'by browser', ...byDimension(BROWSER) },
  { name: 'by device, all sites', allSites: true, ...byDimension(DEVICE, OF_ALL_SITES) },
  { name: 'by country, one device', ...byDimension(COUNTRY, OF_ONE_DEVICE) },
  {
    name: 'by country and device',
    everyView: true,
    view: viewOf(['allpv.country_code', 'allpv.device_type'], VIEWS),
    best: `
      SELECT c.country_code, d.device_type, x.n
        FROM (SELECT v.country_id, v.device_id, count(*) AS n FROM page_view v WHERE ${IN_RANGE} GROUP BY 1, 2) x
        LEFT JOIN country c ON c.country_id = x.country_id
        JOIN device d ON d.device_id = x.device_id
       ORDER BY x.n DESC, c.country_code COLLATE "C", d.device_type COLLATE "C"`,
    plain: `SELECT c.country_code, d.device_type, count(*) AS n FROM page_view v
              LEFT JOIN country c ON c.country_id = v.country_id JOIN device d ON d.device_id = v.device_id
             WHERE ${IN_RANGE} GROUP BY 1, 2 ORDER BY n DESC, 1, 2`,
  },
  {
    name: 'daily trend',
    everyView: true,
    view: viewOf(['allpv.access_date'], { calc: COUNT_VIEWS }),
    best: {
      postgres: `
        SELECT to_char(d.day, 'YYYY-MM-DD'), x.n
          FROM generate_series(:first_day::timestamp, :end_day::timestamp - interval '1 day', '1 day') d(day)
         CROSS JOIN LATERAL (SELECT count(*) AS n FROM page_view v WHERE v.site_id = :site
                AND v.at >= d.day AT TIME ZONE :tz AND v.at < (d.day + interval '1 day') AT TIME ZONE :tz) x
         WHERE x.n > 0 ORDER BY d.day`,
      duckdb: `
        SELECT timezone(:tz, to_timestamp(x.quarter * 900))::date::varchar AS day, sum(x.n)
          FROM (SELECT epoch_us(v.at) // 900000000 AS quarter, count(*) AS n FROM page_view v WHERE ${IN_RANGE} GROUP BY 1) x
         GROUP BY 1 ORDER BY 1`,
    },
    plain: `SELECT timezone(:tz, v.at)::date::varchar AS day, count(*) FROM page_view v WHERE ${IN_RANGE} GROUP BY 1 ORDER BY 1`,
  },
  {
    name: 'views of a page by source',
    view: viewOf(['allpv.utm_source'], { filter: { url: goalUrl }, ...VIEWS }),
    best: bySource(
      `SELECT v.source_id, count(*) AS n FROM page_view v WHERE ${IN_RANGE} AND v.page_id =
        (SELECT page_id FROM page WHERE site_id = :site AND text_key = :goal_key) GROUP BY 1`,
    ),
    plain: `SELECT s.utm_source, count(*) AS n FROM page_view v
              JOIN page p ON p.site_id = v.site_id AND p.page_id = v.page_id
              LEFT JOIN source s ON s.site_id = v.site_id AND s.source_id = v.source_id
             WHERE ${IN_RANGE} AND p.url = :goal_url GROUP BY 1 ORDER BY n DESC, 1`,
  },
  {
    name: 'conversions by source (goal)',
    materials: ['goal_1'],
    view: viewOf(['goal_1.utm_source'], { calc: { views: 'COUNT(goal_1.pv_id)' }, sort: BY_VIEWS }),
    best: {
      postgres: bySource(
        `SELECT v.source_id, count(*) AS n FROM conversion c
           JOIN page_view v ON v.site_id = c.site_id AND v.pv_id = c.pv_id
          WHERE c.goal_no = 1 AND c.site_id = :site AND c.at >= :from AND c.at < :to GROUP BY 1`,
      ),
      duckdb: convertedSessions(
        'v.page_id = (SELECT page_id FROM page WHERE site_id = :site AND url = :goal_url)',
      ),
    },
    plain: convertedSessions(
      'p.url = :goal_url',
      'JOIN page p ON p.site_id = v.site_id AND p.page_id = v.page_id',
    ),
  },
  {
    name: 'search keywords',
    materials: ['gsc'],
    view: viewOf(['gsc.keyword'], {
      calc: { clicks: 'SUM(gsc.clicks)', impressions: 'SUM(gsc.impressions)' },
      sort: { by: 'clicks', order: 'desc', top: 10 },
    }),
    best: `
      SELECT k.keyword, x.clicks, x.impressions
        FROM (SELECT query_id, sum(clicks) AS clicks, sum(impressions) AS impressions FROM search_day
               WHERE site_id = :site AND day >= :first_day AND day < :end_day GROUP BY 1 ${TEN_WITH_TIES}) x
        JOIN keyword k ON k.site_id = :site AND k.query_id = x.query_id
       ORDER BY x.clicks DESC, k.keyword COLLATE "C" LIMIT 10`,
    plain: `SELECT k.keyword, sum(s.clicks) AS clicks, sum(s.impressions) FROM search_day s
              JOIN keyword k ON k.site_id = s.site_id AND k.query_id = s.query_id
             WHERE s.site_id = :site AND s.day >= :first_day AND s.day < :end_day
             GROUP BY 1 ORDER BY clicks DESC, 1 LIMIT 10`,
  },
];

// Queries that the program is not specially optimized for: visits and their pages, clicks on certain page views, and searches.
import {
  type BenchQuery,
  BY_VIEWS,
  CLICKS_IN_RANGE,
  COUNT_VIEWS,
  IN_RANGE,
  PAGE_OF_VIEW,
  TEN_WITH_TIES,
  viewOf,
} from './bench-query';

const PAGE_ID = '(SELECT page_id FROM page WHERE site_id = :site AND text_key = :goal_key)';
const SEARCHES = 's.site_id = :site AND s.day >= :first_day AND s.day < :end_day';
const SEARCHED_PAGE = 'JOIN page p ON p.site_id = s.site_id AND p.page_id = s.page_id';
const KEYWORD = 'JOIN keyword k ON k.site_id = s.site_id AND k.query_id = s.query_id';

/** `pageUrl` is the goal's page; visitors reach `searchedUrl` from searches. */
export const UNFORESEEN_JOIN_QUERIES = (pageUrl: string, searchedUrl: string): readonly BenchQuery[] => [
  {
    name: 'visits that included a page, by source',
    make: {
      saw: {
        from: ['allpv'],
        filter: { url: pageUrl },
        keep: ['allpv.session_id'],
        calc: { times: 'COUNT(allpv.pv_id)' },
      },
      v: {
        from: ['allpv'],
        filter: { pv: 1 },
        join: {
          with: 'saw',
          on: [{ left: 'allpv.session_id', right: 'saw.session_id' }],
          'if not match': 'drop',
        },
        keep: ['allpv.utm_source'],
        calc: COUNT_VIEWS,
        sort: BY_VIEWS,
      },
    },
    best: `
      SELECT s.utm_source, sum(x.n) AS n
        FROM (SELECT v.source_id, count(*) AS n FROM page_view v
               WHERE ${IN_RANGE} AND v.pv = 1 AND v.session_id IN
                     (SELECT v.session_id FROM page_view v WHERE ${IN_RANGE} AND v.page_id = ${PAGE_ID})
               GROUP BY 1) x
        LEFT JOIN source s ON s.site_id = :site AND s.source_id = x.source_id
       GROUP BY 1 ORDER BY n DESC, s.utm_source COLLATE "C"`,
    plain: `SELECT s.utm_source, count(*) AS n FROM page_view v
              LEFT JOIN source s ON s.site_id = v.site_id AND s.source_id = v.source_id
             WHERE ${IN_RANGE} AND v.pv = 1 AND v.session_id IN
                   (SELECT v.session_id FROM page_view v ${PAGE_OF_VIEW} WHERE ${IN_RANGE} AND p.url = :goal_url)
             GROUP BY 1 ORDER BY n DESC, 1`,
  },
  {
    name: 'readers who came back, by device',
    make: {
      readers: {
        from: ['allpv'],
        keep: ['allpv.reader_id', 'allpv.device_type'],
        calc: { visits: 'COUNTUNIQUE(allpv.session_id)' },
      },
      v: {
        from: ['readers'],
        filter: { visits: { gte: 2 } },
        keep: ['readers.device_type'],
        calc: { readers: 'COUNT(readers.reader_id)' },
      },
    },
    best: `
      SELECT d.device_type, x.n
        FROM (SELECT device_id, count(*) AS n
                FROM (SELECT reader_id, device_id
                        FROM (SELECT DISTINCT v.reader_id, v.device_id, v.session_id FROM page_view v WHERE ${IN_RANGE}) u
                       GROUP BY 1, 2 HAVING count(*) >= 2) r
               GROUP BY 1) x
        LEFT JOIN device d ON d.device_id = x.device_id ORDER BY d.device_type COLLATE "C"`,
    plain: `SELECT device_type, count(*)
              FROM (SELECT v.reader_id, d.device_type FROM page_view v LEFT JOIN device d ON d.device_id = v.device_id
                     WHERE ${IN_RANGE} GROUP BY 1, 2 HAVING count(DISTINCT v.session_id) >= 2) r
             GROUP BY 1 ORDER BY 1`,
  },
  {
    name: 'pages viewed right after a given page',
    view: viewOf(['allpv.next_url'], {
      filter: { url: pageUrl },
      calc: COUNT_VIEWS,
      sort: { ...BY_VIEWS, top: 10 },
    }),
    best: `
      SELECT p.url, x.n
        FROM (SELECT v.next_page_id, count(*) AS n FROM page_view v WHERE ${IN_RANGE} AND v.page_id = ${PAGE_ID}
               GROUP BY 1 ${TEN_WITH_TIES}) x
        LEFT JOIN page p ON p.site_id = :site AND p.page_id = x.next_page_id
       ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
    plain: `SELECT n.url, count(*) AS n FROM page_view v ${PAGE_OF_VIEW}
              LEFT JOIN page n ON n.site_id = v.site_id AND n.page_id = v.next_page_id
             WHERE ${IN_RANGE} AND p.url = :goal_url GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
  },
  {
    name: 'clicks during visits by country, one device (session_id)',
    materials: ['allpv', 'click_event'],
    view: {
      from: ['allpv'],
      filter: { device_type: 'SP' },
      join: {
        with: 'click_event',
        on: [{ left: 'allpv.session_id', right: 'click_event.session_id' }],
        'if not match': 'drop',
      },
      keep: ['allpv.country_code'],
      calc: { clicks: 'COUNT(click_event.pv_id)' },
    },
    best: `
      SELECT c.country_code, x.n
        FROM (SELECT v.country_id, sum(c.k) AS n FROM page_view v
                JOIN (SELECT c.session_id, count(*) AS k FROM click c WHERE ${CLICKS_IN_RANGE} GROUP BY 1) c
                  ON c.session_id = v.session_id
               WHERE ${IN_RANGE} AND v.device_id = (SELECT device_id FROM device WHERE device_type = 'SP') GROUP BY 1) x
        LEFT JOIN country c ON c.country_id = x.country_id ORDER BY c.country_code COLLATE "C"`,
    plain: `SELECT k.country_code, count(*) FROM page_view v
              JOIN click c ON c.site_id = v.site_id AND c.session_id = v.session_id
              JOIN device d ON d.device_id = v.device_id LEFT JOIN country k ON k.country_id = v.country_id
             WHERE ${IN_RANGE} AND c.at >= :from AND c.at < :to AND d.device_type = 'SP' GROUP BY 1 ORDER BY 1`,
  },
  {
    name: 'selectors clicked on a page (pv_id)',
    materials: ['allpv', 'click_event'],
    view: {
      from: ['allpv'],
      filter: { url: pageUrl },
      join: {
        with: 'click_event',
        on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }],
        'if not match': 'drop',
      },
      keep: ['click_event.selector'],
      calc: { clicks: 'COUNT(click_event.pv_id)' },
      sort: { by: 'clicks', order: 'desc', top: 10 },
    },
    best: `
      SELECT s.selector, x.n
        FROM (SELECT c.selector_id, count(*) AS n FROM page_view v
                JOIN click c ON c.site_id = v.site_id AND c.pv_id = v.pv_id
               WHERE ${IN_RANGE} AND v.page_id = ${PAGE_ID} AND c.at >= :from AND c.at < :to GROUP BY 1 ${TEN_WITH_TIES}) x
        JOIN selector s ON s.site_id = :site AND s.selector_id = x.selector_id
       ORDER BY x.n DESC, s.selector COLLATE "C" LIMIT 10`,
    plain: `SELECT s.selector, count(*) AS n FROM page_view v ${PAGE_OF_VIEW}
              JOIN click c ON c.site_id = v.site_id AND c.pv_id = v.pv_id
              JOIN selector s ON s.site_id = c.site_id AND s.selector_id = c.selector_id
             WHERE ${IN_RANGE} AND p.url = :goal_url AND c.at >= :from AND c.at < :to
             GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
  },
  {
    name: 'keywords of a page by month',
    materials: ['gsc'],
    view: viewOf(['gsc.month', 'gsc.keyword'], {
      filter: { url: searchedUrl },
      calc: { clicks: 'SUM(gsc.clicks)', impressions: 'SUM(gsc.impressions)' },
    }),
    best: {
      postgres: `
        SELECT x.month, k.keyword, x.clicks, x.impressions
          FROM (SELECT to_char(s.day, 'YYYY-MM') AS month, s.query_id, sum(s.clicks) AS clicks, sum(s.impressions) AS impressions
                  FROM search_day s WHERE ${SEARCHES} AND s.page_id = (SELECT page_id FROM page WHERE site_id = :site AND url = :searched_url)
                 GROUP BY 1, 2) x
          JOIN keyword k ON k.site_id = :site AND k.query_id = x.query_id ORDER BY 1, k.keyword COLLATE "C"`,
      duckdb: `
        SELECT strftime(x.month, '%Y-%m') AS month, k.keyword, x.clicks, x.impressions
          FROM (SELECT date_trunc('month', s.day) AS month, s.query_id, sum(s.clicks) AS clicks, sum(s.impressions) AS impressions
                  FROM search_day s WHERE ${SEARCHES} AND s.page_id = (SELECT page_id FROM page WHERE site_id = :site AND url = :searched_url)
                 GROUP BY 1, 2) x
          JOIN keyword k ON k.site_id = :site AND k.query_id = x.query_id ORDER BY 1, 2`,
    },
    plain: `SELECT strftime(s.day, '%Y-%m') AS month, k.keyword, sum(s.clicks), sum(s.impressions)
              FROM search_day s ${SEARCHED_PAGE} ${KEYWORD} WHERE ${SEARCHES} AND p.url = :searched_url
             GROUP BY 1, 2 ORDER BY 1, 2`,
  },
];

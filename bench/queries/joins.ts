// Queries that join page views with clicks: by page view, by session, and by page (N:M).
import {
  type BenchQuery,
  CLICKS_IN_RANGE,
  IN_RANGE,
  PAGE_OF_GROUP,
  PAGE_OF_VIEW,
  TEN_WITH_TIES,
} from './bench-query';

const TOP_CLICKS = { sort: { by: 'clicks', order: 'desc', top: 10 } };

const joined = (
  key: 'pv_id' | 'session_id' | 'page_id',
  keep: string,
  more: object = {},
): Pick<BenchQuery, 'materials' | 'view'> => ({
  materials: ['allpv', 'click_event'],
  view: {
    from: ['allpv'],
    keep: [keep],
    join: {
      with: 'click_event',
      on: [{ left: `allpv.${key}`, right: `click_event.${key}` }],
      'if not match': 'drop',
    },
    calc: { clicks: 'COUNT(click_event.pv_id)' },
    ...more,
  },
});

/** Page views joined with clicks by the key. */
const pairs = (key: string): string =>
  `page_view v JOIN click c ON c.site_id = v.site_id AND c.${key} = v.${key}`;
const PAIRS_IN_RANGE = `${IN_RANGE} AND c.at >= :from AND c.at < :to`;

export const JOIN_QUERIES: readonly BenchQuery[] = [
  {
    name: 'clicks per selector (pv_id)',
    ...joined('pv_id', 'click_event.selector', TOP_CLICKS),
    best: `
      SELECT s.selector, x.n
        FROM (SELECT c.selector_id, count(*) AS n FROM click c
               WHERE ${CLICKS_IN_RANGE} AND c.view_at >= :from AND c.view_at < :to GROUP BY 1 ${TEN_WITH_TIES}) x
        JOIN selector s ON s.site_id = :site AND s.selector_id = x.selector_id
       ORDER BY x.n DESC, s.selector COLLATE "C" LIMIT 10`,
    plain: `SELECT s.selector, count(*) AS n FROM ${pairs('pv_id')}
              JOIN selector s ON s.site_id = c.site_id AND s.selector_id = c.selector_id
             WHERE ${PAIRS_IN_RANGE} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
  },
  {
    name: 'clicks during visits by device (session_id)',
    ...joined('session_id', 'allpv.device_type'),
    best: `
      SELECT d.device_type, x.n
        FROM (SELECT v.device_id, sum(c.k) AS n FROM page_view v
                JOIN (SELECT c.session_id, count(*) AS k FROM click c WHERE ${CLICKS_IN_RANGE} GROUP BY 1) c
                  ON c.session_id = v.session_id
               WHERE ${IN_RANGE} GROUP BY 1) x
        JOIN device d ON d.device_id = x.device_id ORDER BY d.device_type COLLATE "C"`,
    plain: `SELECT d.device_type, count(*) FROM ${pairs('session_id')} JOIN device d ON d.device_id = v.device_id
             WHERE ${PAIRS_IN_RANGE} GROUP BY 1 ORDER BY 1`,
  },
  {
    name: 'views x clicks by page (page_id, N:M)',
    ...joined('page_id', 'allpv.url', TOP_CLICKS),
    // Aggregates each side by page first, so that counts are multiplied instead of rows.
    best: `
      SELECT p.url, x.n
        FROM (SELECT v.page_id, v.k * c.k AS n
                FROM (SELECT v.page_id, count(*) AS k FROM page_view v WHERE ${IN_RANGE} GROUP BY 1) v
                JOIN (SELECT c.page_id, count(*) AS k FROM click c WHERE ${CLICKS_IN_RANGE} GROUP BY 1) c
                  ON c.page_id = v.page_id ${TEN_WITH_TIES}) x
        JOIN page p ON ${PAGE_OF_GROUP}
       ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
    plain: `SELECT p.url, count(*) AS n FROM ${pairs('page_id')} ${PAGE_OF_VIEW}
             WHERE ${PAIRS_IN_RANGE} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
  },
];

// Owns the questions that join page views with clicks: by view, by visit, and by page (N:M).
import {
  type BenchQuery,
  CLICKS_IN_RANGE,
  IN_RANGE,
  INNER,
  PAGE_OF_GROUP,
  PAGE_OF_VIEW,
} from './bench-query';

const MATERIALS = ['allpv', 'click_event'];
const CLICKS = { clicks: 'COUNT(click_event.pv_id)' };
const TOP_CLICKS = { by: 'clicks', order: 'desc', top: 10 };

const joined = (key: 'pv_id' | 'session_id' | 'page_id', keep: string): object => ({
  from: ['allpv'],
  keep: [keep],
  join: { with: 'click_event', on: [{ left: `allpv.${key}`, right: `click_event.${key}` }], ...INNER },
  calc: CLICKS,
});

/** Each side by its page first: what a join would multiply is multiplied as numbers. */
const pagesOf = (schema: string): string => `
  SELECT v.page_id, v.k * c.k AS n
    FROM (SELECT v.page_id, count(*) AS k FROM ${schema}page_view v WHERE ${IN_RANGE} GROUP BY 1) v
    JOIN (SELECT c.page_id, count(*) AS k FROM ${schema}click c WHERE ${CLICKS_IN_RANGE} GROUP BY 1) c
      ON c.page_id = v.page_id`;

const devicesOf = (schema: string): string => `
  SELECT d.device_type, x.n
    FROM (SELECT v.device_id, sum(c.k) AS n FROM ${schema}page_view v
            JOIN (SELECT c.session_id, count(*) AS k FROM ${schema}click c WHERE ${CLICKS_IN_RANGE} GROUP BY 1) c
              ON c.session_id = v.session_id
           WHERE ${IN_RANGE} GROUP BY 1) x
    JOIN ${schema}device d ON d.device_id = x.device_id`;

const selectorsOf = (schema: string): string => `
  SELECT c.selector_id, count(*) AS n FROM ${schema}click c
   WHERE ${CLICKS_IN_RANGE} AND c.view_at >= :from AND c.view_at < :to GROUP BY 1`;

export const JOIN_QUERIES: readonly BenchQuery[] = [
  {
    name: 'clicks per selector (pv_id)',
    materials: MATERIALS,
    view: { ...joined('pv_id', 'click_event.selector'), sort: TOP_CLICKS },
    hand: `
      SELECT s.selector, x.n
        FROM (${selectorsOf('analytics.')} ORDER BY 2 DESC FETCH FIRST 10 ROWS WITH TIES) x
        JOIN analytics.selector s ON s.site_id = :site AND s.selector_id = x.selector_id
       ORDER BY x.n DESC, s.selector COLLATE "C" LIMIT 10`,
    duck: {
      same: `SELECT s.selector, count(*) AS n FROM page_view v
               JOIN click c ON c.site_id = v.site_id AND c.pv_id = v.pv_id
               JOIN selector s ON s.site_id = c.site_id AND s.selector_id = c.selector_id
              WHERE ${IN_RANGE} AND c.at >= :from AND c.at < :to GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
      best: `SELECT s.selector, x.n FROM (${selectorsOf('')}) x
               JOIN selector s ON s.site_id = :site AND s.selector_id = x.selector_id
              ORDER BY x.n DESC, s.selector LIMIT 10`,
    },
  },
  {
    name: 'clicks of visits by device (session_id)',
    raw: true,
    materials: MATERIALS,
    view: joined('session_id', 'allpv.device_type'),
    hand: `${devicesOf('analytics.')} ORDER BY d.device_type COLLATE "C"`,
    duck: {
      same: `SELECT d.device_type, count(*) FROM page_view v
               JOIN click c ON c.site_id = v.site_id AND c.session_id = v.session_id
               JOIN device d ON d.device_id = v.device_id
              WHERE ${IN_RANGE} AND c.at >= :from AND c.at < :to GROUP BY 1 ORDER BY 1`,
      best: `${devicesOf('')} ORDER BY 1`,
    },
  },
  {
    name: 'views x clicks by page (page_id, N:M)',
    materials: MATERIALS,
    view: { ...joined('page_id', 'allpv.url'), sort: TOP_CLICKS },
    hand: `
      SELECT p.url, x.n FROM (${pagesOf('analytics.')} ORDER BY 2 DESC FETCH FIRST 10 ROWS WITH TIES) x
        JOIN analytics.page p ON ${PAGE_OF_GROUP}
       ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
    duck: {
      same: `SELECT p.url, count(*) AS n FROM page_view v
               JOIN click c ON c.site_id = v.site_id AND c.page_id = v.page_id ${PAGE_OF_VIEW}
              WHERE ${IN_RANGE} AND c.at >= :from AND c.at < :to GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
      best: `SELECT p.url, x.n FROM (${pagesOf('')}) x JOIN page p ON ${PAGE_OF_GROUP} ORDER BY x.n DESC, p.url LIMIT 10`,
    },
  },
];

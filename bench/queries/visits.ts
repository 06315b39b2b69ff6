// Owns the questions that count visits and visitors once.
import { type BenchQuery, IN_RANGE, PAGE_OF_GROUP, PAGE_OF_VIEW } from './bench-query';

const byDevice = (key: 'session_id' | 'reader_id'): Pick<BenchQuery, 'view' | 'hand' | 'duck'> => ({
  view: { from: ['allpv'], keep: ['allpv.device_type'], calc: { once: `COUNTUNIQUE(allpv.${key})` } },
  hand: `
    SELECT d.device_type, x.n
      FROM (SELECT device_id, count(*) AS n
              FROM (SELECT DISTINCT v.device_id, v.${key} FROM analytics.page_view v WHERE ${IN_RANGE}) u GROUP BY 1) x
      JOIN analytics.device d USING (device_id) ORDER BY d.device_type COLLATE "C"`,
  duck: {
    same: `SELECT d.device_type, count(DISTINCT v.${key}) FROM page_view v JOIN device d ON d.device_id = v.device_id
            WHERE ${IN_RANGE} GROUP BY 1 ORDER BY 1`,
    best: `SELECT d.device_type, x.n
             FROM (SELECT device_id, count(*) AS n
                     FROM (SELECT DISTINCT v.device_id, v.${key} FROM page_view v WHERE ${IN_RANGE}) GROUP BY 1) x
             JOIN device d ON d.device_id = x.device_id ORDER BY 1`,
  },
});

export const VISIT_QUERIES: readonly BenchQuery[] = [
  { name: 'sessions by device', ...byDevice('session_id') },
  {
    name: 'sessions by url',
    view: {
      from: ['allpv'],
      keep: ['allpv.url'],
      calc: { visits: 'COUNTUNIQUE(allpv.session_id)' },
      sort: { by: 'visits', order: 'desc', top: 10 },
    },
    hand: `
      SELECT p.url, x.n
        FROM (SELECT page_id, count(*) AS n
                FROM (SELECT DISTINCT v.page_id, v.session_id FROM analytics.page_view v WHERE ${IN_RANGE}) u
               GROUP BY 1 ORDER BY 2 DESC FETCH FIRST 10 ROWS WITH TIES) x
        JOIN analytics.page p ON ${PAGE_OF_GROUP}
       ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
    duck: {
      same: `SELECT p.url, count(DISTINCT v.session_id) AS n FROM page_view v ${PAGE_OF_VIEW}
              WHERE ${IN_RANGE} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
      best: `SELECT p.url, x.n
               FROM (SELECT page_id, count(*) AS n
                       FROM (SELECT DISTINCT v.page_id, v.session_id FROM page_view v WHERE ${IN_RANGE}) GROUP BY 1) x
               JOIN page p ON ${PAGE_OF_GROUP} ORDER BY x.n DESC, p.url LIMIT 10`,
    },
  },
  { name: 'readers by device', ...byDevice('reader_id') },
];

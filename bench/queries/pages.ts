// Owns the questions about pages: which are seen most, under several conditions.
import {
  AT_ALL_IN_RANGE,
  type BenchQuery,
  BY_VIEWS,
  COUNT_VIEWS,
  IN_RANGE,
  OF_ALL_IN_RANGE,
  PAGE_OF_GROUP,
  PAGE_OF_VIEW,
  TOP_VIEWS,
} from './bench-query';

const topPages = (filter: object = {}): object => ({
  from: ['allpv'],
  keep: ['allpv.url'],
  ...(Object.keys(filter).length === 0 ? {} : { filter }),
  calc: COUNT_VIEWS,
  sort: TOP_VIEWS,
});

/** Ten ids with their ties first; texts after, which break the ties. */
const topByHand = (condition: string, measure = 'count(*)'): string => `
  SELECT p.url, x.n
    FROM (SELECT v.page_id, ${measure} AS n FROM analytics.page_view v WHERE ${condition}
           GROUP BY 1 ORDER BY 2 DESC FETCH FIRST 10 ROWS WITH TIES) x
    JOIN analytics.page p ON ${PAGE_OF_GROUP}
   ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`;

const topInDuck = (condition: string, measure = 'count(*)', joins = ''): BenchQuery['duck'] => ({
  same: `SELECT p.url, ${measure} AS n FROM page_view v ${PAGE_OF_VIEW} ${joins}
          WHERE ${condition} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
  best: `SELECT p.url, x.n FROM (SELECT v.page_id, ${measure} AS n FROM page_view v ${joins} WHERE ${condition} GROUP BY 1) x
           JOIN page p ON ${PAGE_OF_GROUP} ORDER BY x.n DESC, p.url LIMIT 10`,
});

export const PAGE_QUERIES: readonly BenchQuery[] = [
  {
    name: 'top pages',
    everyView: true,
    view: topPages(),
    hand: topByHand(IN_RANGE),
    duck: topInDuck(IN_RANGE),
  },
  {
    name: 'top pages, of how many',
    everyView: true,
    view: { from: ['allpv'], keep: ['allpv.url'], calc: COUNT_VIEWS, sort: BY_VIEWS },
    result: { use: 'v', limit: 10 },
    counted: true,
    hand: `
      SELECT p.url, x.n, x.total
        FROM (SELECT v.page_id, count(*) AS n, count(*) OVER () AS total FROM analytics.page_view v WHERE ${IN_RANGE}
               GROUP BY 1 ORDER BY 2 DESC FETCH FIRST 10 ROWS WITH TIES) x
        JOIN analytics.page p ON ${PAGE_OF_GROUP}
       ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
    duck: {
      same: `SELECT p.url, count(*) AS n, count(*) OVER () AS total FROM page_view v ${PAGE_OF_VIEW}
              WHERE ${IN_RANGE} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
      best: `WITH x AS MATERIALIZED (SELECT v.page_id, count(*) AS n FROM page_view v WHERE ${IN_RANGE} GROUP BY 1)
             SELECT p.url, x.n, (SELECT count(*) FROM x) FROM x JOIN page p ON ${PAGE_OF_GROUP}
              ORDER BY x.n DESC, p.url LIMIT 10`,
    },
  },
  {
    name: 'top pages, another zone',
    everyView: true,
    zone: 'Asia/Kolkata',
    view: topPages(),
    hand: topByHand(IN_RANGE),
    duck: topInDuck(IN_RANGE),
  },
  {
    name: 'top pages, ragged range',
    everyView: true,
    ragged: true,
    view: topPages(),
    hand: topByHand(IN_RANGE),
    duck: topInDuck(IN_RANGE),
  },
  {
    name: 'top pages, all sites',
    everyView: true,
    allSites: true,
    view: topPages(),
    // The same page of two sites would be one row; a site's pages are its own, so grouping by text comes after the ids.
    hand: `
      SELECT p.url, sum(x.n) AS n
        FROM (SELECT v.site_id, v.page_id, count(*) AS n FROM analytics.page_view v WHERE ${OF_ALL_IN_RANGE} GROUP BY 1, 2) x
        JOIN analytics.page p ON p.site_id = x.site_id AND p.page_id = x.page_id
       GROUP BY 1 ORDER BY n DESC, p.url COLLATE "C" LIMIT 10`,
    duck: {
      same: `SELECT p.url, count(*) AS n FROM page_view v ${PAGE_OF_VIEW}
              WHERE ${AT_ALL_IN_RANGE} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
      best: `SELECT p.url, sum(x.n) AS n
               FROM (SELECT v.site_id, v.page_id, count(*) AS n FROM page_view v WHERE ${AT_ALL_IN_RANGE} GROUP BY 1, 2) x
               JOIN page p ON p.site_id = x.site_id AND p.page_id = x.page_id
              GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
    },
  },
  {
    name: 'top pages, one device',
    view: topPages({ device_type: 'SP' }),
    hand: topByHand(
      `${IN_RANGE} AND v.device_id = (SELECT device_id FROM analytics.device WHERE device_type = 'SP')`,
    ),
    duck: {
      same: topInDuck(
        `${IN_RANGE} AND d.device_type = 'SP'`,
        'count(*)',
        'JOIN device d ON d.device_id = v.device_id',
      ).same,
      best: topInDuck(`${IN_RANGE} AND v.device_id = (SELECT device_id FROM device WHERE device_type = 'SP')`)
        .best,
    },
  },
  {
    name: 'landing pages',
    view: topPages({ pv: 1 }),
    hand: topByHand(`${IN_RANGE} AND v.pv = 1`),
    duck: topInDuck(`${IN_RANGE} AND v.pv = 1`),
  },
  {
    name: 'rage pages',
    view: {
      ...topPages({ irritation_click_count: { gt: 0 } }),
      calc: { views: 'SUM(allpv.irritation_click_count)' },
    },
    hand: topByHand(`${IN_RANGE} AND v.irritation_click_count > 0`, 'sum(v.irritation_click_count)'),
    duck: topInDuck(`${IN_RANGE} AND v.irritation_click_count > 0`, 'sum(v.irritation_click_count)'),
  },
];

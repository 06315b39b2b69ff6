// Queries for the most viewed pages under different conditions.
import {
  AT_ALL_IN_RANGE,
  type BenchQuery,
  BY_VIEWS,
  COUNT_VIEWS,
  IN_RANGE,
  OF_ALL_IN_RANGE,
  PAGE_OF_GROUP,
  PAGE_OF_VIEW,
  TEN_WITH_TIES,
  TOP_VIEWS,
  viewOf,
} from './bench-query';

interface Top {
  readonly filter?: object;
  readonly condition?: string;
  /** The condition of the straightforward SQL, and the joins that it needs. */
  readonly plainCondition?: string;
  readonly joins?: string;
  readonly calc?: object;
  readonly measure?: string;
}

const topPages = ({
  filter,
  condition = IN_RANGE,
  plainCondition = condition,
  joins = '',
  calc = COUNT_VIEWS,
  measure = 'count(*)',
}: Top = {}): Pick<BenchQuery, 'view' | 'best' | 'plain'> => ({
  view: viewOf(['allpv.url'], { filter, calc, sort: TOP_VIEWS }),
  best: `
    SELECT p.url, x.n
      FROM (SELECT v.page_id, ${measure} AS n FROM page_view v WHERE ${condition} GROUP BY 1 ${TEN_WITH_TIES}) x
      JOIN page p ON ${PAGE_OF_GROUP}
     ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
  plain: `SELECT p.url, ${measure} AS n FROM page_view v ${PAGE_OF_VIEW} ${joins}
           WHERE ${plainCondition} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
});

export const PAGE_QUERIES: readonly BenchQuery[] = [
  { name: 'top pages', everyView: true, ...topPages() },
  {
    name: 'top pages, with the total count',
    everyView: true,
    view: viewOf(['allpv.url'], { calc: COUNT_VIEWS, sort: BY_VIEWS }),
    result: { use: 'v', limit: 10 },
    counted: true,
    best: {
      postgres: `
        SELECT p.url, x.n, x.total
          FROM (SELECT v.page_id, count(*) AS n, count(*) OVER () AS total FROM page_view v WHERE ${IN_RANGE}
                 GROUP BY 1 ${TEN_WITH_TIES}) x
          JOIN page p ON ${PAGE_OF_GROUP}
         ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
      duckdb: `
        WITH x AS MATERIALIZED (SELECT v.page_id, count(*) AS n FROM page_view v WHERE ${IN_RANGE} GROUP BY 1)
        SELECT p.url, x.n, (SELECT count(*) FROM x) FROM x JOIN page p ON ${PAGE_OF_GROUP}
         ORDER BY x.n DESC, p.url LIMIT 10`,
    },
    plain: `SELECT p.url, count(*) AS n, count(*) OVER () AS total FROM page_view v ${PAGE_OF_VIEW}
             WHERE ${IN_RANGE} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
  },
  { name: 'top pages, another zone', everyView: true, zone: 'Asia/Kolkata', ...topPages() },
  { name: 'top pages, ragged range', everyView: true, ragged: true, ...topPages() },
  {
    name: 'top pages, all sites',
    everyView: true,
    allSites: true,
    view: topPages().view,
    // A URL that occurs on two sites is one row, so the groups by id are grouped again by text.
    best: `
      SELECT p.url, sum(x.n) AS n
        FROM (SELECT v.site_id, v.page_id, count(*) AS n FROM page_view v WHERE ${OF_ALL_IN_RANGE} GROUP BY 1, 2) x
        JOIN page p ON p.site_id = x.site_id AND p.page_id = x.page_id
       GROUP BY 1 ORDER BY n DESC, p.url COLLATE "C" LIMIT 10`,
    plain: topPages({ condition: AT_ALL_IN_RANGE }).plain,
  },
  {
    name: 'top pages, one device',
    ...topPages({
      filter: { device_type: 'SP' },
      condition: `${IN_RANGE} AND v.device_id = (SELECT device_id FROM device WHERE device_type = 'SP')`,
      plainCondition: `${IN_RANGE} AND d.device_type = 'SP'`,
      joins: 'JOIN device d ON d.device_id = v.device_id',
    }),
  },
  {
    name: 'landing pages',
    ...topPages({ filter: { pv: 1 }, condition: `${IN_RANGE} AND v.pv = 1` }),
  },
  {
    name: 'rage pages',
    ...topPages({
      filter: { irritation_click_count: { gt: 0 } },
      condition: `${IN_RANGE} AND v.irritation_click_count > 0`,
      calc: { views: 'SUM(allpv.irritation_click_count)' },
      measure: 'sum(v.irritation_click_count)',
    }),
  },
];

// Queries with decimal numbers, which are computed exactly and rounded once.
import { type BenchQuery, CLICKS_IN_RANGE, IN_RANGE, TEN_WITH_TIES, viewOf } from './bench-query';

const SEARCHES = 's.site_id = :site AND s.day >= :first_day AND s.day < :end_day';

/** The keywords with the highest values of a measure. */
const topKeywords = (calc: string, measure: Record<'postgres' | 'duckdb', string>) => {
  const best = (value: string, ties: string) => `
    SELECT k.keyword, x.n
      FROM (SELECT s.query_id, ${value} AS n FROM search_day s WHERE ${SEARCHES} GROUP BY 1 ${ties}) x
      JOIN keyword k ON k.site_id = :site AND k.query_id = x.query_id
     ORDER BY x.n DESC, k.keyword COLLATE "C" LIMIT 10`;
  return {
    materials: ['gsc'],
    view: viewOf(['gsc.keyword'], { calc: { n: calc }, sort: { by: 'n', order: 'desc', top: 10 } }),
    best: {
      postgres: best(measure.postgres, TEN_WITH_TIES),
      duckdb: best(measure.duckdb, '').replace(' COLLATE "C"', ''),
    },
    plain: `SELECT k.keyword, ${measure.duckdb} AS n FROM search_day s
              JOIN keyword k ON k.site_id = s.site_id AND k.query_id = s.query_id
             WHERE ${SEARCHES} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
  };
};

const WEIGHTED =
  'CAST(sum(CAST(s.position_x100 AS bigint) * s.impressions) AS float8) / (100 * sum(s.impressions))';

/** The sum of the rows' click rates, each rounded to four decimal places. */
const rates = (divide: string) =>
  `CAST(sum(CASE WHEN s.impressions = 0 THEN 0
                 ELSE (20000 * CAST(s.clicks AS bigint) + s.impressions) ${divide} (2 * s.impressions) END) AS float8) / 10000`;

export const DECIMAL_QUERIES: readonly BenchQuery[] = [
  {
    name: 'weighted position by keyword',
    ...topKeywords('SUM(gsc.position_weighted) / SUM(gsc.impressions)', {
      postgres: WEIGHTED,
      duckdb: WEIGHTED,
    }),
  },
  {
    name: 'click rates by keyword',
    ...topKeywords('SUM(gsc.ctr)', { postgres: rates('/'), duckdb: rates('//') }),
  },
  {
    name: 'median position by keyword',
    ...topKeywords('MEDIAN(gsc.position)', {
      postgres: 'percentile_cont(0.5) WITHIN GROUP (ORDER BY s.position_x100) / 100',
      duckdb: 'quantile_cont(s.position_x100, 0.5) / 100',
    }),
  },
  {
    name: 'heights of clicks by device (pv_id)',
    materials: ['allpv', 'click_event'],
    view: {
      from: ['allpv'],
      join: {
        with: 'click_event',
        on: [{ left: 'allpv.pv_id', right: 'click_event.pv_id' }],
        'if not match': 'drop',
      },
      keep: ['allpv.device_type'],
      calc: { y: 'SUM(click_event.page_y_pct)' },
    },
    best: `
      SELECT d.device_type, x.y
        FROM (SELECT v.device_id, sum(c.page_y_pct) AS y FROM page_view v
                JOIN click c ON c.site_id = v.site_id AND c.pv_id = v.pv_id
               WHERE ${IN_RANGE} AND ${CLICKS_IN_RANGE} GROUP BY 1) x
        JOIN device d ON d.device_id = x.device_id ORDER BY d.device_type COLLATE "C"`,
    plain: `SELECT d.device_type, sum(c.page_y_pct) FROM page_view v
              JOIN click c ON c.site_id = v.site_id AND c.pv_id = v.pv_id
              JOIN device d ON d.device_id = v.device_id
             WHERE ${IN_RANGE} AND ${CLICKS_IN_RANGE} GROUP BY 1 ORDER BY 1`,
  },
];

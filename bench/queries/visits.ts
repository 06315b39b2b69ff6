// Queries that count each session or reader once.
import {
  type BenchQuery,
  COUNTRY,
  DEVICE,
  type Dimension,
  IN_RANGE,
  PAGE_OF_GROUP,
  PAGE_OF_VIEW,
  TEN_WITH_TIES,
  viewOf,
} from './bench-query';

/** Counts distinct values of the field, grouped by the text values of a dimension. */
const onceBy = (
  { column, table, key }: Dimension,
  field: 'session_id' | 'reader_id',
): Pick<BenchQuery, 'everyView' | 'view' | 'best' | 'plain'> => ({
  everyView: true,
  view: viewOf([`allpv.${column}`], { calc: { once: `COUNTUNIQUE(allpv.${field})` } }),
  best: `
    SELECT d.${column}, x.n
      FROM (SELECT ${key}, count(*) AS n
              FROM (SELECT DISTINCT v.${key}, v.${field} FROM page_view v WHERE ${IN_RANGE}) u GROUP BY 1) x
      LEFT JOIN ${table} d ON d.${key} = x.${key} ORDER BY d.${column} COLLATE "C"`,
  plain: `SELECT d.${column}, count(DISTINCT v.${field}) FROM page_view v LEFT JOIN ${table} d ON d.${key} = v.${key}
           WHERE ${IN_RANGE} GROUP BY 1 ORDER BY 1`,
});

export const VISIT_QUERIES: readonly BenchQuery[] = [
  { name: 'sessions by device', ...onceBy(DEVICE, 'session_id') },
  { name: 'sessions by country', ...onceBy(COUNTRY, 'session_id') },
  {
    name: 'sessions by url',
    everyView: true,
    view: viewOf(['allpv.url'], {
      calc: { visits: 'COUNTUNIQUE(allpv.session_id)' },
      sort: { by: 'visits', order: 'desc', top: 10 },
    }),
    best: `
      SELECT p.url, x.n
        FROM (SELECT page_id, count(*) AS n
                FROM (SELECT DISTINCT v.page_id, v.session_id FROM page_view v WHERE ${IN_RANGE}) u
               GROUP BY 1 ${TEN_WITH_TIES}) x
        JOIN page p ON ${PAGE_OF_GROUP}
       ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
    plain: `SELECT p.url, count(DISTINCT v.session_id) AS n FROM page_view v ${PAGE_OF_VIEW}
             WHERE ${IN_RANGE} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
  },
  { name: 'readers by device', ...onceBy(DEVICE, 'reader_id') },
  { name: 'readers by country', ...onceBy(COUNTRY, 'reader_id') },
];

// Owns the questions that count visits and visitors once.
import { type BenchQuery, IN_RANGE, PAGE_OF_GROUP, PAGE_OF_VIEW } from './bench-query';

interface Dimension {
  readonly column: string;
  readonly table: string;
  readonly key: string;
}
const DEVICE: Dimension = { column: 'device_type', table: 'device', key: 'device_id' };
const COUNTRY: Dimension = { column: 'country_code', table: 'country', key: 'country_id' };

/** Different values of the field, by the texts of a dimension. */
const onceBy = (
  { column, table, key }: Dimension,
  field: 'session_id' | 'reader_id',
): Pick<BenchQuery, 'everyView' | 'view' | 'hand' | 'duck'> => {
  const idFirst = (schema: string, order: string) => `
    SELECT d.${column}, x.n
      FROM (SELECT ${key}, count(*) AS n
              FROM (SELECT DISTINCT v.${key}, v.${field} FROM ${schema}page_view v WHERE ${IN_RANGE}) u GROUP BY 1) x
      LEFT JOIN ${schema}${table} d ON d.${key} = x.${key} ORDER BY ${order}`;
  return {
    everyView: true,
    view: {
      from: ['allpv'],
      keep: [`allpv.${column}`],
      calc: { once: `COUNTUNIQUE(allpv.${field})` },
    },
    hand: idFirst('analytics.', `d.${column} COLLATE "C"`),
    duck: {
      same: `SELECT d.${column}, count(DISTINCT v.${field}) FROM page_view v LEFT JOIN ${table} d ON d.${key} = v.${key}
              WHERE ${IN_RANGE} GROUP BY 1 ORDER BY 1`,
      best: idFirst('', '1'),
    },
  };
};

export const VISIT_QUERIES: readonly BenchQuery[] = [
  { name: 'sessions by device', ...onceBy(DEVICE, 'session_id') },
  { name: 'sessions by country', ...onceBy(COUNTRY, 'session_id') },
  {
    name: 'sessions by url',
    everyView: true,
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
  { name: 'readers by device', ...onceBy(DEVICE, 'reader_id') },
  { name: 'readers by country', ...onceBy(COUNTRY, 'reader_id') },
];

// Queries that list or count rows without grouping.
import { type BenchQuery, IN_RANGE, POSTGRES_LOCAL_TIME } from './bench-query';

const LIST = {
  from: ['allpv'],
  keep: ['allpv.access_time', 'allpv.url', 'allpv.device_type', 'allpv.country_code', 'allpv.browse_sec'],
};

const FIRST_THOUSAND = 'ORDER BY v.at, v.pv_id LIMIT 1000';
const TEXTS = `
  JOIN page p ON p.site_id = v.site_id AND p.page_id = v.page_id
  JOIN device d ON d.device_id = v.device_id
  LEFT JOIN country c ON c.country_id = v.country_id`;

const POSTGRES_TIME = `to_char(${POSTGRES_LOCAL_TIME}, 'YYYY-MM-DD"T"HH24:MI:SS')`;
const DUCKDB_TIME = "strftime(timezone(:tz, v.at), '%Y-%m-%dT%H:%M:%S')";

const COUNT = `SELECT count(*) FROM page_view v WHERE ${IN_RANGE}`;

const list = (more: string): Pick<BenchQuery, 'view' | 'result' | 'best' | 'plain'> => {
  const columns = (time: string) => `${time}, p.url, d.device_type, c.country_code, v.browse_sec${more}`;
  const best = (time: string) => `
    SELECT ${columns(time)}
      FROM (SELECT * FROM page_view v WHERE ${IN_RANGE} ${FIRST_THOUSAND}) v ${TEXTS} ORDER BY v.at, v.pv_id`;
  return {
    view: LIST,
    result: { use: 'v', limit: 1000 },
    best: { postgres: best(POSTGRES_TIME), duckdb: best(DUCKDB_TIME) },
    plain: `SELECT ${columns(DUCKDB_TIME)} FROM page_view v ${TEXTS} WHERE ${IN_RANGE} ${FIRST_THOUSAND}`,
  };
};

export const LIST_QUERIES: readonly BenchQuery[] = [
  { name: 'list of 1000 rows', ...list('') },
  { name: 'list of 1000 rows, with the total count', counted: true, ...list(`, (${COUNT})`) },
  {
    name: 'count_only',
    everyView: true,
    view: LIST,
    result: { use: 'v', count_only: true },
    best: COUNT,
    plain: COUNT,
  },
];

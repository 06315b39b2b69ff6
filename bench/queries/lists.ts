// Owns the questions for rows as they are, and for their number.
import { type BenchQuery, IN_RANGE } from './bench-query';

const LIST = {
  from: ['allpv'],
  keep: ['allpv.access_time', 'allpv.url', 'allpv.device_type', 'allpv.country_code', 'allpv.browse_sec'],
};

const FIRST_THOUSAND = 'ORDER BY v.at, v.pv_id LIMIT 1000';

const texts = (schema: string): string => `
  JOIN ${schema}page p ON p.site_id = v.site_id AND p.page_id = v.page_id
  JOIN ${schema}device d ON d.device_id = v.device_id
  LEFT JOIN ${schema}country c ON c.country_id = v.country_id`;

const columns = (time: string): string => `${time}, p.url, d.device_type, c.country_code, v.browse_sec`;
/** By the offsets of the range: twice as fast as the zone's name for each row. */
const LOCAL = `v.at AT TIME ZONE make_interval(secs =>
  (:offsets)[width_bucket(extract(epoch FROM v.at)::float8, :changes) + 1])`;
const HAND_COLUMNS = columns(`to_char(${LOCAL}, 'YYYY-MM-DD"T"HH24:MI:SS')`);
const DUCK_COLUMNS = columns("strftime(timezone(:tz, v.at), '%Y-%m-%dT%H:%M:%S')");

const HAND_COUNT = `SELECT count(*) FROM analytics.page_view v WHERE ${IN_RANGE}`;
const DUCK_COUNT = `SELECT count(*) FROM page_view v WHERE ${IN_RANGE}`;

const byHand = (more: string): string => `
  SELECT ${HAND_COLUMNS}${more}
    FROM (SELECT * FROM analytics.page_view v WHERE ${IN_RANGE} ${FIRST_THOUSAND}) v ${texts('analytics.')}
   ORDER BY v.at, v.pv_id`;

const inDuck = (more: string): BenchQuery['duck'] => ({
  same: `SELECT ${DUCK_COLUMNS}${more} FROM page_view v ${texts('')} WHERE ${IN_RANGE} ${FIRST_THOUSAND}`,
  best: `SELECT ${DUCK_COLUMNS}${more} FROM (SELECT * FROM page_view v WHERE ${IN_RANGE} ${FIRST_THOUSAND}) v ${texts('')}
          ORDER BY v.at, v.pv_id`,
});

export const LIST_QUERIES: readonly BenchQuery[] = [
  {
    name: 'list of 1000 rows',
    raw: true,
    view: LIST,
    result: { use: 'v', limit: 1000 },
    hand: byHand(''),
    duck: inDuck(''),
  },
  {
    name: 'list of 1000 rows, of how many',
    view: LIST,
    result: { use: 'v', limit: 1000 },
    counted: true,
    hand: byHand(`, (${HAND_COUNT})`),
    duck: inDuck(`, (${DUCK_COUNT})`),
  },
  {
    name: 'count_only',
    everyView: true,
    view: LIST,
    result: { use: 'v', count_only: true },
    hand: HAND_COUNT,
    duck: { same: DUCK_COUNT, best: DUCK_COUNT },
  },
];

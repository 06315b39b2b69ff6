// Queries that the program is not specially optimized for: several dimensions, filters on other dimensions, substrings of URLs,
// and hours, weekdays and months.
import {
  type BenchQuery,
  BY_VIEWS,
  COUNT_VIEWS,
  COUNTRY,
  DEVICE,
  type Dimension,
  IN_RANGE,
  PAGE_OF_GROUP,
  PAGE_OF_VIEW,
  POSTGRES_LOCAL_TIME,
  SOURCE,
  TEN_WITH_TIES,
  TOP_VIEWS,
  viewOf,
} from './bench-query';

const MEDIUM: Dimension = { column: 'utm_medium', table: 'medium', key: 'medium_id', ofSite: true };
const BROWSER: Dimension = { column: 'browser', table: 'browser', key: 'browser_id' };
const OS: Dimension = { column: 'os', table: 'os', key: 'os_id' };
const LANGUAGE: Dimension = { column: 'language', table: 'language', key: 'language_id' };

const joinTo = ({ table, key, ofSite }: Dimension, rows: string): string =>
  `LEFT JOIN ${table} ON ${table}.${key} = ${rows}.${key}${ofSite ? ` AND ${table}.site_id = :site` : ''}`;
const textOf = ({ table, column }: Dimension): string => `${table}.${column}`;

/** A condition on ids, and the same condition on strings with the joins that it needs. */
interface Condition {
  readonly filter: object;
  readonly best: string;
  readonly plain: string;
  readonly joins: string;
}

const GERMANY: Condition = {
  filter: { country_code: 'DE' },
  best: `v.country_id = (SELECT country_id FROM country WHERE country_code = 'DE')`,
  plain: `country.country_code = 'DE'`,
  joins: joinTo(COUNTRY, 'v'),
};
const ON_PHONE: Condition = {
  filter: { device_type: 'SP' },
  best: `v.device_id = (SELECT device_id FROM device WHERE device_type = 'SP')`,
  plain: `device.device_type = 'SP'`,
  joins: joinTo(DEVICE, 'v'),
};
const GARDEN: Condition = {
  filter: { url: { contains: 'garden' } },
  best: `v.page_id IN (SELECT page_id FROM page WHERE site_id = :site AND url LIKE '%garden%')`,
  plain: `p.url LIKE '%garden%'`,
  joins: PAGE_OF_VIEW,
};
const EVERYTHING: Condition = { filter: {}, best: 'true', plain: 'true', joins: '' };

/** Counts page views, grouped by the text values of dimensions, most frequent first. */
function countBy(
  dimensions: readonly Dimension[],
  { filter, best, plain, joins }: Condition = EVERYTHING,
): Pick<BenchQuery, 'view' | 'best' | 'plain'> {
  const keys = dimensions.map(({ key }) => `v.${key}`).join();
  const texts = dimensions.map(textOf);
  const joined = (rows: string) => dimensions.map((one) => joinTo(one, rows)).join(' ');
  return {
    view: viewOf(
      dimensions.map(({ column }) => `allpv.${column}`),
      { filter, calc: COUNT_VIEWS, sort: { ...BY_VIEWS, top: 100 } },
    ),
    best: `
      SELECT ${texts}, sum(x.n) AS n
        FROM (SELECT ${keys}, count(*) AS n FROM page_view v WHERE ${IN_RANGE} AND ${best} GROUP BY ${keys}) x
        ${joined('x')}
       GROUP BY ${texts} ORDER BY n DESC, ${texts.map((text) => `${text} COLLATE "C"`)} LIMIT 100`,
    plain: `SELECT ${texts}, count(*) AS n FROM page_view v ${joined('v')} ${joins}
             WHERE ${IN_RANGE} AND ${plain} GROUP BY ${texts} ORDER BY n DESC, ${texts} LIMIT 100`,
  };
}

/** Counts unique readers, grouped by the text values of a dimension. */
const readersBy = (
  dimension: Dimension,
  { filter, best, plain, joins }: Condition = EVERYTHING,
): Pick<BenchQuery, 'view' | 'best' | 'plain'> => ({
  view: viewOf([`allpv.${dimension.column}`], { filter, calc: { readers: 'COUNTUNIQUE(allpv.reader_id)' } }),
  best: `
    SELECT ${textOf(dimension)}, x.n
      FROM (SELECT ${dimension.key}, count(*) AS n
              FROM (SELECT DISTINCT v.${dimension.key}, v.reader_id FROM page_view v WHERE ${IN_RANGE} AND ${best}) u
             GROUP BY 1) x
      ${joinTo(dimension, 'x')} ORDER BY ${textOf(dimension)} COLLATE "C"`,
  plain: `SELECT ${textOf(dimension)}, count(DISTINCT v.reader_id) FROM page_view v ${joinTo(dimension, 'v')} ${joins}
           WHERE ${IN_RANGE} AND ${plain} GROUP BY 1 ORDER BY 1`,
});

/** The top pages under a condition, by page views or another measure. */
const topPages = (
  { filter, best, plain, joins }: Condition,
  calc: object = COUNT_VIEWS,
  measure = 'count(*)',
): Pick<BenchQuery, 'view' | 'best' | 'plain'> => ({
  view: viewOf(['allpv.url'], { filter, calc, sort: TOP_VIEWS }),
  best: `
    SELECT p.url, x.n
      FROM (SELECT v.page_id, ${measure} AS n FROM page_view v WHERE ${IN_RANGE} AND ${best} GROUP BY 1 ${TEN_WITH_TIES}) x
      JOIN page p ON ${PAGE_OF_GROUP}
     ORDER BY x.n DESC, p.url COLLATE "C" LIMIT 10`,
  plain: `SELECT p.url, ${measure} AS n FROM page_view v ${PAGE_OF_VIEW} ${joins}
           WHERE ${IN_RANGE} AND ${plain} GROUP BY 1 ORDER BY n DESC, 1 LIMIT 10`,
});

/** UTC offsets change only at quarter hours, so each quarter hour is converted once instead of each timestamp. */
const POSTGRES_QUARTER = `date_bin('15 minutes', v.at, 'epoch'::timestamptz)`;
const DUCKDB_QUARTER = 'epoch_us(v.at) // 900000000';
const DUCKDB_LOCAL_QUARTER = 'timezone(:tz, to_timestamp(x.quarter * 900))';

const quarters = (quarter: string, more: string): string =>
  `(SELECT ${quarter} AS quarter${more}, count(*) AS n FROM page_view v WHERE ${IN_RANGE} GROUP BY ALL) x`;
const quartersOfPostgres = (more: string): string =>
  quarters(POSTGRES_QUARTER, more).replace('ALL', more === '' ? '1' : '1, 2');

export const UNFORESEEN_VIEW_QUERIES: readonly BenchQuery[] = [
  { name: 'by source, medium and device', ...countBy([SOURCE, MEDIUM, DEVICE]) },
  { name: 'by browser and os', ...countBy([BROWSER, OS]) },
  { name: 'by source, one country', ...countBy([SOURCE], GERMANY) },
  { name: 'by country and language, one device', ...countBy([COUNTRY, LANGUAGE], ON_PHONE) },
  { name: 'by device, urls with a word', ...countBy([DEVICE], GARDEN) },
  {
    name: 'top pages, one country and device',
    ...topPages({
      filter: { ...GERMANY.filter, ...ON_PHONE.filter },
      best: `${GERMANY.best} AND ${ON_PHONE.best}`,
      plain: `${GERMANY.plain} AND ${ON_PHONE.plain}`,
      joins: `${GERMANY.joins} ${ON_PHONE.joins}`,
    }),
  },
  { name: 'top pages, urls with a word', ...topPages({ ...GARDEN, joins: '' }) },
  {
    name: 'slowest pages',
    ...topPages(
      {
        filter: { speed_msec: { gt: 3000 } },
        best: 'v.speed_msec > 3000',
        plain: 'v.speed_msec > 3000',
        joins: '',
      },
      { views: 'MAX(allpv.speed_msec)' },
      'max(v.speed_msec)',
    ),
  },
  {
    name: 'hours by weekday',
    view: viewOf(['allpv.access_weekday', 'allpv.access_hour'], { calc: COUNT_VIEWS }),
    best: {
      postgres: `
        SELECT extract(isodow FROM x.quarter AT TIME ZONE :tz)::int, extract(hour FROM x.quarter AT TIME ZONE :tz)::int, sum(x.n)
          FROM ${quartersOfPostgres('')} GROUP BY 1, 2 ORDER BY 1, 2`,
      duckdb: `
        SELECT isodow(${DUCKDB_LOCAL_QUARTER}), hour(${DUCKDB_LOCAL_QUARTER}), sum(x.n)
          FROM ${quarters(DUCKDB_QUARTER, '')} GROUP BY 1, 2 ORDER BY 1, 2`,
    },
    plain: `SELECT isodow(timezone(:tz, v.at)), hour(timezone(:tz, v.at)), count(*) FROM page_view v
             WHERE ${IN_RANGE} GROUP BY 1, 2 ORDER BY 1, 2`,
  },
  {
    name: 'months by device',
    view: viewOf(['allpv.access_month', 'allpv.device_type'], { calc: COUNT_VIEWS }),
    best: {
      postgres: `
        SELECT to_char(x.quarter AT TIME ZONE :tz, 'YYYY-MM'), device.device_type, sum(x.n)
          FROM ${quartersOfPostgres(', v.device_id')} ${joinTo(DEVICE, 'x')} GROUP BY 1, 2 ORDER BY 1, 2`,
      duckdb: `
        SELECT strftime(${DUCKDB_LOCAL_QUARTER}, '%Y-%m'), device.device_type, sum(x.n)
          FROM ${quarters(DUCKDB_QUARTER, ', v.device_id')} ${joinTo(DEVICE, 'x')} GROUP BY 1, 2 ORDER BY 1, 2`,
    },
    plain: `SELECT strftime(timezone(:tz, v.at), '%Y-%m'), device.device_type, count(*) FROM page_view v
              ${joinTo(DEVICE, 'v')} WHERE ${IN_RANGE} GROUP BY 1, 2 ORDER BY 1, 2`,
  },
  {
    name: 'visits by hour',
    view: viewOf(['allpv.access_hour'], { calc: { visits: 'COUNTUNIQUE(allpv.session_id)' } }),
    best: {
      postgres: `
        SELECT u.hour, count(*)
          FROM (SELECT DISTINCT extract(hour FROM ${POSTGRES_LOCAL_TIME})::int AS hour, v.session_id
                  FROM page_view v WHERE ${IN_RANGE}) u
         GROUP BY 1 ORDER BY 1`,
      duckdb: `
        WITH u AS (SELECT DISTINCT ${DUCKDB_QUARTER} AS quarter, v.session_id FROM page_view v WHERE ${IN_RANGE}),
             h AS (SELECT x.quarter, hour(${DUCKDB_LOCAL_QUARTER}) AS hour FROM (SELECT DISTINCT quarter FROM u) x)
        SELECT hour, count(DISTINCT session_id) FROM u JOIN h USING (quarter) GROUP BY 1 ORDER BY 1`,
    },
    plain: `SELECT hour(timezone(:tz, v.at)), count(DISTINCT v.session_id) FROM page_view v
             WHERE ${IN_RANGE} GROUP BY 1 ORDER BY 1`,
  },
  { name: 'readers by language', ...readersBy(LANGUAGE) },
  { name: 'readers by country, one device', ...readersBy(COUNTRY, ON_PHONE) },
  {
    name: 'mean time on page by language',
    view: viewOf(['allpv.language'], { calc: { seconds: 'AVERAGE(allpv.browse_sec)' } }),
    best: `
      SELECT language.language, CAST(x.s AS float8) / x.n
        FROM (SELECT v.language_id, sum(v.browse_sec) AS s, count(v.browse_sec) AS n FROM page_view v WHERE ${IN_RANGE} GROUP BY 1) x
        ${joinTo(LANGUAGE, 'x')} ORDER BY language.language COLLATE "C"`,
    plain: `SELECT language.language, avg(v.browse_sec) FROM page_view v ${joinTo(LANGUAGE, 'v')}
             WHERE ${IN_RANGE} GROUP BY 1 ORDER BY 1`,
  },
];

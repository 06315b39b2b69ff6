// Random queries like those of a dashboard: page views and clicks grouped by one or two dimensions, over ranges that begin and
// end at midnight, or at or near a row.
import fc from 'fast-check';
import { shapeOf } from '../reading/columns';
import { sitesOf } from '../reading/interpret';
import type { Calc, Query, Reference, Sort, Test, View } from '../reading/query';
import type { Tables } from '../reading/tables';
import { edge, rangeOf } from './random-range';
import { at, number, randomOperands, randomOperator, type Samples } from './random-values';
import { callOf, withFill } from './random-view';

const recipe = fc.record({
  site: number,
  zone: number,
  start: edge,
  end: edge,
  readsClicks: number,
  subject: number,
  uniquesOnly: number,
  keep: fc.array(number, { maxLength: 3 }),
  calc: fc.array(number, { minLength: 1, maxLength: 3 }),
  filter: fc.array(
    fc.record({ which: number, operator: number, values: fc.array(number, { minLength: 3, maxLength: 3 }) }),
    { maxLength: 2 },
  ),
  isFiltered: number,
  sort: fc.option(fc.record({ by: number, order: number, top: number }), { freq: 2 }),
  limit: number,
  countOnly: number,
});
type Recipe = typeof recipe extends fc.Arbitrary<infer It> ? It : never;

const PERMITTED = [1, 2, 3];

/** Columns of one or two dimensions that are grouped together. */
const SUBJECTS: readonly (readonly string[])[] = [
  ['url', 'page_id', 'title', 'page_type', 'is_article'],
  ['url', 'device_type', 'page_id'],
  ['source_id', 'utm_source', 'source_domain', 'referrer'],
  ['utm_medium', 'medium_id'],
  ['utm_campaign'],
  ['utm_content'],
  ['country_code'],
  ['is_newuser'],
  ['device_type', 'device_id'],
  ['os'],
  ['browser'],
  ['language'],
  ['access_hour', 'url', 'os'],
  ['channel', 'source_id', 'utm_medium', 'channel'],
  ['url_host', 'url_path'],
  ['url_folder', 'url_query', 'page_id'],
  ['referrer_host', 'source_id'],
];
const CLICKED: readonly (readonly string[])[] = [['selector'], ['page_id'], ['selector', 'page_id']];
const ALWAYS = ['access_date', 'access_week', 'access_month', 'tracking_id'];

const UNIQUES = ['COUNTUNIQUE session_id', 'COUNTUNIQUE reader_id'];
const OF_ALL_ROWS = [
  'COUNT pv_id',
  'SUM browse_sec',
  'AVERAGE browse_sec',
  'COUNT browse_sec',
  'AVERAGE depth_position',
  'SUM is_newuser',
  'AVERAGE deep_read',
  'COUNT is_submit',
  'SUM irritation_click_count',
  'SUM is_last',
  'AVERAGE is_last',
];
const OF_SOME_ROWS = ['COUNT pv_id', 'COUNT url', 'COUNT pv', 'SUM is_last', 'AVERAGE is_last'];
const OF_CLICKS = ['COUNT pv_id', 'COUNT event_sec', 'COUNT selector'];
const RARE = [
  'MAX browse_sec',
  'COUNTUNIQUE page_id',
  'SUM pv',
  'PERCENTILE browse_sec',
  'MEDIAN access_time',
];

/** Filters for landings, exits, bounces, new visitors, deep reads and rage clicks. */
const KINDS: readonly (readonly Test[])[] = [
  [{ column: 'pv', operator: 'eq', value: 1 }],
  [{ column: 'is_last', operator: 'eq', value: 1 }],
  [
    { column: 'pv', operator: 'eq', value: 1 },
    { column: 'is_last', operator: 'eq', value: 1 },
  ],
  [{ column: 'is_newuser', operator: 'eq', value: 1 }],
  [{ column: 'deep_read', operator: 'eq', value: 1 }],
  [{ column: 'irritation_click_count', operator: 'gt', value: 0 }],
];

/** Random queries on this data. */
export const groupedQuery = (tables: Tables, samples: Samples): fc.Arbitrary<Query> =>
  recipe.map((given) => buildQuery(given, tables, samples));

function buildQuery(given: Recipe, tables: Tables, samples: Samples): Query {
  const site = at<number | 'all'>([1, 2, 1, 2, 3, 'all', 'all'], given.site);
  const time = rangeOf(given, tables, site, samples);
  const readsClicks = given.readsClicks % 5 === 4;
  const from = readsClicks ? 'click_event' : 'allpv';
  const subject = at(readsClicks ? CLICKED : SUBJECTS, given.subject);
  const kept = [...new Set(given.keep.map((choice) => at([...subject, ...subject, ...ALWAYS], choice)))];
  const filter = readsClicks ? [] : filterOf(given, subject, tables, site, samples, time.tz);
  const usesKind = filter.some((test) => KINDS.flat().some(({ column }) => column === test.column));
  const calcs = readsClicks
    ? OF_CLICKS
    : usesKind
      ? OF_SOME_ROWS
      : given.uniquesOnly % 3 === 0
        ? [...UNIQUES, ...UNIQUES, 'COUNT pv_id']
        : [...OF_ALL_ROWS, ...OF_ALL_ROWS, ...UNIQUES, ...RARE];
  const reference = (column: string): Reference => ({
    side: 'from',
    column,
    written: `${from}.${column}`,
  });
  const calc = [...new Set(given.calc)].map((choice, index): Calc => {
    const [name = '', column = ''] = at(calcs, choice).split(' ');
    const of = reference(column);
    return { ...callOf(name, of, '95'), name: `n${index}` };
  });
  const joinsViews = readsClicks && given.readsClicks % 2 === 0;
  const view: View = {
    name: 'v',
    from,
    calc,
    keep: kept.map(reference),
    isKeptAgain: false,
    any: null,
    none: null,
    time: null,
    add: false,
    join: joinsViews
      ? {
          with: 'allpv',
          on: [{ left: 'pv_id', right: 'pv_id' }],
          mode: 'drop',
          fill: null,
          nullsMatch: false,
        }
      : null,
    filter,
    sort: sortOf(given, kept, calc),
    fill: null,
  };
  return {
    site,
    time,
    permitted: PERMITTED,
    use: 'v',
    views: [withFill(view, given.uniquesOnly, { views: [], time })],
    materials: joinsViews ? [from, 'allpv'] : [from],
    limit: at([null, 1000, 3, 50_000], given.limit),
    countOnly: given.countOnly % 8 === 7,
  };
}

/** Returns no tests, one of the KINDS, tests of columns of the dimension, or both. */
function filterOf(
  { filter, isFiltered }: Recipe,
  subject: readonly string[],
  tables: Tables,
  site: Query['site'],
  samples: Samples,
  tz: string,
): readonly Test[] {
  const { columns } = shapeOf('allpv', tables, sitesOf({ site, permitted: PERMITTED }));
  const columnTests = filter.flatMap(({ which, operator, values }): readonly Test[] => {
    const column = columns.find(({ name }) => name === at(subject, which));
    if (column === undefined) return [];
    const operation = randomOperator(column.type, operator);
    const value = randomOperands(column, operation, values, samples, tz);
    return [{ column: column.name, operator: operation, value }];
  });
  const [first] = filter;
  const kind = first === undefined ? [] : at(KINDS, first.which >> 4);
  const further = columnTests.slice(1);
  const tests = at([[], columnTests, kind, [...kind, ...further], further], isFiltered);
  return tests.filter(({ column }, index) => tests.findIndex((other) => other.column === column) === index);
}

function sortOf({ sort }: Recipe, kept: readonly string[], calc: readonly Calc[]): Sort | null {
  if (sort === null) return null;
  const by = at([...kept, ...calc.map(({ name }) => name)], sort.by);
  return {
    by,
    written: by,
    order: at(['desc', 'asc'], sort.order),
    top: at([null, 3, 1], sort.top),
    next: [],
    per: [],
  };
}

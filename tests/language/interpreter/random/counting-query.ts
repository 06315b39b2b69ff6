// Random queries that count: distinct values by several keys, sums over summaries and groups, joins in which both sides are only
// counted, and row counts for all of these.
import fc from 'fast-check';
import { materialsOf, shapeOf } from '../reading/columns';
import { sitesOf } from '../reading/interpret';
import type { Calc, Query, Reference, Test, View } from '../reading/query';
import type { Tables } from '../reading/tables';
import { ZONES } from './awkward-values';
import { MONTH, YEAR } from './random-range';
import { at, number, randomOperands, type Samples } from './random-values';
import { callOf } from './random-view';

const recipe = fc.record({
  site: number,
  zone: number,
  isShort: number,
  kind: number,
  joined: number,
  mode: number,
  keep: fc.array(number, { maxLength: 3 }),
  calcs: fc.array(number, { minLength: 1, maxLength: 3 }),
  filter: fc.option(
    fc.record({ which: number, operator: number, values: fc.array(number, { minLength: 3 }) }),
  ),
  outer: fc.record({ keep: fc.array(number, { maxLength: 2 }), calcs: fc.array(number, { minLength: 1 }) }),
  sort: number,
  top: number,
  limit: number,
  isCounted: number,
});
type Recipe = typeof recipe extends fc.Arbitrary<infer It> ? It : never;

const PERMITTED = [1, 2, 3];

const SUMMARIES = ['summary_allpage', 'summary_landingpage', 'summary_days_access_detail'];
const KEYS: readonly string[] = [
  'device_type',
  'utm_source',
  'source_domain',
  'utm_medium',
  'is_newuser',
  'url',
  'title',
  'page_id',
  'access_date',
  'access_week',
  'access_hour',
  'access_weekday',
  'is_last',
  'utm_term',
  'session_id',
  'reader_id',
  'pv_id',
  'tracking_id',
  'os',
];
const COUNTED: readonly string[] = [
  'COUNTUNIQUE title',
  'COUNTUNIQUE utm_source',
  'COUNTUNIQUE url',
  'COUNTUNIQUE session_id',
  'COUNTUNIQUE reader_id',
  'COUNTUNIQUE page_id',
  'COUNTUNIQUE source_id',
  'COUNTUNIQUE session_id',
  'COUNTUNIQUE reader_id',
  'COUNTUNIQUE pv_id',
  'COUNT pv_id',
  'COUNT source_id',
  'SUM browse_sec',
  'AVERAGE browse_sec',
  'MEDIAN browse_sec',
  'MAX depth_position',
  'MIN url',
  'SUM is_last',
];
const ON_CLICKS = ['COUNT pv_id', 'COUNT selector', 'SUM event_sec', 'MAX event_sec', 'COUNTUNIQUE selector'];
const JOIN_KEYS = ['session_id', 'session_id', 'page_id', 'pv_id'];
const FUNCTIONS = ['SUM', 'SUM', 'SUM', 'MAX', 'MIN', 'COUNTUNIQUE', 'COUNT', 'AVERAGE', 'MEDIAN'];
const NUMBERS: ReadonlySet<string> = new Set(['int', 'num', 'flag']);

/** Random queries on this data. */
export const countingQuery = (tables: Tables, samples: Samples): fc.Arbitrary<Query> =>
  recipe.map((given) => buildQuery(given, tables, samples));

function buildQuery(given: Recipe, tables: Tables, samples: Samples): Query {
  const site = at<number | 'all'>([1, 2, 1, 3, 'all'], given.site);
  const sites = sitesOf({ site, permitted: PERMITTED });
  const possible = materialsOf(tables, sites, site === 'all');
  const tz = at(ZONES, given.zone);
  const summaries = SUMMARIES.filter((name) => possible.includes(name));
  const from = given.kind % 3 === 0 ? at(summaries, given.kind >> 2) : 'allpv';
  const isJoined = given.kind % 3 === 1 && given.joined % 2 === 0 && possible.includes('click_event');
  // The page views are not read, so the join with them may be dropped.
  const readsOnlyClicks = isJoined && given.mode % 4 < 2;
  const { columns } = shapeOf(from, tables, sites);
  const has = (name: string | undefined) => columns.some((column) => column.name === name);
  const keys = from === 'allpv' ? KEYS.filter(has) : columns.map(({ name }) => name);
  const keep = readsOnlyClicks ? [] : [...new Set(given.keep.map((choice) => at(keys, choice)))];
  const calcs = given.calcs.map((choice, index) =>
    from === 'allpv'
      ? calcOf(from, readsOnlyClicks || (isJoined && choice % 2 === 0) ? 'with' : 'from', choice >> 1, index)
      : overColumn(from, columns, choice, index),
  );
  const tested =
    given.filter === null
      ? undefined
      : columns.find(({ name }) => name === at(keys, given.filter?.which ?? 0));
  const operator = at(['eq', 'in', 'neq', 'not_in'], given.filter?.operator ?? 0);
  const filter: readonly Test[] =
    tested === undefined || given.filter === null || readsOnlyClicks
      ? []
      : [
          {
            column: tested.name,
            operator,
            value: randomOperands(tested, operator, given.filter.values, samples, tz),
          },
        ];
  const key = readsOnlyClicks ? 'pv_id' : at(JOIN_KEYS, given.joined >> 1);
  const view: View = {
    name: 'v',
    from,
    keep: keep.map((name) => reference(from, name)),
    calc: calcs,
    filter,
    isKeptAgain: false,
    any: null,
    none: null,
    time: null,
    add: false,
    sort: null,
    fill: null,
    join: isJoined
      ? {
          with: 'click_event',
          on: [{ left: key, right: key }],
          fill: null,
          nullsMatch: false,
          mode: at(
            key === 'session_id' ? ['drop', 'keep-left', 'keep-both'] : ['drop', 'keep-left'],
            given.mode,
          ),
        }
      : null,
  };
  const views = given.kind % 3 === 2 || given.kind % 5 === 0 ? [view, overView(view, given)] : [view];
  const last = views.at(-1) ?? view;
  return {
    site,
    permitted: PERMITTED,
    materials: isJoined ? [from, 'click_event'] : [from],
    views: [...views.slice(0, -1), { ...last, sort: sortOf(given, last) }],
    use: last.name,
    countOnly: given.isCounted % 4 === 0,
    time: { ...at([MONTH, YEAR, YEAR], given.isShort), tz },
    limit: at([null, null, 1, 3], given.limit),
  };
}

const reference = (material: string, column: string, side: 'from' | 'with' = 'from'): Reference => ({
  side,
  column,
  written: `${material}.${column}`,
});

function calcOn(name: string, fn: string, of: Reference): Calc {
  return { ...callOf(fn, of, '90'), name };
}

function calcOf(material: string, side: 'from' | 'with', choice: number, index: number): Calc {
  const [name = '', column = ''] = at(side === 'from' ? COUNTED : ON_CLICKS, choice).split(' ');
  const calc = calcOn(`n${index}`, name, reference(side === 'from' ? material : 'click_event', column, side));
  if (choice % 4 !== 0) return calc;
  const test = at(side === 'from' ? TESTS : CLICK_TESTS, choice >> 2);
  return { ...calc, where: { filter: [test], any: null, none: null } };
}

/** Conditions for the filters of calcs. */
const TESTS: readonly Test[] = [
  { column: 'pv', operator: 'gt', value: 1 },
  { column: 'utm_source', operator: 'neq', value: null },
  { column: 'device_type', operator: 'eq', value: 'PC' },
];
const CLICK_TESTS: readonly Test[] = [
  { column: 'selector', operator: 'not_contains', value: '#' },
  { column: 'pv_id', operator: 'gt', value: 3 },
];

/** Returns a calc on a column of counts or durations, or one that counts the distinct values of any column. */
function overColumn(
  material: string,
  columns: readonly { readonly name: string; readonly type: string }[],
  choice: number,
  index: number,
): Calc {
  const counted = columns.filter(
    ({ name, type }) => type === 'int' && /(_count|_time|time_on_page)$/.test(name),
  );
  const countsKey = choice % 5 === 0;
  const column = at(countsKey ? columns : counted, choice >> 3);
  const fn = countsKey || !NUMBERS.has(column.type) ? 'COUNTUNIQUE' : at(FUNCTIONS, choice >> 6);
  return calcOn(`n${index}`, fn, reference(material, column.name));
}

/** Returns a view that groups the groups of this view. */
function overView({ name, keep, calc }: View, { outer }: Recipe): View {
  const names = keep.map(({ column }) => column);
  const kept = names.length === 0 ? [] : [...new Set(outer.keep.map((choice) => at(names, choice)))];
  const calcs = outer.calcs.slice(0, 3).map((choice, index) => {
    const countsKey = names.length > 0 && choice % 5 === 0;
    const column = countsKey ? at(names, choice >> 3) : at(calc, choice >> 3).name;
    const isText = !countsKey && at(calc, choice >> 3).written === 'MIN(allpv.url)';
    const fn = countsKey || isText ? 'COUNTUNIQUE' : at(FUNCTIONS, choice >> 6);
    return calcOn(`m${index}`, fn, reference(name, column));
  });
  return {
    name: 'w',
    from: name,
    keep: kept.map((column) => reference(name, column)),
    calc: calcs,
    filter: [],
    isKeptAgain: false,
    any: null,
    none: null,
    time: null,
    add: false,
    join: null,
    sort: null,
    fill: null,
  };
}

function sortOf({ sort, top }: Recipe, { keep, calc }: View): View['sort'] {
  const by = at([...calc.map(({ name }) => name), ...keep.map(({ column }) => column)], sort);
  return sort % 3 === 0
    ? null
    : {
        by,
        written: by,
        order: at(['desc', 'asc'], sort >> 2),
        top: at([null, 1, 3], top),
        next: [],
        per: [],
      };
}

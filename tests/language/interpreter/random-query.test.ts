// The random queries cover the whole language, and most of them return rows.
import fc from 'fast-check';
import { tries } from '../../support/long-run';
import { expected } from './compare-with-interpreter';
import { randomData } from './random/random-data';
import { EVERYTHING, randomQuery } from './random/random-query';
import { samplesOf } from './random/random-values';
import type { ColumnType } from './reading/columns';
import { shapesOf } from './reading/interpret';
import { type Call, callsOf, type Filter, type Query, type Tree } from './reading/query';
import type { Tables } from './reading/tables';

const SEED = 5;
const QUERIES = tries(4_000, 8_000);
/** Fewer queries, because answering them takes longer than generating them. */
const ANSWERED = tries(150, 500);
const TYPES: readonly ColumnType[] = ['id', 'int', 'num', 'flag', 'text', 'datetime', 'date'];

const tables = randomData(SEED);
const queries = fc.sample(randomQuery(tables, samplesOf(tables), EVERYTHING), {
  seed: SEED,
  numRuns: QUERIES,
});

const operatorsIn = (tree: Tree): readonly string[] =>
  'operator' in tree
    ? [`operator ${tree.operator}`, ...operatorsIn(tree.left), ...operatorsIn(tree.right)]
    : [];

/** Differences between datetimes, with the sides that they read. */
const differencesIn = (tree: Tree, isInstant: (call: Call) => boolean): readonly string[] => {
  if (!('operator' in tree)) return [];
  const { left, right } = tree;
  const isDifference = 'call' in left && 'call' in right && isInstant(left.call) && isInstant(right.call);
  return isDifference
    ? [`${left.call.of.side} - ${right.call.of.side}`]
    : [left, right].flatMap((part) => differencesIn(part, isInstant));
};

/** The lists in a filter, including nested ones: `any > none of 2`. */
const listsIn = (filter: Filter, around = ''): readonly string[] =>
  (['any', 'none'] as const).flatMap((list) => {
    const filters = filter[list];
    if (filters === null) return [];
    const name = `${around}${list}`;
    const inside = filters.flatMap((one) => [
      `${name} with ${one.filter.length}`,
      ...listsIn(one, `${name} > `),
    ]);
    return [`${name} of ${filters.length}`, ...inside];
  });

/** The parts of the language that a query uses. */
function uses(query: Query, data: Tables): readonly string[] {
  const shapes = shapesOf(query, data);
  const columnType = (name: string, column: string): string =>
    shapes.get(name)?.columns.find((it) => it.name === column)?.type ?? '';
  return query.views.flatMap(({ name, from, time, join, filter, any, none, keep, calc, add, sort, fill }) => [
    `from ${shapes.get(from)?.physical === from ? from : 'a view'}`,
    ...(join === null
      ? []
      : [
          `with ${shapes.get(join.with)?.physical === join.with ? join.with : 'a view'}`,
          `pairs: ${join.on.length}`,
          `mode ${join.mode}`,
          ...join.on.map(
            ({ left, right }) =>
              `by ${columnType(from, left)}${left === right ? '' : ' with different names'}`,
          ),
          ...(join.fill === null ? [] : ['fill', `fill, mode ${join.mode}`]),
          ...(query.site === 'all' ? [`all, mode ${join.mode}`] : []),
          ...(join.nullsMatch ? [`nulls match, mode ${join.mode}`] : []),
          ...(query.site === 'all' ? ['join under all'] : []),
        ]),
    ...listsIn({ filter, any, none }),
    ...filter.flatMap(({ operator, other, column }) =>
      other === undefined ? [] : [`${operator} between ${columnType(from, column)} columns`],
    ),
    ...filter.map((test) => `${test.operator} of ${columnType(from, test.column)}`),
    ...calc
      .flatMap(callsOf)
      .map(
        (it) =>
          `${it.function} of ${columnType(it.of.side === 'from' ? from : (join?.with ?? ''), it.of.column)}`,
      ),
    ...calc.flatMap((it) => ('tree' in it ? operatorsIn(it.tree) : [])),
    ...calc.flatMap((it) =>
      'tree' in it
        ? differencesIn(
            it.tree,
            ({ function: fn, of }) =>
              !fn.startsWith('COUNT') &&
              columnType(of.side === 'from' ? from : (join?.with ?? ''), of.column) === 'datetime',
          )
        : [],
    ),
    ...calc.flatMap((it) => {
      const sides = callsOf(it).map(({ of }) => of.side);
      return it.where === undefined
        ? []
        : [
            `filter of calc on ${sides[0]}`,
            ...listsIn(it.where).map((list) => `${list} of calc on ${sides[0]}`),
          ];
    }),
    ...(keep.length === 0 ? ['keep []'] : []),
    ...keep.map(({ column }) => `keep ${column}`),
    ...calc.flatMap(callsOf).map((it) => `${it.function} of ${it.of.column}`),
    ...filter.map(({ column }) => `filter by ${column}`),
    ...(time === null ? [] : ['time of a view']),
    ...(add ? ['add'] : []),
    ...(fill === null
      ? []
      : [`fill of ${columnType(fill.side === 'from' ? from : (join?.with ?? ''), fill.column)}`]),
    ...(fill !== null && keep.length > 1 ? ['fill alongside other columns'] : []),
    ...(sort === null ? [] : [`${sort.order} by ${columnType(name, sort.by)}`]),
    ...(sort?.next ?? []).map(({ order, by }) => `then ${order} by ${columnType(name, by)}`),
    ...(sort?.per ?? []).map(({ by }) => `top per ${columnType(name, by)}`),
    `views: ${query.views.length}`,
    ...(query.offset === null ? [] : [`offset ${query.offset}`]),
  ]);
}

const URL_COLUMNS = ['url_host', 'url_path', 'url_folder', 'url_query', 'referrer_host'];

const REQUIRED_USES = [
  ...['allpv', 'click_event', 'datalayer_event', 'gsc', 'page_version', 'a view'].flatMap((name) => [
    `from ${name}`,
    `with ${name}`,
  ]),
  ...['events.purchase', 'events.Purchase', 'goal_2'].flatMap((name) => [`from ${name}`, `with ${name}`]),
  ...['ga4_age_gender', 'ga4_country', 'ga4_region'].map((name) => `from ${name}`),
  ...['landingpage', 'allpage', 'days_access_detail'].map((name) => `from summary_${name}`),
  'pairs: 1',
  'pairs: 2',
  'fill',
  'join under all',
  ...['eq', 'neq', 'gt', 'gte', 'lt', 'lte'].flatMap((operator) =>
    ['int', 'text'].map((type) => `${operator} between ${type} columns`),
  ),
  ...['any', 'none'].flatMap((list) => [1, 2, 3].map((count) => `${list} of ${count}`)),
  ...['any', 'any > none > any', 'none', 'none > any > none'].flatMap((list) =>
    [0, 1, 2].map((count) => `${list} with ${count}`),
  ),
  'any of 0',
  'none > any of 0',
  'keep []',
  'add',
  'time of a view',
  'offset 0',
  'offset 4',
  'views: 1',
  'views: 2',
  'views: 3',
  'views: 4',
  ...TYPES.flatMap((type) =>
    ['eq', 'neq', 'in', 'not_in', 'gt', 'gte', 'lt', 'lte', 'between'].map(
      (operator) => `${operator} of ${type}`,
    ),
  ),
  ...['contains', 'prefix', 'suffix'].flatMap((operator) => [
    `${operator} of text`,
    `not_${operator} of text`,
  ]),
  ...TYPES.flatMap((type) => ['COUNT', 'COUNTUNIQUE', 'MIN', 'MAX'].map((name) => `${name} of ${type}`)),
  ...['id', 'int', 'num', 'flag'].flatMap((type) => [`SUM of ${type}`, `AVERAGE of ${type}`]),
  ...['filter', 'any of 1', 'any > none of 1', 'none of 1', 'none > any of 1'].flatMap((form) => [
    `${form} of calc on from`,
    `${form} of calc on with`,
  ]),
  ...URL_COLUMNS.flatMap((column) => [`keep ${column}`, `COUNTUNIQUE of ${column}`, `filter by ${column}`]),
  'from - from',
  'from - with',
  'with - from',
  'with - with',
  'operator +',
  'operator -',
  'operator *',
  'operator /',
  ...['id', 'int', 'num', 'flag', 'datetime'].flatMap((type) => [
    `MEDIAN of ${type}`,
    `PERCENTILE of ${type}`,
  ]),
  ...['int', 'text', 'flag', 'date', 'datetime'].map((type) => `by ${type}`),
  'by id with different names',
  ...['null', 'drop', 'keep-left', 'keep-both'].flatMap((mode) => [
    `mode ${mode}`,
    `fill, mode ${mode}`,
    `all, mode ${mode}`,
    `nulls match, mode ${mode}`,
  ]),
  ...['date', 'text', 'int'].map((type) => `fill of ${type}`),
  'fill alongside other columns',
  ...TYPES.flatMap((type) => [`asc by ${type}`, `desc by ${type}`, `then asc by ${type}`, `top per ${type}`]),
];

// conformance: service.data-site, view.other-operators, contracts.clauses
test('every clause, material and operator occurs, and so does every function on every type that it accepts', () => {
  const used = new Set(queries.flatMap((query) => uses(query, tables)));
  expect(REQUIRED_USES.filter((use) => !used.has(use))).toEqual([]);
});

test('most queries return rows, and few are too large', () => {
  const answers = queries.slice(0, ANSWERED).map((query) => expected(query, tables));
  const share = (isOne: (total: number | undefined) => boolean): number =>
    answers.filter((answer) => isOne(answer?.total)).length / ANSWERED;
  expect(share((total) => total === undefined)).toBeLessThan(0.05);
  expect(share((total) => total !== undefined && total > 0)).toBeGreaterThan(0.6);
  expect(share((total) => total !== undefined && total > 5)).toBeGreaterThan(0.2);
});

test('more than a third of the queries join, and more than a quarter cover all sites', () => {
  expect(queries.filter((query) => query.views.some(({ join }) => join !== null)).length).toBeGreaterThan(
    QUERIES / 3,
  );
  expect(queries.filter(({ site }) => site === 'all').length).toBeGreaterThan(QUERIES / 4);
});

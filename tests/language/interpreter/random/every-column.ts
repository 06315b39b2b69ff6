// Exhaustive queries: every column of every material, in every function and across every join.
import { materialsOf, type Shape, shapeOf } from '../reading/columns';
import { sitesOf } from '../reading/interpret';
import type { Calc, Query, Reference, View } from '../reading/query';
import type { Tables } from '../reading/tables';
import { callOf } from './random-view';

const PERMITTED = [1, 2, 3];
const SITES: readonly Query['site'][] = [1, 'all'];
/** Functions that are called in the same query. If the copy cannot compute one exactly, PostgreSQL answers the whole query. */
const FUNCTIONS = [
  ['COUNT', 'COUNTUNIQUE', 'MIN', 'MAX'],
  ['SUM', 'AVERAGE'],
  ['MEDIAN', 'PERCENTILE'],
];
/** The largest number of columns in a view. */
const MAX_CALLS = 256;
const ARITHMETIC = ['id', 'int', 'num', 'flag'];
/** The column types that a function accepts, for functions that do not accept all types. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  SUM: ARITHMETIC,
  AVERAGE: ARITHMETIC,
  MEDIAN: [...ARITHMETIC, 'datetime'],
  PERCENTILE: [...ARITHMETIC, 'datetime'],
};

const ALIKE = ['goal_1', 'goal_10', 'events.view_item'];

const PERIODS: readonly Query['time'][] = [
  { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'Europe/Berlin' },
  { start: '2026-03-08T00:00:00', end: '2026-11-01T00:30:00', tz: 'America/Havana' },
  { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'Australia/Lord_Howe' },
  { start: '2026-03-08T12:00:00', end: '2026-12-31T00:00:00', tz: 'Asia/Kolkata' },
  { start: '2026-04-24T00:00:00', end: '2026-10-30T00:00:00', tz: 'Africa/Cairo' },
];

/**
 * Returns all of these queries for this data. Without `everyJoin`, each key is joined on and each column is kept at least once on
 * each side, and no join covers all sites, because those joins return the most rows.
 */
export function everyColumn(tables: Tables, everyJoin: boolean): readonly Query[] {
  return SITES.flatMap((site) => {
    const sites = sitesOf({ site, permitted: PERMITTED });
    // One goal and one event represent all of them.
    const names = materialsOf(tables, sites, site === 'all').filter((name) => !ALIKE.includes(name));
    const shapes = names.map((name) => shapeOf(name, tables, sites));
    const allJoins = shapes.flatMap((left) => shapes.flatMap((right) => joined(left, right)));
    const fewJoins = site === 'all' ? [] : withNewColumns(allJoins);
    const joins = everyJoin ? allJoins : fewJoins;
    const views = shapes.flatMap((shape) => [
      rows(shape),
      ...FUNCTIONS.flatMap((functions) => totals(shape, functions)),
      ...joins.filter(({ from }) => from === shape.physical),
    ]);
    return views.map((view, index): Query => {
      const materials = view.join === null ? [view.from] : [view.from, view.join.with];
      return {
        site,
        materials,
        permitted: PERMITTED,
        views: [view],
        use: view.name,
        limit: 50_000,
        time: PERIODS[index % PERIODS.length] ?? { start: '', end: '', tz: '' },
        countOnly: false,
      };
    });
  });
}

const NOTHING: Omit<View, 'from'> = {
  name: 'v',
  join: null,
  filter: [],
  keep: [],
  isKeptAgain: false,
  calc: [],
  any: null,
  none: null,
  time: null,
  add: false,
  sort: null,
  fill: null,
};

const reference = (side: Reference['side'], material: string, column: string): Reference => ({
  side,
  column,
  written: `${material}.${column}`,
});

const rows = ({ physical, columns }: Shape): View => ({
  ...NOTHING,
  from: physical,
  keep: columns.map(({ name }) => reference('from', physical, name)),
});

function totals({ physical, columns }: Shape, functions: readonly string[]): readonly View[] {
  const calc = functions.flatMap((name) =>
    columns
      .filter(({ type }) => TYPES[name]?.includes(type) ?? true)
      .map((column): Calc => {
        const call = callOf(name, reference('from', physical, column.name), '99.9');
        return { ...call, name: `${name}_${column.name}` };
      }),
  );
  return Array.from({ length: Math.ceil(calc.length / MAX_CALLS) }, (_, index) => ({
    ...NOTHING,
    from: physical,
    calc: calc.slice(index * MAX_CALLS, (index + 1) * MAX_CALLS),
  }));
}

/**
 * Every join of two materials, on each of their common keys. The joined side keeps all of its columns, and the from side keeps
 * those that the joined side does not have.
 */
function joined(left: Shape, right: Shape): readonly View[] {
  if (left.physical === right.physical) return [];
  const isInRight = (name: string): boolean => right.columns.some((column) => column.name === name);
  const keys = left.columns.filter(
    ({ name, isKey }) => isKey && right.columns.some((column) => column.name === name && column.isKey),
  );
  return keys.map(({ name }, index) => ({
    ...NOTHING,
    from: left.physical,
    join: {
      with: right.physical,
      on: [{ left: name, right: name }],
      fill: null,
      nullsMatch: false,
      mode: index % 2 === 0 ? 'keep-left' : 'drop',
    },
    keep: [
      ...left.columns
        .filter((column) => !isInRight(column.name))
        .map(({ name: column }) => reference('from', left.physical, column)),
      ...right.columns.map(({ name: column }) => reference('with', right.physical, column)),
    ],
  }));
}

/**
 * Returns only the joins with a key or a kept column that no earlier join has on that side. They keep only such columns, or the
 * first column of each side if there are none.
 */
function withNewColumns(joins: readonly View[]): readonly View[] {
  const seen = new Set<string>();
  const isNew = (text: string): boolean => {
    const { size } = seen;
    return seen.add(text).size > size;
  };
  return joins.flatMap((view): readonly View[] => {
    const { from, join } = view;
    const keys = (join?.on ?? []).flatMap(({ left, right }) => [
      `${from}.${left} = `,
      ` = ${join?.with}.${right}`,
    ]);
    const newKeys = keys.filter(isNew);
    const keep = view.keep.filter(({ side, written }) => isNew(`${side} ${written}`));
    if (newKeys.length + keep.length === 0) return [];
    const firstOfSides = view.keep.filter(({ side }, index, all) => all[index - 1]?.side !== side);
    return [{ ...view, keep: keep.length > 0 ? keep : firstOfSides }];
  });
}

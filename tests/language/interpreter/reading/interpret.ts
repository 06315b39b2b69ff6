// A reference interpreter for the language: plain loops over arrays, without SQL or any of the program's code. It takes tables in
// memory and a valid query, and returns the ordered rows of the answer.
import { aggregate, compute, exactAggregate, type Present, resultType } from './aggregates';
import { type Column, type ColumnType, type Shape, shapeOf } from './columns';
import { filledPeriods, periodOf } from './fill';
import { joinRows, type Pair, type Row, siteOf, TooMany } from './join';
import { materialRows } from './materials/materials';
import type { Calc, Call, Filter, Query, Reference, Sort, View } from './query';
import type { Tables, Value } from './tables';
import { compare, passes, passesComparison, printed, readValue } from './values';

export interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  readonly total: number;
}

/** The expected answer to a query. A count has no rows. */
export function interpret(query: Query, tables: Tables): Answer {
  const { rows, shape } = runView(query.use, query, tables);
  const { tz } = query.time;
  const offset = query.offset ?? 0;
  const shown = query.countOnly ? [] : rows.slice(offset, offset + (query.limit ?? 1000));
  return {
    columns: query.countOnly ? [] : shape.columns.map(({ name }) => name),
    rows: shown.map(({ values }) =>
      shape.columns.map(({ name, type }) => printed(values.get(name) ?? null, type, tz)),
    ),
    total: rows.length,
  };
}

/** The sites that a query reads. */
export const sitesOf = ({ site, permitted }: Pick<Query, 'site' | 'permitted'>): readonly number[] =>
  site === 'all' ? permitted : [site];

/** The output of a view. With `all`, MIN and MAX of an id are ids only if the groups keep sites separate. */
export function outputShape(view: View, source: Shape, other: Shape | null, all: boolean): Shape {
  const keep = view.keep.map((reference) => columnOf(reference, source, other));
  const hasSite = !all || isKeptApart(view, source, other);
  const calc = view.calc.map((it): Column => {
    if ('tree' in it) return { name: it.name, type: 'num', isKey: false, identifies: null };
    const { type, identifies } = columnOf(it.of, source, other);
    const isId = type === 'id' && hasSite && ['MIN', 'MAX'].includes(it.function.toUpperCase());
    return {
      name: it.name,
      type: isId ? 'id' : resultType(it.function, type),
      isKey: false,
      identifies: isId ? identifies : null,
    };
  });
  return {
    physical: source.physical,
    columns: [...new Map([...keep, ...calc].map((column) => [column.name, column])).values()],
  };
}

/** Whether groups keep sites separate. */
const isKeptApart = (view: View, source: Shape, other: Shape | null): boolean =>
  view.keep.some((reference) => columnOf(reference, source, other).identifies !== null);

/** The columns of every material and view in a query, by name. */
export function shapesOf(query: Query, tables: Tables): ReadonlyMap<string, Shape> {
  const sites = sitesOf(query);
  const shapes = new Map(query.materials.map((name) => [name, shapeOf(name, tables, sites)]));
  for (const view of query.views) {
    const source = shapes.get(view.from);
    if (source === undefined) throw new Error(`The random query has no ${view.from}.`);
    const other = view.join === null ? undefined : shapes.get(view.join.with);
    shapes.set(view.name, outputShape(view, source, other ?? null, query.site === 'all'));
  }
  return shapes;
}

function columnOf({ side, column }: Reference, source: Shape, other: Shape | null): Column {
  const found = (side === 'from' ? source : other)?.columns.find(({ name }) => name === column);
  if (found === undefined) throw new Error(`The random query has no column ${column}.`);
  return found;
}

/** The ordered rows of a material or view. */
interface Read {
  readonly shape: Shape;
  /** Whether each row belongs to one site. A group may contain rows from several sites. */
  readonly hasSite: boolean;
  readonly rows: readonly Row[];
}

function read(name: string, reader: View, query: Query, tables: Tables, joined: boolean): Read {
  if (query.views.some((view) => view.name === name)) return runView(name, query, tables);
  const sites = sitesOf(query);
  const time = { ...query.time, ...reader.time };
  const rows = materialRows(name, tables, { sites, time, isJoined: joined });
  return { shape: shapeOf(name, tables, sites), hasSite: true, rows };
}

function runView(name: string, query: Query, tables: Tables): Read {
  const view = query.views.find((it) => it.name === name);
  if (view === undefined) throw new Error(`The random query has no view ${name}.`);
  const { tz } = query.time;
  const source = read(view.from, view, query, tables, false);
  const other = view.join === null ? null : read(view.join.with, view, query, tables, true);
  const typeOf = (side: Reference['side'], column: string): ColumnType =>
    columnOf({ side, column, written: '' }, source.shape, other?.shape ?? null).type;
  const satisfies = (row: Row, { filter, any, none }: Filter, side: Reference['side']): boolean =>
    filter.every((test) => {
      const value = row.values.get(test.column) ?? null;
      return test.other === undefined
        ? passes(value, test, typeOf(side, test.column), tz)
        : passesComparison(value, test.operator, row.values.get(test.other) ?? null);
    }) &&
    (any?.some((one) => satisfies(row, one, side)) ?? true) &&
    !(none?.some((one) => satisfies(row, one, side)) ?? false);
  const kept = source.rows.filter((row) => satisfies(row, view, 'from'));
  const pairs: readonly Pair[] =
    view.join === null || other === null
      ? kept.map((left) => ({ left, right: null }))
      : joinRows(kept, other.rows, view.join, query.site === 'all' && source.hasSite && other.hasSite);
  const fill = view.join?.fill ?? null;
  const lookUp = (reference: Reference, { left, right }: Pair): Value => {
    const own = reference.side === 'from' ? left : right;
    if (own !== null) return own.values.get(reference.column) ?? null;
    const key = reference.side === 'from' && view.join?.on.find((pair) => pair.left === reference.column);
    if (key) return right?.values.get(key.right) ?? null;
    return readValue(fill, columnOf(reference, source.shape, other?.shape ?? null).type, tz);
  };
  const all = query.site === 'all';
  const shape = outputShape(view, source.shape, other?.shape ?? null, all);
  const isPerSite = all && isKeptApart(view, source.shape, other?.shape ?? null);
  const hasSite = view.calc.length === 0 ? source.hasSite || other?.hasSite === true : isPerSite;
  const unsorted =
    view.calc.length === 0
      ? pairs.map((pair) => project(view, pair, lookUp))
      : group(view, pairs, lookUp, (reference) => columnOf(reference, source.shape, other?.shape ?? null), {
          all,
          perSite: isPerSite,
          // A row without a match does not pass a filter on the joined side.
          counts: ({ of }, where, { left, right }) => {
            const row = of.side === 'from' ? left : right;
            return where === undefined || isEmpty(where) || (row !== null && satisfies(row, where, of.side));
          },
          filled: periodsToFill(view, query, (row, part) => satisfies(row, part, 'from')),
        });
  const typesOfPer =
    view.sort?.per.map(({ by }) => shape.columns.find(({ name }) => name === by)?.type) ?? [];
  const perSite = query.site === 'all' && typesOfPer.includes('id');
  return { shape, hasSite, rows: view.sort === null ? unsorted : sorted(unsorted, view.sort, perSite) };
}

function periodsToFill(
  view: View,
  query: Query,
  satisfies: (row: Row, part: Filter) => boolean,
): readonly Value[] {
  const period = view.fill && periodOf(view, view.fill, query);
  return view.fill === null || period === null ? [] : filledPeriods(view, view.fill, period, satisfies);
}

/** A stable sort: rows that tie keep their default order. */
function sorted(rows: readonly Row[], { per, top, next, ...first }: Sort, perSite: boolean): readonly Row[] {
  const by = (column: string, order: 'asc' | 'desc') => (a: Row, b: Row) =>
    compare(a.values.get(column) ?? null, b.values.get(column) ?? null, order);
  const keys = [
    ...per.map((column) => by(column.by, 'asc')),
    (a: Row, b: Row) => (perSite ? compare(a.site, b.site) : 0),
    ...[first, ...next].map((key) => by(key.by, key.order)),
  ];
  const all = [...rows].sort((a, b) => keys.map((key) => key(a, b)).find((order) => order !== 0) ?? 0);
  if (top === null) return all;
  const counts = new Map<string, number>();
  return all.filter(({ site, values }) => {
    const group = JSON.stringify([
      ...per.map(({ by: column }) => values.get(column) ?? null),
      perSite ? site : 0,
    ]);
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);
    return count <= top;
  });
}

/** Whether a calc with this filter aggregates a pair. */
type Counts = (call: Call, where: Filter | undefined, pair: Pair) => boolean;

const isEmpty = ({ filter, any, none }: Filter): boolean =>
  filter.length === 0 && any === null && none === null;

type LookUp = (reference: Reference, pair: Pair) => Value;

const project = ({ keep }: View, pair: Pair, lookUp: LookUp): Row => ({
  site: siteOf(pair),
  values: new Map(keep.map((reference) => [reference.column, lookUp(reference, pair)])),
});

interface Grouping {
  readonly all: boolean;
  readonly perSite: boolean;
  readonly counts: Counts;
  /** The periods to fill. Each combination of the other kept values gets a group for each period. */
  readonly filled: readonly Value[];
}

interface Group {
  readonly kept: readonly Value[];
  readonly site: number | null;
  readonly members: Pair[];
}

/** The combination of other kept values in a view that keeps only the period. */
const ONLY_PERIOD: Group = { kept: [null], site: null, members: [] };

/** With more rows, a test would take too long. */
const MAX_CELLS = 20_000;

/** Returns one row per combination of kept values, in order. Sites are kept separate if an id or `tracking_id` is kept. */
function group(
  { keep, calc, fill }: View,
  pairs: readonly Pair[],
  lookUp: LookUp,
  columnOf: (reference: Reference) => Column,
  { all, perSite, counts, filled }: Grouping,
): readonly Row[] {
  const groups = new Map<string, Group>();
  const groupOf = (kept: readonly Value[], site: number | null): Pair[] => {
    const key = JSON.stringify([kept, site]);
    const known = groups.get(key) ?? { kept, site, members: [] };
    groups.set(key, known);
    return known.members;
  };
  if (keep.length === 0) groupOf([], null);
  for (const pair of pairs)
    groupOf(
      keep.map((it) => lookUp(it, pair)),
      perSite ? siteOf(pair) : null,
    ).push(pair);
  const periodIndex = keep.findIndex(({ column }) => column === fill?.column);
  const present = keep.length === 1 && !perSite ? [ONLY_PERIOD] : [...groups.values()];
  if (present.length * filled.length > MAX_CELLS) throw new TooMany();
  for (const { kept, site } of present)
    for (const period of filled) groupOf(kept.with(periodIndex, period), site);
  const rows = [...groups.values()].map(({ kept, site, members }): Row => {
    const keys = keep.map(({ column }, index): [string, Value] => [column, kept[index] ?? null]);
    const valuesOf = (call: Call, { where }: Calc): readonly Present[] =>
      members.flatMap((pair) => {
        if (!counts(call, where, pair)) return [];
        const value = lookUp(call.of, pair);
        return value === null ? [] : [{ value, site: siteOf(pair) }];
      });
    const results = calc.map((it): [string, Value] => {
      if (!('tree' in it)) return [it.name, aggregate(it, valuesOf(it, it), columnOf(it.of).type, all)];
      const exactly = (call: Call) => exactAggregate(call, valuesOf(call, it), columnOf(call.of).type, all);
      return [it.name, compute(it.tree, exactly)];
    });
    return {
      site,
      values: new Map([...keys, ...results]),
    };
  });
  return rows.sort((a, b) => {
    for (const { column } of keep) {
      const order = compare(a.values.get(column) ?? null, b.values.get(column) ?? null);
      if (order !== 0) return order;
    }
    return perSite ? compare(a.site, b.site) : 0;
  });
}

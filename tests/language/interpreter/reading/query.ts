// A query as the interpreter sees it, and as text for the program. A reference has a side and a column; `written` is how the text
// refers to it.
import type { Value } from './tables';

export interface Reference {
  readonly side: 'from' | 'with';
  readonly column: string;
  readonly written: string;
}

export type Operand = Value | boolean | readonly (Value | boolean)[];

export interface Test {
  readonly column: string;
  readonly operator: string;
  readonly value: Operand;
  /** A column to compare with, instead of the value. */
  readonly other?: string;
}

export interface Join {
  readonly with: string;
  readonly on: readonly { readonly left: string; readonly right: string }[];
  readonly mode: 'keep-left' | 'drop' | 'keep-both' | null;
  readonly nullsMatch: boolean;
  readonly fill: Value;
}

/** A function call, or several calls combined with operators. `where` is a filter on the side that all of them read. */
export type Calc = { readonly name: string; readonly where?: Filter } & (
  | Call
  | { readonly tree: Tree; readonly written: string }
);

export interface Call {
  readonly function: string;
  readonly of: Reference;
  readonly written: string;
  /** The second argument of PERCENTILE. */
  readonly percentage?: string;
}

export type Tree =
  | { readonly call: Call }
  | { readonly number: string }
  | { readonly operator: string; readonly left: Tree; readonly right: Tree };

export const callsOf = (calc: Calc): readonly Call[] => ('tree' in calc ? callsIn(calc.tree) : [calc]);

function callsIn(tree: Tree): readonly Call[] {
  if ('call' in tree) return [tree.call];
  return 'number' in tree ? [] : [...callsIn(tree.left), ...callsIn(tree.right)];
}

export interface SortKey {
  readonly by: string;
  readonly written: string;
  readonly order: 'asc' | 'desc';
}

/** The first sort key, the other keys, and the columns of `per`. */
export interface Sort extends SortKey {
  readonly next: readonly SortKey[];
  readonly top: number | null;
  readonly per: readonly Pick<SortKey, 'by' | 'written'>[];
}

/** `any` and `none` are null if the filter does not have them. */
export interface Filter {
  readonly filter: readonly Test[];
  /** At least one of these filters must match. */
  readonly any: readonly Filter[] | null;
  /** None of these filters may match. */
  readonly none: readonly Filter[] | null;
}

export interface View extends Filter {
  readonly name: string;
  readonly from: string;
  /** The range of the view, or null for the range of the query. */
  readonly time: { readonly start: string; readonly end: string } | null;
  readonly join: Join | null;
  readonly keep: readonly Reference[];
  /** Whether the first entry of keep is repeated. */
  readonly isKeptAgain: boolean;
  readonly calc: readonly Calc[];
  readonly add: boolean;
  readonly sort: Sort | null;
  /** A kept column that contains periods, if its missing periods are filled. */
  readonly fill: Reference | null;
}

export interface Query {
  /** The sites that the user may see. */
  readonly permitted: readonly number[];
  /** One of these sites, or all. */
  readonly site: number | 'all';
  readonly materials: readonly string[];
  readonly time: { readonly start: string; readonly end: string; readonly tz: string };
  readonly views: readonly View[];
  readonly use: string;
  readonly limit: number | null;
  readonly offset?: number | null;
  readonly countOnly: boolean;
}

/** JSON text with the keys in this order. In an object, names such as "1" would come first. */
const object = (entries: readonly (readonly [string, string])[]): string =>
  `{${entries.map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(', ')}}`;

/** The text of a query. `physical` returns the material at the end of a view's chain. */
export function bodyOf(query: Query, trackingId: string, physical: (view: string) => string): string {
  const { materials, time, views, use, limit, offset = null, countOnly } = query;
  return object([
    ['tracking_id', JSON.stringify(trackingId)],
    ['materials', JSON.stringify(materials.map((name) => ({ name })))],
    ['time', JSON.stringify(time)],
    ['make', object(views.map((view) => [view.name, viewText(view, physical)]))],
    [
      'result',
      JSON.stringify({
        use,
        ...(limit === null ? {} : { limit }),
        ...(offset === null ? {} : { offset }),
        ...(countOnly ? { count_only: true } : {}),
      }),
    ],
  ]);
}

function viewText(view: View, physical: (name: string) => string): string {
  const { from, time, join, filter, any, none, keep, isKeptAgain, calc, add, sort, fill } = view;
  const clauses: (readonly [string, string])[] = [['from', JSON.stringify([from])]];
  if (time !== null) clauses.push(['time', JSON.stringify(time)]);
  if (join !== null) clauses.push(['join', joinText(join, physical(from))]);
  if (filter.length > 0 || any !== null || none !== null) clauses.push(['filter', filterText(view)]);
  const entries = [...keep, ...(isKeptAgain ? keep.slice(0, 1) : [])];
  clauses.push(['keep', JSON.stringify(entries.map(({ written }) => written))]);
  if (calc.length > 0) {
    clauses.push(['calc', object(calc.map((it) => [it.name, calcText(it)]))]);
  }
  if (add) clauses.push(['add', JSON.stringify(calc.map(({ name }) => name))]);
  if (sort !== null) {
    clauses.push(['sort', sortText(sort)]);
  }
  if (fill !== null) clauses.push(['fill_periods', JSON.stringify(fill.written)]);
  return object(clauses);
}

const calcText = ({ written, where }: Calc): string =>
  where === undefined
    ? JSON.stringify(written)
    : object([
        ['of', JSON.stringify(written)],
        ['filter', filterText(where)],
      ]);

const keysText = (keys: readonly SortKey[]): string =>
  JSON.stringify(keys.map(({ written, order }) => ({ by: written, order })));

const sortText = ({ written, order, next, top, per }: Sort): string =>
  object([
    ['by', JSON.stringify(written)],
    ['order', JSON.stringify(order)],
    ...(next.length === 0 ? [] : [['then', keysText(next)] as const]),
    ...(top === null ? [] : [['top', JSON.stringify(top)] as const]),
    ...(per.length === 0 ? [] : [['per', JSON.stringify(per.map((column) => column.written))] as const]),
  ]);

function joinText({ with: other, on, mode, nullsMatch, fill }: Join, left: string): string {
  return JSON.stringify({
    with: other,
    on: on.map((pair) => ({ left: `${left}.${pair.left}`, right: `${other}.${pair.right}` })),
    ...(mode === null ? {} : { 'if not match': mode }),
    ...(nullsMatch ? { nulls: 'match' } : {}),
    ...(fill === null ? {} : { fill }),
  });
}

/** All tests on a column become one object. A single eq or in is written as a bare value. */
function filterText({ filter, any, none }: Filter): string {
  const columns = [...new Set(filter.map(({ column }) => column))];
  return object([
    ...columns.map((column): readonly [string, string] => {
      const tests = filter.filter((test) => test.column === column);
      const [only] = tests;
      const isBare =
        tests.length === 1 &&
        only?.other === undefined &&
        (only?.operator === 'eq' || only?.operator === 'in');
      const text = isBare
        ? JSON.stringify(only.value)
        : object(
            tests.map(({ operator, value, other }) => [
              operator,
              JSON.stringify(other === undefined ? value : { column: other }),
            ]),
          );
      return [column, text];
    }),
    ...Object.entries({ any, none }).flatMap(([list, filters]): [string, string][] =>
      filters === null ? [] : [[list, `[${filters.map(filterText).join(', ')}]`]],
    ),
  ]);
}

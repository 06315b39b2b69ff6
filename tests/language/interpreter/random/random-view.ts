// Generates one random view: what it reads, joins, keeps and computes, from materials and earlier views.
import fc from 'fast-check';
import { type Column, type ColumnType, isViewColumn, type Shape } from '../reading/columns';
import { periodOf } from '../reading/fill';
import {
  type Calc,
  type Call,
  callsOf,
  type Filter,
  type Join,
  type Query,
  type Reference,
  type Sort,
  type SortKey,
  type Test,
  type Tree,
  type View,
} from '../reading/query';
import { at, number, randomFill, randomOperands, randomOperator, type Samples } from './random-values';

export const periodRecipe = fc.record({ kind: number, first: number, second: number });
export type PeriodRecipe = typeof periodRecipe extends fc.Arbitrary<infer Recipe> ? Recipe : never;

const testsRecipe = fc.array(
  fc.record({ column: number, operator: number, values: fc.array(number, { minLength: 3, maxLength: 3 }) }),
  { maxLength: 2 },
);
type TestsRecipe = typeof testsRecipe extends fc.Arbitrary<infer Recipe> ? Recipe : never;

interface FilterRecipe {
  readonly tests: TestsRecipe;
  /** A list inside this filter: `none` inside `any`, or `any` inside `none`. */
  readonly inside: readonly FilterRecipe[] | null;
}

/** A list of filters, with up to `depth - 1` levels of lists inside. */
const listRecipe = (depth: number): fc.Arbitrary<readonly FilterRecipe[] | null> =>
  fc.option(
    fc.array(
      fc.record({ tests: testsRecipe, inside: depth === 1 ? fc.constant(null) : listRecipe(depth - 1) }),
      { maxLength: depth },
    ),
    { freq: 2 },
  );

const filterRecipe: fc.Arbitrary<FilterRecipe> = fc.record({ tests: testsRecipe, inside: listRecipe(2) });

export const viewRecipe = fc.record({
  from: fc.record({ isView: number, which: number }),
  join: fc.option(
    fc.record({
      with: number,
      keys: fc.array(number, { minLength: 1, maxLength: 2 }),
      mode: number,
      fill: number,
    }),
    { freq: 2 },
  ),
  filter: testsRecipe,
  keep: fc.array(fc.record({ side: number, column: number, spelling: number }), { maxLength: 3 }),
  calc: fc.array(
    fc.record({
      name: number,
      function: number,
      side: number,
      column: number,
      spelling: number,
      where: fc.option(filterRecipe, { freq: 3 }),
    }),
    { maxLength: 3 },
  ),
  isFiltered: number,
  any: listRecipe(3),
  none: listRecipe(3),
  isGrouped: number,
  add: number,
  sort: fc.option(
    fc.record({
      keys: fc.array(fc.record({ by: number, isBare: number, order: number }), {
        minLength: 1,
        maxLength: 3,
      }),
      top: number,
      per: fc.array(number, { maxLength: 2 }),
    }),
    { freq: 2 },
  ),
  time: fc.option(periodRecipe, { freq: 2 }),
  fill: number,
});
export type ViewRecipe = typeof viewRecipe extends fc.Arbitrary<infer Recipe> ? Recipe : never;

export interface Surroundings {
  /** The materials of the query, each repeated according to its weight. */
  readonly materials: readonly string[];
  /** Earlier views. */
  readonly views: readonly string[];
  readonly shapes: ReadonlyMap<string, Shape>;
  readonly samples: Samples;
  readonly tz: string;
  readonly periodOf: (recipe: PeriodRecipe) => { readonly start: string; readonly end: string };
  readonly joins: boolean;
}

/** Generates a view that is valid after the earlier views. */
export function buildView(recipe: ViewRecipe, name: string, surroundings: Surroundings): View {
  const { materials, views, samples, tz } = surroundings;
  const readsView = views.length > 0 && recipe.from.isView % 5 < 3;
  const from = readsView
    ? at([...views].reverse(), recipe.from.which >> 1)
    : at(materials, recipe.from.which);
  const source = shapeIn(surroundings, from);
  const joined = chooseJoin(recipe, from, surroundings);
  const references = referencesOf(from, source, joined, surroundings);
  const kept = recipe.keep.map((it) => pickReference(references, it));
  const calcs = recipe.isGrouped % 5 < 3 ? recipe.calc : [];
  const keep =
    kept.length + calcs.length === 0
      ? [pickReference(references, { side: 0, column: 0, spelling: 0 })]
      : kept.filter((it, index) => kept.findIndex(({ column }) => column === it.column) === index);
  const unfiltered = chooseCalcs(calcs, keep, references);
  const typeOf = ({ side, column }: Reference): ColumnType =>
    references.find((it) => it.side === side && it.column.name === column)?.column.type ?? 'text';
  const filterOf = ({ tests, inside }: FilterRecipe, columns: readonly Column[], other: List): Filter => ({
    filter: testsOf(tests, columns),
    any: null,
    none: null,
    [other]: listOf(inside, columns, other),
  });
  // An empty `none` excludes nothing, so it is left out.
  const listOf = (
    recipes: readonly FilterRecipe[] | null,
    columns: readonly Column[],
    list: List,
  ): readonly Filter[] | null =>
    recipes === null || (list === 'none' && recipes.length === 0)
      ? null
      : recipes.map((one) => filterOf(one, columns, list === 'any' ? 'none' : 'any'));
  const testsOf = (recipes: TestsRecipe, columns: readonly Column[]): readonly Test[] =>
    recipes
      .map((it, index, all): Test => {
        // Occasionally adds another condition on the previous column.
        const columnRecipe = it.operator % 4 === 3 ? (all[index - 1] ?? it) : it;
        const column = pickColumn(columns, columnRecipe.column);
        const operator = randomOperator(column.type, it.operator);
        const value = randomOperands(column, operator, it.values, samples, tz);
        const same = columns.filter(
          (other) => FAMILIES[other.type] === FAMILIES[column.type] && isSameId(column, other),
        );
        const isCompared = COMPARING.includes(operator) && (it.values[2] ?? 0) % 4 === 1;
        const other = isCompared ? { other: pickColumn(same, it.values[1] ?? 0).name } : {};
        return { column: column.name, operator, value, ...other };
      })
      .filter(
        (it, index, all) =>
          all.findIndex((other) => other.column === it.column && other.operator === it.operator) === index,
      );
  const columnsOf = (side: Reference['side']): readonly Column[] =>
    side === 'from' ? source.columns : joined === null ? [] : shapeIn(surroundings, joined.with).columns;
  const calc = unfiltered.map((it, index): Calc => {
    const where = calcs[index]?.where ?? null;
    const [side, other] = new Set(callsOf(it).map(({ of }) => of.side));
    if (where === null || side === undefined || other !== undefined) return it;
    const list = (calcs[index]?.name ?? 0) % 2 === 0 ? 'any' : 'none';
    return { ...it, where: filterOf(where, columnsOf(side), list) };
  });
  const toFill = [
    ...keep,
    ...calc
      .filter(isUnfiltered)
      .flatMap(callsOf)
      .map(({ of }) => of),
  ]
    .filter(
      ({ side, column }) =>
        side === 'with' || (joined?.mode === 'keep-both' && joined.on.every(({ left }) => left !== column)),
    )
    .map(typeOf);
  const fill =
    recipe.join !== null && recipe.join.fill % 2 === 1 ? randomFill(toFill, recipe.join.fill >> 1) : null;
  return {
    name,
    from,
    keep,
    calc,
    time: readsView || recipe.time === null ? null : surroundings.periodOf(recipe.time),
    join: joined === null ? null : { ...joined, fill },
    filter: recipe.isFiltered % 2 === 0 ? [] : testsOf(recipe.filter, source.columns),
    any: recipe.isFiltered % 3 === 0 ? listOf(recipe.any, source.columns, 'any') : null,
    none: recipe.isFiltered % 4 === 0 ? listOf(recipe.none, source.columns, 'none') : null,
    isKeptAgain: recipe.add % 5 === 4,
    add: calc.length > 0 && recipe.add % 4 === 3,
    sort: chooseSort(recipe, keep, calc),
    fill: null,
  };
}

/** For most values of `fill`, fills the period of a view that keeps exactly one period. */
export function withFill(view: View, fill: number, query: Pick<Query, 'views' | 'time'>): View {
  const periods = view.keep.filter((reference) => periodOf(view, reference, query) !== null);
  const [only, ...others] = periods;
  if (only === undefined || others.length > 0 || view.calc.length === 0 || fill % 3 === 0) return view;
  return { ...view, fill: fill % 2 === 0 ? only : { ...only, written: only.column } };
}

const shapeIn = ({ shapes }: Surroundings, name: string): Shape =>
  shapes.get(name) ?? { physical: name, columns: [] };

type List = 'any' | 'none';

/** An empty filter is the same as no filter. */
const isUnfiltered = ({ where }: Calc): boolean =>
  where === undefined || (where.filter.length === 0 && where.any === null && where.none === null);

type KeyPair = Join['on'][number];

const isSameId = (one: Column, other: Column): boolean =>
  one.type !== 'id' || other.type !== 'id' || one.identifies === other.identifies;

/** Pairs on which two sources can be joined. Keys and columns with the same name are more likely. */
function pairsOf(left: string, right: string, surroundings: Surroundings): readonly KeyPair[] {
  const isView = (name: string): boolean => surroundings.views.includes(name);
  const joinable = (name: string): readonly Column[] =>
    shapeIn(surroundings, name).columns.filter(({ isKey }) => isKey || isView(name));
  const others = joinable(right);
  const pairs = joinable(left).flatMap((column) =>
    others
      .filter(({ name, type }) => name === column.name || type === column.type)
      .map((other) => ({ column, other })),
  );
  const keyPairs = pairs.filter(
    ({ column, other }) => column.isKey && other.isKey && column.name === other.name,
  );
  const viewPairs = pairs.filter(
    ({ column, other }) =>
      (isView(left) || isView(right)) &&
      column.type === other.type &&
      column.type !== 'num' &&
      isSameId(column, other),
  );
  const sameNamePairs = viewPairs.filter(({ column, other }) => column.name === other.name);
  return [...keyPairs, ...keyPairs, ...keyPairs, ...sameNamePairs, ...sameNamePairs, ...viewPairs].map(
    ({ column, other }): KeyPair => ({ left: column.name, right: other.name }),
  );
}

/** Joins a material or an earlier view other than the source. Null if none can be joined. */
function chooseJoin({ join }: ViewRecipe, from: string, surroundings: Surroundings): Join | null {
  if (join === null || !surroundings.joins) return null;
  const { views, materials } = surroundings;
  const others = [...new Set(materials), ...views, ...views, ...views].filter(
    (name) => name !== from && pairsOf(from, name, surroundings).length > 0,
  );
  if (others.length === 0) return null;
  const other = at(others, join.with);
  const pairs = pairsOf(from, other, surroundings);
  const chosen = join.keys.map((key) => at(pairs, key));
  const mode = at<Join['mode']>([null, 'drop', 'keep-left', 'keep-both', 'keep-both'], join.mode);
  return {
    with: other,
    // In a join that keeps both sides, a left column may be in only one pair.
    on: chosen.filter(
      (pair, index) =>
        chosen.findIndex(
          ({ left, right }) => left === pair.left && (mode === 'keep-both' || right === pair.right),
        ) === index,
    ),
    mode,
    nullsMatch: views.includes(from) && views.includes(other) && (join.mode >> 4) % 2 === 0,
    fill: null,
  };
}

/** A column that a view can refer to, and all ways to refer to it. */
interface Candidate {
  readonly side: 'from' | 'with';
  readonly column: Column;
  readonly spellings: readonly string[];
}

/**
 * The prefix of the from side is its own name or that of its material. The prefix of the joined side is its own name. If the
 * names are the same, a column that both sides have belongs to the from side, and its prefix is the name of the view.
 */
function referencesOf(
  from: string,
  source: Shape,
  join: Join | null,
  surroundings: Surroundings,
): readonly Candidate[] {
  const other = join === null ? [] : shapeIn(surroundings, join.with).columns;
  const isShared = join?.with === source.physical;
  const onBoth = (name: string): boolean =>
    isShared && [source.columns, other].every((columns) => columns.some((column) => column.name === name));
  const isMergedKey = (name: string): boolean =>
    join?.mode === 'keep-both' && join.on.some(({ right }) => right === name);
  return [
    ...source.columns.map((column): Candidate => {
      const prefixes = onBoth(column.name) ? [from] : [from, source.physical];
      return { side: 'from', column, spellings: prefixes.map((prefix) => `${prefix}.${column.name}`) };
    }),
    ...other
      .filter((column) => !onBoth(column.name) && !isMergedKey(column.name))
      .map((column): Candidate => ({ side: 'with', column, spellings: [`${join?.with}.${column.name}`] })),
  ];
}

/** Keys are more likely, because joins and chains need them. So are columns that page views do not have. */
function pickColumn(columns: readonly Column[], choice: number): Column {
  const keys = columns.filter(({ isKey }) => isKey);
  const rare = columns.filter(({ name }) => !isViewColumn(name));
  const rest = choice >> 2;
  if (choice % 4 === 0 && keys.length > 0) return at(keys, rest);
  return choice % 4 < 3 && rare.length > 0 ? at(rare, rest) : at(columns, rest);
}

function pickReference(
  references: readonly Candidate[],
  { side, column, spelling }: { readonly side: number; readonly column: number; readonly spelling: number },
): Reference {
  const joined = references.filter((it) => it.side === 'with');
  const pool = side % 2 === 1 && joined.length > 0 ? joined : references.filter((it) => it.side === 'from');
  const picked = pickColumn(
    pool.map((it) => it.column),
    column,
  );
  const possible = pool.find((it) => it.column === picked);
  if (possible === undefined) throw new Error(`Nothing refers to ${picked.name}.`);
  return referenceTo(possible, spelling);
}

const referenceTo = ({ side, column, spellings }: Candidate, spelling: number): Reference => ({
  side,
  column: column.name,
  written: at(spellings, spelling),
});

const COMPARING = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte'];
/** Types whose values can be compared. */
const FAMILIES: Readonly<Record<ColumnType, string>> = {
  id: 'number',
  int: 'number',
  num: 'number',
  flag: 'number',
  text: 'text',
  datetime: 'datetime',
  date: 'date',
};

/** Names for computed columns: ordinary ones, and ones that look like numbers, methods, or columns that are not kept. */
const CALC_NAMES = ['n', '1', 'Total', 'constructor', 'pv_id', 'url', 'access_time', 'page_id', '0'];
const ANY_TYPE = ['COUNT', 'COUNTUNIQUE', 'COUNTUNIQUE', 'MIN', 'MAX'];
const ARITHMETIC: readonly ColumnType[] = ['id', 'int', 'num', 'flag'];
const INTERPOLATED = ['MEDIAN', 'PERCENTILE'];
const INSTANTS = ['MIN', 'MAX', ...INTERPOLATED];
const PERCENTAGES = ['95', '50', '0', '100', '99.9', '25', '33.3333', '7.50'];

function chooseCalcs(
  recipes: ViewRecipe['calc'],
  keep: readonly Reference[],
  references: readonly Candidate[],
): readonly Calc[] {
  const calcs = recipes.map((it): Calc => {
    const of = pickReference(references, it);
    const type = references.find(({ side, column }) => side === of.side && column.name === of.column)?.column
      .type;
    const call = callOf(at(functionsOf(type), it.function), of, at(PERCENTAGES, it.spelling >> 8));
    if ((it.function >> 4) % 4 === 3) {
      const tree = treeOf(it, references);
      return { name: at(CALC_NAMES, it.name), tree, written: treeText(tree, it.spelling >> 4) };
    }
    const written = at([call.written, call.written, ` ${lowerCaseName(call.written)} `], it.spelling >> 4);
    return { ...call, name: at(CALC_NAMES, it.name), written };
  });
  const free = calcs.filter(
    ({ name }, index) =>
      keep.every(({ column }) => column !== name) &&
      calcs.findIndex((other) => other.name === name) === index,
  );
  const [first] = calcs;
  // A view that keeps nothing must compute something.
  return free.length === 0 && keep.length === 0 && first !== undefined ? [{ ...first, name: 'n' }] : free;
}

const functionsOf = (type: ColumnType | undefined): readonly string[] => [
  ...ANY_TYPE,
  ...(type !== undefined && ARITHMETIC.includes(type) ? ['SUM', 'AVERAGE', ...INTERPOLATED] : []),
  ...(type === 'datetime' ? INTERPOLATED : []),
];

/** A function call. Only PERCENTILE has a percentage. */
export function callOf(fn: string, of: Reference, percentage: string): Call {
  if (fn !== 'PERCENTILE') return { function: fn, of, written: `${fn}(${of.written})` };
  return { function: fn, of, percentage, written: `${fn}(${of.written}, ${percentage})` };
}

/** Converts only the function's name to lower case. */
const lowerCaseName = (written: string): string => written.replace(/^[A-Z]+/, (name) => name.toLowerCase());

const NUMBERS = ['100', '2', '0.5', '1000000', '0', '3.25'];
const OPERATORS = ['/', '/', '-', '*', '+'];

/** Combines calls that return numbers, and literals, with operators. */
function treeOf(it: ViewRecipe['calc'][number], references: readonly Candidate[]): Tree {
  const call = (shift: number): Tree => {
    const { side, column, spelling } = it;
    const choice = { side: side >> shift, column: column >> (2 * shift), spelling: spelling >> shift };
    const of = pickReference(references, choice);
    const type = references.find((one) => one.side === of.side && one.column.name === of.column)?.column.type;
    const called = (functions: readonly string[], fn: number, reference: Reference): Tree => ({
      call: callOf(at(functions, it.function >> fn), reference, at(PERCENTAGES, column >> 9)),
    });
    const isNumber = type !== undefined && ARITHMETIC.includes(type);
    if (isNumber) return called(functionsOf(type), 5 + shift, of);
    if (type !== 'datetime' || it.function % 4 === 0) return called(['COUNT', 'COUNTUNIQUE'], 5 + shift, of);
    const instants = references.filter((one) => one.column.type === type);
    const other = referenceTo(at(instants, it.name >> (3 + shift)), spelling >> shift);
    const left = called(INSTANTS, 5 + shift, of);
    return { operator: '-', left, right: called(INSTANTS, 7 + shift, other) };
  };
  const number: Tree = { number: at(NUMBERS, it.name >> 5) };
  const operator = (shift: number): string => at(OPERATORS, it.name >> (8 + shift));
  const of = (left: Tree, shift: number, right: Tree): Tree => ({ operator: operator(shift), left, right });
  return at(
    [
      of(call(0), 0, call(1)),
      of(of(call(0), 0, number), 1, call(1)),
      of(of(call(0), 0, call(1)), 1, of(call(2), 2, number)),
      of(number, 0, of(call(1), 1, of(call(2), 2, call(3)))),
      { operator: '-', left: { number: '0' }, right: of(call(0), 0, call(1)) },
      of(call(0), 0, of({ operator: '-', left: { number: '0' }, right: call(1) }, 1, number)),
      of(number, 0, { operator: '-', left: { number: '0' }, right: call(0) }),
    ],
    it.function >> 6,
  );
}

const RANKS: Readonly<Record<string, number>> = { '+': 1, '-': 1, '*': 2, '/': 2 };

/** Writes a tree with as few parentheses as possible, and a subtraction from 0 as a leading minus. */
function treeText(tree: Tree, spelling: number): string {
  if ('call' in tree) return tree.call.written;
  if ('number' in tree) return numberText(tree.number, spelling);
  const rank = RANKS[tree.operator] ?? 0;
  const part = (inner: Tree, minRank: number): string => {
    const text = treeText(inner, spelling >> 1);
    return 'operator' in inner && (RANKS[inner.operator] ?? 0) < minRank ? `(${text})` : text;
  };
  const operator = spelling % 2 === 0 ? ` ${tree.operator} ` : tree.operator;
  const { left, right } = tree;
  // A minus after another operator binds more tightly than any operator.
  const isTight = isNegation(right) && 'call' in right.right;
  const after = isTight ? `-${treeText(right.right, spelling >> 1)}` : part(right, rank + 1);
  return `${isNegation(tree) ? '' : part(left, rank)}${operator}${after}`;
}

const isNegation = (tree: Tree): tree is Extract<Tree, { readonly operator: string }> =>
  'operator' in tree && tree.operator === '-' && 'number' in tree.left && tree.left.number === '0';

const numberText = (number: string, spelling: number): string =>
  spelling % 2 === 0
    ? number
    : number.replace(/^0\./, '.').replace(/^1(0+)$/, (_, zeros) => `1e${zeros.length}`);

function chooseSort({ sort }: ViewRecipe, keep: readonly Reference[], calc: readonly Calc[]): Sort | null {
  if (sort === null) return null;
  const columns = [
    ...keep.map(({ column, written }) => ({ column, written })),
    ...calc.map(({ name }) => ({ column: name, written: name })),
  ];
  const [first, ...next] = sort.keys.map(({ by, isBare, order }): SortKey => {
    const { column, written } = at(columns, by);
    return {
      by: column,
      written: isBare % 2 === 0 ? column : written,
      order: at<SortKey['order']>(['desc', 'asc'], order),
    };
  });
  if (first === undefined) return null;
  const top = at([null, null, 3, 1, 10], sort.top);
  const per = sort.per
    .map((choice) => at(columns, choice))
    .map(({ column, written }) => ({ by: column, written }));
  return { ...first, next, top, per: top === null ? [] : per };
}

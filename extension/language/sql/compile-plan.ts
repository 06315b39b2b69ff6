// Compiles a plan to one SQL statement. Each node requests columns from its input, so unread columns are never computed.
import { columnsOf, columnsOfAggregate, columnsOfDimensionFilter } from '../types/columns-of';
import type { CompiledQuery } from '../types/compiled-query';
import { columnsOfFilter } from '../types/filter-parts';
import type { JoinMode } from '../types/parsed-query';
import type { OrderKey, Plan, PlanNode } from '../types/plan';
import type { Steps } from '../types/steps';
import type { NodeOf } from '../types/walk-plan';
import { aggregateSql } from './aggregate-sql';
import { withQuotients } from './arithmetic-sql';
import type { Compilation } from './compilation';
import { compileScan, compileUniqueCounts, PERIOD } from './compile-tables';
import { conditionSql, orderedSql } from './condition-sql';
import { dimensionFilterSql } from './dimension-filter-sql';
import { expressionSql, withLookups } from './expression-sql';
import { fillScope } from './fill-sql';
import {
  filtered,
  fromTable,
  joined,
  perRow,
  type SelectScope,
  withColumns,
  wrap,
  wrapFirst,
} from './select-scope';
import { allOf, ident, type JoinClause, join, type Sql, select, sql, toStatement } from './sql';
import { stepsScope } from './steps-sql';

type Names = ReadonlySet<string>;

/** Throws only for plans that the planner cannot produce. */
export function* compilePlan(
  { root, counted, output }: Plan,
  { dialect, storage }: Pick<Compilation, 'dialect' | 'storage'>,
): Steps<CompiledQuery> {
  let aliases = 0;
  const compilation = { dialect, storage, nextAlias: (prefix: string) => `${prefix}${++aliases}` };
  const total = output.total === null ? [] : [output.total];
  if (output.kind === 'count') return toStatement(...selectNamed(root, total, compilation));
  const names = output.columns.map(({ column }) => column);
  const totalInRows = counted === null ? total : [];
  const scope = compileNode(root, new Set([...names, ...totalInRows]), compilation);
  yield;
  const columns = [
    ...output.columns.map(({ column, type }) => dialect.output(scope.column(column), type, output.clock)),
    ...totalInRows.map(scope.column),
  ].map((column, index) => sql`${column} as ${ident(`r${index + 1}`)}`);
  if (counted !== null)
    columns.push(sql`${select(...selectNamed(counted, total, compilation))} as ${ident('total')}`);
  yield;
  return toStatement(scope, columns);
}

function selectNamed(node: PlanNode, names: readonly string[], compilation: Compilation) {
  const scope = compileNode(node, new Set(names), compilation);
  return [scope, names.map(scope.column)] as const;
}

const compileNode = (node: PlanNode, wanted: Names, compilation: Compilation): SelectScope =>
  compileKind(node.kind, node, wanted, compilation);

const compileKind = <K extends keyof NodeOf>(
  kind: K,
  node: NodeOf[K],
  wanted: Names,
  compilation: Compilation,
): SelectScope => COMPILERS[kind](node, wanted, compilation);

/** A scope to which conditions, joins and columns can be added. It is wrapped if it already has a limit. */
function compileOpen(node: PlanNode, wanted: Names, compilation: Compilation): SelectScope {
  const scope = compileNode(node, wanted, compilation);
  return scope.limit === null ? scope : wrap(scope, wanted, compilation);
}

/** A scope to which a grouping or an order can be added. It is wrapped if it already has a limit or an order. */
function compileUnordered(node: PlanNode, wanted: Names, compilation: Compilation): SelectScope {
  const scope = compileNode(node, wanted, compilation);
  return scope.limit === null && scope.orderBy.length === 0 ? scope : wrap(scope, wanted, compilation);
}

const without = (names: Names, removed: Iterable<string>): Names => {
  const others = new Set(names);
  for (const name of removed) others.delete(name);
  return others;
};

type Compilers = {
  readonly [K in keyof NodeOf]: (node: NodeOf[K], wanted: Names, compilation: Compilation) => SelectScope;
};

const COMPILERS: Compilers = {
  scan: compileScan,
  'unique-counts': (node, _, compilation) => compileUniqueCounts(node, compilation),
  extend({ input, columns }, wanted, compilation) {
    const used = columns.filter(({ name }) => wanted.has(name));
    const names = columns.map(({ name }) => name);
    const needed = new Set([...without(wanted, names), ...used.flatMap(({ value }) => columnsOf(value))]);
    const inner = compileOpen(input, needed, compilation);
    const open = used.reduce((current, { value }) => withLookups(current, value, compilation), inner);
    const trees = used.flatMap(({ name, value }) =>
      value.kind === 'arithmetic' ? [[name, value.value] as const] : [],
    );
    const scope = withQuotients(open, new Map(trees), needed, compilation);
    const values = used.flatMap(({ name, value }) =>
      value.kind === 'arithmetic' ? [] : [[name, expressionSql(scope, value, compilation)] as const],
    );
    return withColumns(scope, new Map(values));
  },
  filter({ input, conditions, dimensionFilters = [] }, wanted, compilation) {
    const needed = new Set([
      ...wanted,
      ...columnsOfFilter(conditions),
      ...dimensionFilters.flatMap(columnsOfDimensionFilter),
    ]);
    const scope = compileOpen(input, needed, compilation);
    if (conditions.some((it) => 'anyOf' in it && it.anyOf.length === 0 && !it.except))
      return { ...scope, limit: 0 };
    return filtered(scope, [
      ...conditions.map((it) => conditionSql(it, scope.column, compilation.dialect)),
      ...dimensionFilters.map((filter) => dimensionFilterSql(filter, scope.column, compilation)),
    ]);
  },
  join({ left, right, on, mode, nullsMatch, columns }, wanted, compilation) {
    const read = columns.filter(({ name }) => wanted.has(name));
    const names = columns.map(({ name }) => name);
    const neededLeft = new Set([...without(wanted, names), ...on.map((pair) => pair.left)]);
    const open = compileOpen(left, neededLeft, compilation);
    // Conditions and columns of the left side must be applied before a full join.
    const scope = mode === 'keep-both' ? wrap(open, neededLeft, compilation) : open;
    const neededRight = new Set([...read.map(({ column }) => column), ...on.map((pair) => pair.right)]);
    const other = wrap(compileNode(right, neededRight, compilation), neededRight, compilation);
    const equals = nullsMatch ? sql`is not distinct from` : sql`=`;
    const pairs = on.map((pair) => sql`${scope.column(pair.left)} ${equals} ${other.column(pair.right)}`);
    const key = on[0]?.right;
    const values = read.map(({ name, column, type, fill }) => {
      const joinedValue = other.column(column);
      if (fill === null || key === undefined) return [name, joinedValue] as const;
      // The key is null only in rows without a match.
      const filled = sql`case when ${other.column(key)} is null then ${compilation.dialect.constant(type, fill)} else ${joinedValue} end`;
      return [name, filled] as const;
    });
    return withColumns(
      joined(scope, {
        kind: JOIN_KINDS[mode],
        table: other.from,
        on: allOf(pairs.length === 0 ? [sql`true`] : pairs),
      }),
      new Map(values),
    );
  },
  number({ input, column, within, by }, wanted, compilation) {
    if (!wanted.has(column)) return compileNode(input, wanted, compilation);
    const needed = without(new Set([...wanted, ...within, ...by.map((key) => key.column)]), [column]);
    const scope = compileUnordered(input, needed, compilation);
    const window = [
      ...(within.length === 0 ? [] : [sql`partition by ${join(within.map(scope.column))}`]),
      ...(by.length === 0 ? [] : [sql`order by ${join(orderKeys(by, scope, compilation))}`]),
    ];
    const number = sql`(row_number() over (${join(window, sql` `)}) - 1)::int`;
    return wrap(withColumns(scope, new Map([[column, number]])), wanted, compilation);
  },
  group({ input, keys, aggregates: all }, wanted, compilation) {
    const read = all.filter(({ name }) => wanted.has(name));
    // A group without keys returns one row because of its aggregates, so at least one aggregate must stay.
    const aggregates = read.length > 0 || keys.length > 0 ? read : all.slice(0, 1);
    const needed = new Set([...keys, ...aggregates.flatMap(columnsOfAggregate)]);
    const scope = compileUnordered(input, needed, compilation);
    const values = new Map(
      aggregates.map((it) => [it.name, aggregateSql(it, aggregates, scope.column, compilation.dialect)]),
    );
    const names = [...keys, ...values.keys()];
    return wrap({ ...withColumns(scope, values), groupBy: keys.length }, names, compilation);
  },
  steps: (node, _, compilation) => {
    const columns = new Set([node.key, node.at, node.matched]);
    const inputs = node.inputs.map((input) => compileUnordered(input, columns, compilation));
    return stepsScope(node, inputs, compilation);
  },
  'per-period'({ input, column, type, periods }, wanted, compilation) {
    const needed = without(wanted, [column]);
    const inner = wrap(compileNode(input, needed, compilation), needed, compilation);
    const table = compilation.dialect.periods(PERIOD, type, periods);
    return perRow(table, inner, new Map([[column, ident(PERIOD, 'value')]]));
  },
  calendar({ column, unit, spans }, _, compilation) {
    const alias = compilation.nextAlias('d');
    const number = ident(alias, 'number');
    const scope = fromTable(compilation.dialect.numbers(spans), alias);
    return withColumns(scope, new Map([[column, compilation.dialect.period(number, unit)]]));
  },
  fill(node, wanted, compilation) {
    const keys = [...node.within, node.column];
    const rows = compileNode(node.input, new Set([...keys, ...wanted]), compilation);
    const calendar = compileNode(node.calendar, new Set([node.column]), compilation);
    return fillScope(node, { rows, calendar }, without(wanted, keys), compilation);
  },
  order({ input, by }, wanted, compilation) {
    const needed = new Set([...wanted, ...by.map(({ column }) => column)]);
    const scope = compileUnordered(input, needed, compilation);
    return { ...scope, orderBy: orderKeys(by, scope, compilation) };
  },
  limit({ input, count, offset = 0, countAs, withTies = false }, wanted, compilation) {
    const needed = countAs === null ? wanted : without(wanted, [countAs]);
    const scope = compileOpen(input, needed, compilation);
    const all = countAs === null ? scope : withColumns(scope, new Map([[countAs, sql`count(*) over ()`]]));
    return withTies ? wrapFirst(all, count, wanted, compilation) : { ...all, limit: count, offset };
  },
};

const JOIN_KINDS: Readonly<Record<JoinMode, JoinClause['kind']>> = {
  'keep-left': 'left',
  drop: 'inner',
  'keep-both': 'full',
};

const orderKeys = (
  by: readonly OrderKey[],
  { column: columnOf }: SelectScope,
  { dialect }: Compilation,
): readonly Sql[] =>
  by.map(({ column, type, direction }) => {
    const ordered = orderedSql(columnOf(column), type, dialect);
    return direction === 'asc' ? sql`${ordered} asc nulls last` : sql`${ordered} desc nulls last`;
  });

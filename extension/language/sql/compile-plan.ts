// Plan -> one SQL statement. Each node requests columns of its input, so that unread columns are never computed.
import {
  columnsOf,
  columnsOfAggregate,
  columnsOfCondition,
  columnsOfDimensionFilter,
} from '../types/columns-of';
import type { CompiledQuery } from '../types/compiled-query';
import type {
  ExtendNode,
  FilterNode,
  GroupNode,
  JoinNode,
  LimitNode,
  NumberNode,
  OrderKey,
  OrderNode,
  PerPeriodNode,
  Plan,
  PlanNode,
} from '../types/plan';
import { aggregateSql } from './aggregate-sql';
import type { Compilation } from './compilation';
import { compileScan, PERIOD } from './compile-scan';
import { compileUniqueCounts } from './compile-unique-counts';
import { conditionSql, orderedSql } from './condition-sql';
import { dimensionFilterSql } from './dimension-filter-sql';
import { expressionSql, withLookups } from './expression-sql';
import { filtered, joined, perRow, type SelectScope, withColumns, wrap, wrapFirst } from './select-scope';
import { allOf, ident, join, type Sql, select, sql, toStatement } from './sql';

type Names = ReadonlySet<string>;

/** Compiles a plan to text with $1.. and its bindings. Throws only for plans that the planner cannot produce. */
export function compilePlan(
  { root, counted, output }: Plan,
  { dialect, storage }: Pick<Compilation, 'dialect' | 'storage'>,
): CompiledQuery {
  let aliases = 0;
  const compilation = { dialect, storage, nextAlias: (prefix: string) => `${prefix}${++aliases}` };
  const total = output.total === null ? [] : [output.total];
  if (output.kind === 'count') return toStatement(...selectNamed(root, total, compilation));
  const names = output.columns.map(({ column }) => column);
  const totalInRows = counted === null ? total : [];
  const scope = compileNode(root, new Set([...names, ...totalInRows]), compilation);
  const columns = [
    ...output.columns.map(({ column, type }) => dialect.output(scope.column(column), type, output.clock)),
    ...totalInRows.map(scope.column),
  ].map((column, index) => sql`${column} as ${ident(`r${index + 1}`)}`);
  const totalBeside =
    counted === null
      ? []
      : [sql`${select(...selectNamed(counted, total, compilation))} as ${ident('total')}`];
  return toStatement(scope, [...columns, ...totalBeside]);
}

/** A SELECT of these columns of a node. */
function selectNamed(node: PlanNode, names: readonly string[], compilation: Compilation) {
  const scope = compileNode(node, new Set(names), compilation);
  return [scope, names.map(scope.column)] as const;
}

function compileNode(node: PlanNode, wanted: Names, compilation: Compilation): SelectScope {
  switch (node.kind) {
    case 'scan':
      return compileScan(node, compilation);
    case 'unique-counts':
      return compileUniqueCounts(node, compilation);
    case 'extend':
      return compileExtend(node, wanted, compilation);
    case 'filter':
      return compileFilter(node, wanted, compilation);
    case 'join':
      return compileJoin(node, wanted, compilation);
    case 'number':
      return compileNumber(node, wanted, compilation);
    case 'group':
      return compileGroup(node, wanted, compilation);
    case 'per-period':
      return compilePerPeriod(node, wanted, compilation);
    case 'order':
      return compileOrder(node, wanted, compilation);
    case 'limit':
      return compileLimit(node, wanted, compilation);
  }
}

/** A scope to add conditions, joins and columns to: wrapped if it already has a limit. */
function compileOpen(node: PlanNode, wanted: Names, compilation: Compilation): SelectScope {
  const scope = compileNode(node, wanted, compilation);
  return scope.limit === null ? scope : wrap(scope, wanted, compilation);
}

/** A scope to add a group or an order to: wrapped if it already has a limit or an order. */
function compileUnordered(node: PlanNode, wanted: Names, compilation: Compilation): SelectScope {
  const scope = compileNode(node, wanted, compilation);
  return scope.limit === null && scope.orderBy.length === 0 ? scope : wrap(scope, wanted, compilation);
}

const without = (names: Names, taken: Iterable<string>): Names => {
  const others = new Set(names);
  for (const name of taken) others.delete(name);
  return others;
};

function compilePerPeriod(
  { input, column, type, periods }: PerPeriodNode,
  wanted: Names,
  compilation: Compilation,
): SelectScope {
  const needed = without(wanted, [column]);
  const inner = wrap(compileNode(input, needed, compilation), needed, compilation);
  const table = compilation.dialect.periods(PERIOD, type, periods);
  return perRow(table, inner, new Map([[column, ident(PERIOD, 'value')]]));
}

function compileExtend({ input, columns }: ExtendNode, wanted: Names, compilation: Compilation): SelectScope {
  const used = columns.filter(({ name }) => wanted.has(name));
  const needed = new Set([
    ...without(
      wanted,
      columns.map(({ name }) => name),
    ),
    ...used.flatMap(({ value }) => columnsOf(value)),
  ]);
  const inner = compileOpen(input, needed, compilation);
  const scope = used.reduce((current, { value }) => withLookups(current, value, compilation), inner);
  return withColumns(
    scope,
    new Map(used.map(({ name, value }) => [name, expressionSql(scope, value, compilation)])),
  );
}

function compileFilter(
  { input, conditions, dimensionFilters = [] }: FilterNode,
  wanted: Names,
  compilation: Compilation,
): SelectScope {
  const needed = new Set([
    ...wanted,
    ...conditions.flatMap(columnsOfCondition),
    ...dimensionFilters.flatMap(columnsOfDimensionFilter),
  ]);
  const scope = compileOpen(input, needed, compilation);
  if (conditions.some((it) => 'anyOf' in it && it.anyOf.length === 0)) return { ...scope, limit: 0 };
  return filtered(scope, [
    ...conditions.map((it) => conditionSql(it, scope.column, compilation.dialect)),
    ...dimensionFilters.map((filter) => dimensionFilterSql(filter, scope.column, compilation)),
  ]);
}

function compileGroup(node: GroupNode, wanted: Names, compilation: Compilation): SelectScope {
  const { input, keys } = node;
  const read = node.aggregates.filter(({ name }) => wanted.has(name));
  // A group without keys returns one row because of its aggregates, so one of them must stay.
  const aggregates = read.length > 0 || keys.length > 0 ? read : node.aggregates.slice(0, 1);
  const needed = new Set([...keys, ...aggregates.flatMap(columnsOfAggregate)]);
  const scope = compileUnordered(input, needed, compilation);
  const values = new Map(
    aggregates.map((it) => [it.name, aggregateSql(it, scope.column, compilation.dialect)]),
  );
  const names = [...keys, ...values.keys()];
  return wrap({ ...withColumns(scope, values), groupBy: keys.length }, names, compilation);
}

function compileJoin(
  { left, right, on, mode, nullsMatch, columns }: JoinNode,
  wanted: Names,
  compilation: Compilation,
): SelectScope {
  const read = columns.filter(({ name }) => wanted.has(name));
  const own = columns.map(({ name }) => name);
  const neededLeft = new Set([...without(wanted, own), ...on.map((pair) => pair.left)]);
  const scope = compileOpen(left, neededLeft, compilation);
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
  const kind = mode === 'drop' ? 'inner' : 'left';
  return withColumns(
    joined(scope, { kind, table: other.from, on: allOf(pairs.length === 0 ? [sql`true`] : pairs) }),
    new Map(values),
  );
}

function compileNumber(
  { input, column, within, by }: NumberNode,
  wanted: Names,
  compilation: Compilation,
): SelectScope {
  if (!wanted.has(column)) return compileNode(input, wanted, compilation);
  const needed = without(new Set([...wanted, ...within, ...by.map((key) => key.column)]), [column]);
  const scope = compileUnordered(input, needed, compilation);
  const window = [
    ...(within.length === 0 ? [] : [sql`partition by ${join(within.map(scope.column))}`]),
    ...(by.length === 0 ? [] : [sql`order by ${join(orderKeys(by, scope, compilation))}`]),
  ];
  const number = sql`(row_number() over (${join(window, sql` `)}) - 1)::int`;
  return wrap(withColumns(scope, new Map([[column, number]])), wanted, compilation);
}

const orderKeys = (
  by: readonly OrderKey[],
  { column: columnOf }: SelectScope,
  { dialect }: Compilation,
): readonly Sql[] =>
  by.map(({ column, type, direction }) => {
    const ordered = orderedSql(columnOf(column), type, dialect);
    return direction === 'asc' ? sql`${ordered} asc nulls last` : sql`${ordered} desc nulls last`;
  });

function compileOrder({ input, by }: OrderNode, wanted: Names, compilation: Compilation): SelectScope {
  const needed = new Set([...wanted, ...by.map(({ column }) => column)]);
  const scope = compileUnordered(input, needed, compilation);
  return { ...scope, orderBy: orderKeys(by, scope, compilation) };
}

function compileLimit(node: LimitNode, wanted: Names, compilation: Compilation): SelectScope {
  const { input, count, offset = 0, countAs, withTies = false } = node;
  const needed = countAs === null ? wanted : without(wanted, [countAs]);
  const scope = compileOpen(input, needed, compilation);
  const all = countAs === null ? scope : withColumns(scope, new Map([[countAs, sql`count(*) over ()`]]));
  return withTies ? wrapFirst(all, count, wanted, compilation) : { ...all, limit: count, offset };
}

// Owns the translation of a plan into one SQL statement.
// Plan -> text with $1.. and bindings. Columns flow down as wants: a column that nobody reads is never computed.
import { columnsOf, columnsOfAggregate, columnsOfDimensionFilter } from '../types/columns-of';
import type { CompiledQuery } from '../types/compiled-query';
import type {
  ExtendNode,
  GroupNode,
  JoinNode,
  LimitNode,
  NumberNode,
  OrderKey,
  OrderNode,
  PerPeriodNode,
  Plan,
  PlanNode,
  PlanOutput,
  UnionNode,
} from '../types/plan';
import { someNode } from '../types/walk-plan';
import { aggregateSql } from './aggregates';
import {
  type Aliases,
  type Block,
  bind,
  joinBlock,
  lateral,
  newAliases,
  raw,
  type Sql,
  sql,
  unionAll,
  wrap,
  wrapFirst,
} from './block';
import { compileRollup } from './compile-rollup';
import { compileScan, PERIOD } from './compile-scan';
import { conditionSql, valueSql } from './conditions';
import { entrySql } from './entries';
import { expressionSql, withLookups } from './expressions';
import { printed } from './printed';

type Names = ReadonlySet<string>;

/** Compiles a plan; cannot fail on a plan that the planner made. */
export function compilePlan({ root, counted, output }: Plan): CompiledQuery {
  const aliases = newAliases();
  const block =
    output.kind === 'count' ? countBlock(root, output, aliases) : tableBlock(root, counted, output, aliases);
  const { sql: text, bindings } = block.query.toSQL().toNative();
  return { text, bindings, byKeys: !(readsRanges(root) || (counted !== null && readsRanges(counted))) };
}

/** How many rows lie in a range decides how they are best read; blocks of rollups are always found in one way. */
const readsRanges = (root: PlanNode): boolean => someNode(root, ({ kind }) => kind === 'scan');

/** The one row that counts the rows of a view. */
function countBlock(root: PlanNode, { total }: PlanOutput, aliases: Aliases): Block {
  if (total === null) throw new Error('The plan counts rows, but not under what name.');
  const block = compileNode(root, new Set([total]), aliases);
  block.query.select(raw(block.column(total)));
  return block;
}

function tableBlock(root: PlanNode, counted: PlanNode | null, output: PlanOutput, aliases: Aliases): Block {
  const inRows = output.total !== null && counted === null ? [output.total] : [];
  const block = compileNode(
    root,
    new Set([...output.columns.map(({ column }) => column), ...inRows]),
    aliases,
  );
  const columns = output.columns.map(({ column, type }) => printed(block.column(column), type, output.clock));
  const totals = inRows.map((name) => block.column(name));
  block.query.select([...columns, ...totals].map((value, index) => raw(sql(`{} as r${index + 1}`, value))));
  if (counted !== null) block.query.select(countBlock(counted, output, aliases).query.as('total'));
  return block;
}

function compileNode(node: PlanNode, wanted: Names, aliases: Aliases): Block {
  switch (node.kind) {
    case 'scan':
      return compileScan(node, aliases);
    case 'rollup':
      return compileRollup(node, wanted, aliases);
    case 'union':
      return compileUnion(node, wanted, aliases);
    case 'extend':
      return compileExtend(node, wanted, aliases);
    case 'filter': {
      const { input, conditions, dimensionFilters: filters = [] } = node;
      const own = [...conditions.map(({ column }) => column), ...filters.flatMap(columnsOfDimensionFilter)];
      const needed = new Set([...wanted, ...own]);
      const rows =
        input.kind === 'rollup'
          ? compileRollup(input, needed, aliases, filters)
          : compileNode(input, needed, aliases);
      const block = open(rows, needed, aliases);
      for (const condition of conditions) {
        block.query.where(raw(conditionSql(condition, block.column(condition.column))));
      }
      for (const filter of filters) block.query.where(raw(entrySql(filter, block.column)));
      return block;
    }
    case 'join':
      return compileJoin(node, wanted, aliases);
    case 'number':
      return compileNumber(node, wanted, aliases);
    case 'group':
      return compileGroup(node, wanted, aliases);
    case 'per-period':
      return compilePerPeriod(node, wanted, aliases);
    case 'order':
      return compileOrder(node, wanted, aliases);
    case 'limit':
      return compileLimit(node, wanted, aliases);
  }
}

/** The block itself, or a SELECT around it where it is grouped or cut already. */
const open = (block: Block, names: Names, aliases: Aliases): Block =>
  block.sealed ? wrap(block, names, aliases) : block;

/** Likewise around what has an order already: a group or another order would not go with it. */
const unordered = (block: Block, names: Names, aliases: Aliases): Block =>
  block.sealed || block.ordered ? wrap(block, names, aliases) : block;

function compileUnion({ inputs, columns }: UnionNode, wanted: Names, aliases: Aliases): Block {
  const read = columns.filter((name) => wanted.has(name));
  const needed = new Set(read);
  const blocks = inputs.map((input) => unordered(compileNode(input, needed, aliases), needed, aliases));
  return unionAll(blocks, read, aliases);
}

function compilePerPeriod(
  { input, column, type, periods }: PerPeriodNode,
  wanted: Names,
  aliases: Aliases,
): Block {
  const needed = new Set([...wanted].filter((name) => name !== column));
  const inner = compileNode(input, needed, aliases);
  const table = sql(
    `unnest({}, {}, {}) as ${PERIOD}(value, first, last)`,
    bind(
      periods.map(({ value }) => value),
      type === 'date' ? 'date[]' : 'text[]',
    ),
    bind(
      periods.map(({ start }) => start),
      'float8[]',
    ),
    bind(
      periods.map(({ end }) => end),
      'float8[]',
    ),
  );
  const value = { name: column, value: { text: `${PERIOD}.value`, bindings: [] } };
  return lateral(table, inner, needed, value, aliases);
}

function compileExtend({ input, columns }: ExtendNode, wanted: Names, aliases: Aliases): Block {
  const used = columns.filter(({ name }) => wanted.has(name));
  const own = new Set(columns.map(({ name }) => name));
  const needed = new Set([
    ...[...wanted].filter((name) => !own.has(name)),
    ...used.flatMap(({ value }) => columnsOf(value)),
  ]);
  const inner = open(compileNode(input, needed, aliases), needed, aliases);
  const block = used.reduce((current, { value }) => withLookups(current, value, aliases), inner);
  const computed = new Map(used.map(({ name, value }) => [name, expressionSql(block, value)]));
  return { ...block, column: (name) => computed.get(name) ?? inner.column(name) };
}

/** Nobody needs to compute what nobody reads; but a total over no keys is one row because of its aggregates. */
function readAggregates({ keys, aggregates }: GroupNode, wanted: Names): GroupNode['aggregates'] {
  const read = aggregates.filter(({ name }) => wanted.has(name));
  return read.length > 0 || keys.length > 0 ? read : aggregates.slice(0, 1);
}

function compileGroup(node: GroupNode, wanted: Names, aliases: Aliases): Block {
  const { input, keys } = node;
  const aggregates = readAggregates(node, wanted);
  const needed = new Set([...keys, ...aggregates.flatMap(columnsOfAggregate)]);
  const block = unordered(compileNode(input, needed, aliases), needed, aliases);
  // By position: a key may hold bindings, and PostgreSQL takes two bindings for two different expressions.
  if (keys.length > 0) block.query.groupByRaw(keys.map((_, index) => String(index + 1)).join(', '));
  const values = new Map([
    ...keys.map((key) => [key, block.column(key)] as const),
    ...aggregates.map((aggregate) => [aggregate.name, aggregateSql(aggregate, block.column)] as const),
  ]);
  const grouped: Block = { ...block, column: (name) => values.get(name) ?? block.column(name), sealed: true };
  return wrap(grouped, values.keys(), aliases);
}

function compileJoin({ left, right, on, mode, columns }: JoinNode, wanted: Names, aliases: Aliases): Block {
  const read = columns.filter(({ name }) => wanted.has(name));
  const own = new Set(columns.map(({ name }) => name));
  const needed = new Set([...[...wanted].filter((name) => !own.has(name)), ...on.map((pair) => pair.left)]);
  const block = open(compileNode(left, needed, aliases), needed, aliases);
  const neededRight = new Set([...read.map(({ column }) => column), ...on.map((pair) => pair.right)]);
  const other = compileNode(right, neededRight, aliases);
  const pairs = on.map((pair) => [block.column(pair.left), pair.right] as const);
  const joined = joinBlock(block, other, neededRight, pairs, mode, aliases);
  const key = on[0]?.right;
  const values = new Map(
    read.map(({ name, column, type, fill }) => {
      const value = joined.right(column);
      // A key is null in rows without a match alone.
      return fill === null || key === undefined
        ? ([name, value] as const)
        : ([
            name,
            sql('case when {} is null then {} else {} end', joined.right(key), valueSql(type, fill), value),
          ] as const);
    }),
  );
  return { ...joined.block, column: (name) => values.get(name) ?? block.column(name) };
}

function compileNumber({ input, column, by }: NumberNode, wanted: Names, aliases: Aliases): Block {
  if (!wanted.has(column)) return compileNode(input, wanted, aliases);
  const names = new Set([...wanted, ...by.map((key) => key.column)]);
  const needed = new Set([...names].filter((name) => name !== column));
  const block = unordered(compileNode(input, needed, aliases), needed, aliases);
  const keys = by.map((key) => orderKey(key, block.column(key.column)));
  const number = sql(`(row_number() over (order by ${keys.map(() => '{}').join(', ')}) - 1)::int`, ...keys);
  const counted: Block = { ...block, column: (name) => (name === column ? number : block.column(name)) };
  return wrap(counted, wanted, aliases);
}

const orderKey = ({ type, direction }: OrderKey, value: Sql): Sql =>
  sql(`${type === 'text' ? '{} collate "C"' : '{}'} ${direction} nulls last`, value);

function compileOrder({ input, by }: OrderNode, wanted: Names, aliases: Aliases): Block {
  const needed = new Set([...wanted, ...by.map(({ column }) => column)]);
  const block = unordered(compileNode(input, needed, aliases), needed, aliases);
  for (const key of by) block.query.orderByRaw(raw(orderKey(key, block.column(key.column))));
  return { ...block, ordered: true };
}

function compileLimit(node: LimitNode, wanted: Names, aliases: Aliases): Block {
  const { input, count, countAs, withTies } = node;
  const needed = new Set([...wanted].filter((name) => name !== countAs));
  const block = open(compileNode(input, needed, aliases), needed, aliases);
  const total: Sql = { text: 'count(*) over ()', bindings: [] };
  const cut = { ...block, column: (name: string) => (name === countAs ? total : block.column(name)) };
  if (withTies === true) return wrapFirst(cut, count, wanted, aliases);
  block.query.limit(count);
  return { ...cut, sealed: true };
}

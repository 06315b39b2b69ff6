// Owns the translation of a plan into one SQL statement.
// Plan -> text with $1.. and bindings. Columns flow down as wants: a column that nobody reads is never computed.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { CompiledQuery } from '../types/compiled-query';
import type {
  ExtendNode,
  GroupNode,
  LimitNode,
  LocalClock,
  OrderNode,
  PerPeriodNode,
  Plan,
  PlanNode,
  PlanOutput,
  ScanBounds,
  ScanNode,
} from '../types/plan';
import { aggregateSql } from './aggregates';
import {
  type Aliases,
  type Block,
  bind,
  fromTable,
  lateral,
  newAliases,
  raw,
  type Sql,
  sql,
  wrap,
} from './block';
import { conditionSql } from './conditions';
import { columnsOf, expressionSql, localTime, withLookups } from './expressions';
import { materialTable } from './tables';

type Names = ReadonlySet<string>;

/** Compiles a plan; cannot fail on a plan that the planner made. */
export function compilePlan({ root, counted, output }: Plan): CompiledQuery {
  const aliases = newAliases();
  const block =
    output.kind === 'count' ? countBlock(root, aliases) : tableBlock(root, counted, output, aliases);
  const { sql: text, bindings } = block.query.toSQL().toNative();
  return { text, bindings };
}

function countBlock(root: PlanNode, aliases: Aliases): Block {
  const rows = wrap(compileNode(root, new Set(), aliases), [], aliases);
  rows.query.select(raw({ text: 'count(*)', bindings: [] }));
  return rows;
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
  if (counted !== null) block.query.select(countBlock(counted, aliases).query.as('total'));
  return block;
}

/** Datetimes and dates leave the database as text, datetimes as the local clock shows them. */
function printed(value: Sql, type: ColumnType, clock: LocalClock): Sql {
  if (type === 'datetime') {
    return sql(`to_char({}, 'YYYY-MM-DD"T"HH24:MI:SS')`, localTime(value, clock));
  }
  return type === 'date' ? sql(`to_char({}, 'YYYY-MM-DD')`, value) : value;
}

function compileNode(node: PlanNode, wanted: Names, aliases: Aliases): Block {
  switch (node.kind) {
    case 'scan':
      return compileScan(node, aliases);
    case 'extend':
      return compileExtend(node, wanted, aliases);
    case 'filter': {
      const needed = new Set([...wanted, ...node.conditions.map(({ column }) => column)]);
      const block = open(compileNode(node.input, needed, aliases), needed, aliases);
      for (const condition of node.conditions) {
        block.query.where(raw(conditionSql(condition, block.column(condition.column))));
      }
      return block;
    }
    case 'group':
      return compileGroup(node, aliases);
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

function compileScan({ material, siteIds, timeField, bounds }: ScanNode, aliases: Aliases): Block {
  const alias = aliases.next('t');
  const block = fromTable(materialTable(material), alias);
  const [only, ...others] = siteIds;
  const sites =
    only !== undefined && others.length === 0
      ? sql(`${alias}.site_id = {}`, bind(only, 'smallint'))
      : sql(`${alias}.site_id = any({})`, bind(siteIds, 'smallint[]'));
  const [start, end] = boundsSql(bounds);
  block.query
    .where(raw(sites))
    .where(raw(sql(`${alias}.${timeField} >= to_timestamp({})`, start)))
    .where(raw(sql(`${alias}.${timeField} < to_timestamp({})`, end)));
  return block;
}

/** The alias under which the period of a scan stands around it. */
const PERIOD = 'period';

function boundsSql(bounds: ScanBounds): readonly [start: Sql, end: Sql] {
  if (bounds.kind === 'range') return [bind(bounds.start, 'float8'), bind(bounds.end, 'float8')];
  return [
    { text: `${PERIOD}.first`, bindings: [] },
    { text: `${PERIOD}.last`, bindings: [] },
  ];
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

function compileGroup({ input, keys, aggregates }: GroupNode, aliases: Aliases): Block {
  const needed = new Set([
    ...keys,
    ...aggregates.flatMap(({ column, within }) => (column === null ? within : [column, ...within])),
  ]);
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

function compileOrder({ input, by }: OrderNode, wanted: Names, aliases: Aliases): Block {
  const needed = new Set([...wanted, ...by.map(({ column }) => column)]);
  const block = unordered(compileNode(input, needed, aliases), needed, aliases);
  for (const { column, type, direction } of by) {
    const key = type === 'text' ? sql('{} collate "C"', block.column(column)) : block.column(column);
    block.query.orderByRaw(raw(sql(`{} ${direction} nulls last`, key)));
  }
  return { ...block, ordered: true };
}

function compileLimit({ input, count, countAs }: LimitNode, wanted: Names, aliases: Aliases): Block {
  const needed = new Set([...wanted].filter((name) => name !== countAs));
  const block = open(compileNode(input, needed, aliases), needed, aliases);
  block.query.limit(count);
  const total: Sql = { text: 'count(*) over ()', bindings: [] };
  return { ...block, column: (name) => (name === countAs ? total : block.column(name)), sealed: true };
}

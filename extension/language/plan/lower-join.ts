// Lowers a view's join: the rows of both sides, with every column that later clauses read.
import type { ColumnType } from '../../../manifests/reader/schema';
import { type ComputedColumn, type JoinedColumn, type JoinNode, SITE_FIELD } from '../types/plan';
import type { BoundColumn, ResolvedJoin, ResolvedValue } from '../types/resolved-query';
import { extended } from './build-nodes';
import { columnsOfFiltered, type FilteredCall, withPassing } from './filtered-calls';
import { keepBoth } from './keep-both';
import { type LoweringContext, lowerColumns } from './lower-columns';
import { type SourceRows, siteKey, uniqueColumns } from './lower-material';

export type JoinedRows = Omit<SourceRows, 'order'>;

interface JoinedView {
  readonly name: string;
  readonly join: ResolvedJoin;
  /** The columns of both sides that the view reads. */
  readonly read: readonly BoundColumn[];
  /** The filtered calls that aggregate right rows. */
  readonly calls: readonly FilteredCall[];
}

/** With `all`, rows match only within the same site, unless one side has rows that do not belong to a single site. */
export function lowerJoin(
  context: LoweringContext,
  left: SourceRows,
  right: SourceRows,
  { name: view, join, read, calls }: JoinedView,
): JoinedRows {
  const { all } = context.scope;
  const joined = uniqueColumns(read.filter(({ side }) => side === 'with'));
  const keepsBoth = join.mode === 'keep-both';
  const rename = (column: string): string => `${view}/${column}`;
  const wanted = uniqueColumns([
    ...joined,
    ...join.on.map((pair) => pair.right),
    ...right.order,
    ...columnsOfFiltered(calls),
  ]);
  const isWithinSite = all && left.isOfSite && right.isOfSite;
  const named = (column: string): string =>
    column === SITE_FIELD && !left.isOfSite ? SITE_FIELD : rename(column);
  const readsSite = all && right.isOfSite && (keepsBoth || !left.isOfSite);
  const orderKeys = right.orderKeys.filter(({ column }) => column !== SITE_FIELD || readsSite);
  const sites = siteKey(readsSite);
  const columns = new Map<string, JoinedColumn>([
    ...[...orderKeys, ...sites].map(
      ({ column, type }) => [column, { name: named(column), column, type, fill: null }] as const,
    ),
    ...joined.map((bound) => {
      const column = right.nameOf(bound);
      const fill = keepsBoth ? undefined : join.fill.find((filled) => filled.column === bound.name);
      return [column, { name: rename(column), column, type: bound.type, fill: fill?.value ?? null }] as const;
    }),
    ...calls.map(({ name, column: { type } }) => [name, { name, column: name, type, fill: null }] as const),
  ]);
  const keys = join.on.map((pair) => keysOf(pair, join, left, right));
  const rightRows = withPassing(lowerColumns(right.rows, wanted, right.nameOf, context), calls, right.nameOf);
  const rows: JoinNode = {
    kind: 'join',
    left: extended(left.rows, uniqueByName(keys.flatMap((key) => key.left))),
    right: extended(rightRows, uniqueByName(keys.flatMap((key) => key.right))),
    on: [...keys.flatMap(({ on }) => on), ...(isWithinSite ? [{ left: SITE_FIELD, right: SITE_FIELD }] : [])],
    mode: join.mode,
    columns: [...columns.values()],
  };
  const both = {
    rows,
    nameOf: (bound: BoundColumn): string =>
      bound.side === 'from' ? left.nameOf(bound) : rename(right.nameOf(bound)),
    orderKeys: [...left.orderKeys, ...orderKeys.map((key) => ({ ...key, column: named(key.column) }))],
  };
  return {
    ...(keepsBoth ? keepBoth({ ...both, rename, isWithinSite }, left, right, join, read) : both),
    isSmall: false,
    isOfSite: left.isOfSite || right.isOfSite,
  };
}

interface Keys {
  readonly left: readonly ComputedColumn[];
  readonly right: readonly ComputedColumn[];
  readonly on: JoinNode['on'];
}

/**
 * The expressions to compare for a pair of keys. If null matches null, each side has two: the value, with a constant in place
 * of null, and a flag that shows whether the value is present.
 */
function keysOf(
  pair: ResolvedJoin['on'][number],
  { nullsMatch }: ResolvedJoin,
  { nameOf: leftName }: SourceRows,
  { nameOf: rightName }: SourceRows,
): Keys {
  const [left, right] = [leftName(pair.left), rightName(pair.right)];
  if (!nullsMatch || !pair.left.nullable || !pair.right.nullable)
    return { left: [], right: [], on: [{ left, right }] };
  const { type } = pair.left;
  return {
    left: withNull(left, type),
    right: withNull(right, type),
    on: [valueName, flagName].map((name) => ({ left: name(left), right: name(right) })),
  };
}

const valueName = (column: string): string => `${column}:value`;
const flagName = (column: string): string => `${column}:flag`;

const withNull = (column: string, type: ColumnType): readonly ComputedColumn[] => [
  {
    name: valueName(column),
    value: {
      kind: 'where',
      column,
      otherwise: { type, value: CONSTANT_FOR_NULL[type] },
      conditions: [{ column, type, test: { operator: 'is-not-null' } }],
    },
  },
  { name: flagName(column), value: { kind: 'computed', value: { kind: 'has-value', column } } },
];

/** An arbitrary constant of each type, compared in place of null. */
const CONSTANT_FOR_NULL: Readonly<Record<ColumnType, ResolvedValue>> = {
  id: 0,
  int: 0,
  num: 0,
  flag: 0,
  datetime: 0,
  text: '',
  date: '1970-01-01',
};

/** Removes duplicates, since a column may be in several pairs. */
const uniqueByName = (columns: readonly ComputedColumn[]): readonly ComputedColumn[] => [
  ...new Map(columns.map((column) => [column.name, column])).values(),
];

// The plan of one view: source, filter, join, then groups or rows, and their total order.
import { type JoinedColumn, type JoinNode, type OrderKey, type PlanNode, SITE_FIELD } from '../types/plan';
import {
  type BoundColumn,
  columnsOfCalc,
  type OutputColumn,
  type ResolvedJoin,
  type ResolvedQuery,
  type ResolvedSource,
  type ResolvedView,
} from '../types/resolved-query';
import { extended, filtered } from './build-nodes';
import { lowerCalc } from './lower-calc';
import { type LoweringContext, lowerColumns } from './lower-columns';
import {
  filteredColumns,
  lowerConditions,
  lowerMaterial,
  type SourceRows,
  siteKey,
  uniqueColumns,
} from './lower-material';

export interface ViewRows {
  readonly rows: PlanNode;
  /** The plan's name for a column of the view's output. */
  readonly column: (output: string) => string;
  readonly order: readonly OrderKey[];
  /** The cut of the ordered rows, which is not yet in `rows`. */
  readonly top: number | null;
  /** Whether the rows are already grouped or cut, so that counting them is free. */
  readonly isSmall: boolean;
  /** Whether each row has one site. */
  readonly isOfSite: boolean;
}

/** A query with the context of lowering. */
export type LoweredQuery = ResolvedQuery & LoweringContext;

/** The rows of a view before its cut, not yet ordered. A chained view reads the rows of the earlier view after its cut. */
export function lowerView(query: LoweredQuery, view: ResolvedView): ViewRows {
  const whole = lowerWhole(query, view);
  const { per = [], top = null } = view.sort ?? {};
  if (top === null || per.length === 0) return { ...whole, top };
  const isPerId = query.scope.all && per.some(({ type }) => type === 'id');
  const within = [...per.map(({ name }) => whole.column(name)), ...(isPerId ? [SITE_FIELD] : [])];
  const number = `${view.name}#number`;
  const numbered: PlanNode = {
    kind: 'number',
    ...{ input: whole.rows, column: number, within },
    by: whole.order.filter(({ column }) => !within.includes(column)),
  };
  const rows = filtered(numbered, [{ column: number, type: 'int', test: { operator: 'lt', value: top } }]);
  return { ...whole, rows, top: null, isSmall: true };
}

/** The rows without any cut. */
function lowerWhole(query: LoweredQuery, view: ResolvedView): Omit<ViewRows, 'top'> {
  const { keep, calc } = view;
  const { rows, nameOf, orderKeys, isSmall, isOfSite } = lowerSides(query, view);
  const calcName = (name: string): string => `calc.${view.name}.${name}`;
  const names = new Map([
    ...keep.map((column) => [column.name, nameOf(column)] as const),
    ...(calc ?? []).map(({ name }) => [name, calcName(name)] as const),
  ]);
  const column = (output: string): string => names.get(output) ?? output;
  const sorted = sortKeys(view, column, query);
  if (calc === null) return { rows, column, order: totalOrder(sorted, orderKeys), isSmall, isOfSite };
  const { scope } = query;
  // Ids are unique within a site only, so groups by an id are also grouped by site.
  const apart = scope.all && keep.some(({ type }) => type === 'id');
  const keys = keep.map((kept): OrderKey => ({ column: nameOf(kept), type: kept.type, direction: 'asc' }));
  const { aggregates, computed } = lowerCalc(calc, { calc: calcName, column: nameOf }, scope.all);
  const group: PlanNode = {
    kind: 'group',
    input: rows,
    keys: [...keys.map((key) => key.column), ...(apart ? [SITE_FIELD] : [])],
    aggregates,
  };
  const order = totalOrder(sorted, [...keys, ...siteKey(apart)]);
  return { rows: extended(group, computed), column, order, isSmall: true, isOfSite: apart };
}

/** The rows after the join, with every column that the later clauses read. */
function lowerSides(asked: LoweredQuery, view: ResolvedView): Omit<SourceRows, 'order'> {
  const { filter, keep, calc, join, range } = view;
  const query = { ...asked, range };
  const from = lowerSource(query, view.source, 'from');
  const computed = new Set(filteredColumns(filter).map(({ name }) => name));
  const read = [...keep, ...(calc ?? []).flatMap(columnsOfCalc)];
  const wanted = uniqueColumns([
    ...read.filter(({ side }) => side === 'from'),
    ...(join?.on.map(({ left }) => left) ?? []),
    ...(calc === null ? from.order : []),
  ]).filter(({ name }) => !computed.has(name));
  const kept = lowerConditions(from.rows, filter, from.nameOf, query);
  const left = { ...from, rows: lowerColumns(kept, wanted, from.nameOf, query) };
  if (join === null) return left;
  const joined = uniqueColumns(read.filter(({ side }) => side === 'with'));
  return lowerJoin(query, left, join, joined, (column) => `${view.name}/${column}`);
}

/**
 * Joins the right side to `left`. `joined` has the right columns that the view reads, and `rename` makes their names unique
 * to this view. For `all`, rows match within their site only, if the rows of both sides have one.
 */
function lowerJoin(
  query: LoweredQuery,
  left: SourceRows,
  join: ResolvedJoin,
  joined: readonly BoundColumn[],
  rename: (column: string) => string,
): Omit<SourceRows, 'order'> {
  const right = lowerSource(query, join.source, 'with');
  const wanted = uniqueColumns([...joined, ...join.on.map((pair) => pair.right), ...right.order]);
  const isWithinSite = query.scope.all && left.isOfSite && right.isOfSite;
  const named = (column: string): string =>
    column === SITE_FIELD && !left.isOfSite ? SITE_FIELD : rename(column);
  const orderKeys = right.orderKeys.filter(({ column }) => column !== SITE_FIELD || !isWithinSite);
  const sites = query.scope.all && right.isOfSite && !left.isOfSite ? siteKey(true) : [];
  const columns = new Map<string, JoinedColumn>([
    ...[...orderKeys, ...sites].map(
      ({ column, type }) => [column, { name: named(column), column, type, fill: null }] as const,
    ),
    ...joined.map((bound) => {
      const column = right.nameOf(bound);
      const fill = join.fill.find((filled) => filled.column === bound.name)?.value ?? null;
      return [column, { name: rename(column), column, type: bound.type, fill }] as const;
    }),
  ]);
  const rows: JoinNode = {
    kind: 'join',
    left: left.rows,
    right: lowerColumns(right.rows, wanted, right.nameOf, query),
    on: [
      ...join.on.map((pair) => ({ left: left.nameOf(pair.left), right: right.nameOf(pair.right) })),
      ...(isWithinSite ? [{ left: SITE_FIELD, right: SITE_FIELD }] : []),
    ],
    mode: join.mode,
    columns: [...columns.values()],
  };
  return {
    rows,
    nameOf: (bound) => (bound.side === 'from' ? left.nameOf(bound) : rename(right.nameOf(bound))),
    orderKeys: [...left.orderKeys, ...orderKeys.map((key) => ({ ...key, column: named(key.column) }))],
    isSmall: false,
    isOfSite: left.isOfSite || right.isOfSite,
  };
}

function lowerSource(query: LoweredQuery, source: ResolvedSource, side: 'from' | 'with'): SourceRows {
  if (source.kind === 'material') return lowerMaterial(source, side, query);
  const earlier = query.views.find(({ name }) => name === source.view);
  if (earlier === undefined) throw new Error(`The resolved query has no view ${source.view}.`);
  const { rows, column, order, top, isSmall, isOfSite } = lowerView(query, earlier);
  const ordered: PlanNode = { kind: 'order', input: rows, by: order };
  return {
    rows: top === null ? rows : { kind: 'limit', input: ordered, count: top, countAs: null },
    nameOf: (bound) => column(bound.name),
    order: [],
    orderKeys: order,
    isSmall: isSmall || top !== null,
    isOfSite,
  };
}

/** The sort of the view. Rows with equal ids of several sites stay separate. */
function sortKeys(
  { sort }: ResolvedView,
  column: ViewRows['column'],
  { scope }: LoweredQuery,
): readonly OrderKey[] {
  const { per = [], keys = [] } = sort ?? {};
  const key = ({ name, type }: OutputColumn, direction: OrderKey['direction']): OrderKey => ({
    ...{ column: column(name), type, direction },
  });
  const isPerId = scope.all && per.some(({ type }) => type === 'id');
  return [
    ...per.map((it) => key(it, 'asc')),
    ...siteKey(isPerId),
    ...keys.map(({ by, order }) => key(by, order)),
  ];
}

/** The view's sort, then the columns that make the order total, without repetitions. */
const totalOrder = (sorted: readonly OrderKey[], ties: readonly OrderKey[]): readonly OrderKey[] =>
  [...sorted, ...ties].filter(
    ({ column }, index, keys) => keys.findIndex((other) => other.column === column) === index,
  );

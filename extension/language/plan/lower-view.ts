// Lowers one view: its source, filter and join, then its groups or rows in a total order.
import { callsOf, columnsOfRows } from '../types/columns-of-view';
import { columnsOfFilter } from '../types/filter-parts';
import type { GroupNode, OrderKey, PlanNode } from '../types/plan';
import type { ResolvedCall, ResolvedQuery, ResolvedSource, ResolvedView } from '../types/resolved-query';
import { ascending, extended, filtered } from './build-nodes';
import { columnsOfFiltered, filteredCalls, passingName, withPassing } from './filtered-calls';
import { lowerCalc } from './lower-calc';
import { type LoweringContext, lowerColumns } from './lower-columns';
import { lowerFill } from './lower-fill';
import { type JoinedRows, lowerJoin } from './lower-join';
import { lowerConditions, lowerMaterial, type SourceRows, siteKey, uniqueColumns } from './lower-material';

export interface ViewRows extends Pick<SourceRows, 'rows' | 'isSmall' | 'isOfSite'> {
  /** The plan's name for a column of the view's output. */
  readonly column: (output: string) => string;
  readonly order: readonly OrderKey[];
  /** A `top` that is not yet applied to `rows`. */
  readonly top: number | null;
}

export type LoweredQuery = ResolvedQuery & LoweringContext;

/** The unordered rows of a view. `top` is already applied if it limits the rows per combination of `per`. */
export function lowerView(query: LoweredQuery, view: ResolvedView): ViewRows {
  const whole = lowerWhole(query, view);
  const { per = [], top = null } = view.sort ?? {};
  if (top === null || per.length === 0) return { ...whole, top };
  const within = perKeys(view, whole.column, query).map(({ column }) => column);
  const number = `${view.name}#number`;
  const numbered: PlanNode = {
    kind: 'number',
    input: whole.rows,
    column: number,
    within,
    by: whole.order.filter(({ column }) => !within.includes(column)),
  };
  const rows = filtered(numbered, [{ column: number, type: 'int', test: { operator: 'lt', value: top } }]);
  return { ...whole, rows, top: null, isSmall: true };
}

/** The rows before `top` is applied. */
function lowerWhole(query: LoweredQuery, view: ResolvedView): Omit<ViewRows, 'top'> {
  const { keep, calc } = view;
  const { rows, nameOf, orderKeys, isSmall, isOfSite } = lowerSides(query, view);
  const calcName = (name: string): string => `calc.${view.name}.${name}`;
  const names = new Map([
    ...keep.map((column) => [column.name, nameOf(column)] as const),
    ...(calc ?? []).map(({ name }) => [name, calcName(name)] as const),
  ]);
  const column = (output: string): string => names.get(output) ?? output;
  const sorted = [
    ...perKeys(view, column, query),
    ...(view.sort?.keys ?? []).map(
      ({ by: { name, type }, order }): OrderKey => ({
        column: column(name),
        type,
        direction: order,
      }),
    ),
  ];
  if (calc === null) return { rows, column, order: totalOrder(sorted, orderKeys), isSmall, isOfSite };
  const { isPerSite } = view;
  const keys = [...keep.map((kept) => ascending(nameOf(kept), kept.type)), ...siteKey(isPerSite)];
  const value = ({ column: bound, filter }: ResolvedCall): string =>
    filter === null ? nameOf(bound) : passingName(view.name, filter, bound);
  const { aggregates, computed } = lowerCalc(calc, { calc: calcName, value }, query.scope.all);
  const group: GroupNode = { kind: 'group', input: rows, keys: keys.map((key) => key.column), aggregates };
  const groups = view.fillPeriods === null ? group : lowerFill(group, view.fillPeriods, view, nameOf);
  const order = totalOrder(sorted, keys);
  return { rows: extended(groups, computed), column, order, isSmall: true, isOfSite: isPerSite };
}

/** The rows after the join, with every column that later clauses read. */
function lowerSides(whole: LoweredQuery, view: ResolvedView): JoinedRows {
  const { filter, calc, join, range } = view;
  const query = { ...whole, range };
  const calls = callsOf(calc);
  const passing = filteredCalls(view.name, calls, 'from');
  const from = lowerSource(query, view.source, 'from');
  const computed = new Set(columnsOfFilter(filter).map(({ name }) => name));
  const read = columnsOfRows(view);
  const wanted = uniqueColumns([
    ...read.filter(({ side }) => side === 'from'),
    ...(join?.on.map(({ left }) => left) ?? []),
    ...(calc === null ? from.order : []),
    ...columnsOfFiltered(passing),
  ]).filter(({ name }) => !computed.has(name));
  const kept = lowerConditions(from.rows, filter, from.nameOf, query);
  const rows = lowerColumns(kept, wanted, from.nameOf, query);
  const left = { ...from, rows: withPassing(rows, passing, from.nameOf) };
  if (join === null) return left;
  const right = lowerSource(query, join.source, 'with');
  return lowerJoin(query, left, right, {
    name: view.name,
    join,
    read,
    calls: filteredCalls(view.name, calls, 'with'),
  });
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

/** The columns of `per`. Identical ids from different sites stay separate. */
function perKeys({ sort }: ResolvedView, column: ViewRows['column'], { scope }: LoweredQuery) {
  const per = sort?.per ?? [];
  const isPerId = scope.all && per.some(({ type }) => type === 'id');
  return [...per.map(({ name, type }) => ascending(column(name), type)), ...siteKey(isPerId)];
}

/** The view's sort, then the columns that make the order total, without duplicates. */
const totalOrder = (sorted: readonly OrderKey[], ties: readonly OrderKey[]): readonly OrderKey[] =>
  [...sorted, ...ties].filter(
    ({ column }, index, keys) => keys.findIndex((other) => other.column === column) === index,
  );

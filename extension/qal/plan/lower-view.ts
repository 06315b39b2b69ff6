// Owns the plan of one view: source, filter, join, then groups or rows, and the total order that belongs to them.
// ResolvedView -> its rows before its own cut. A chained view stands on the rows of the earlier one after its cut.
import { type OrderKey, type PlanNode, SITE_FIELD } from '../types/plan';
import type {
  BoundColumn,
  QueriedSites,
  ResolvedJoin,
  ResolvedQuery,
  ResolvedSource,
  ResolvedView,
} from '../types/resolved-query';
import { lowerJoin } from './lower-join';
import { bySite, extend, lowerMaterial, type SourceRows } from './lower-material';

export interface ViewRows {
  readonly rows: PlanNode;
  /** The plan's name for a column of the view's output. */
  readonly column: (output: string) => string;
  readonly order: readonly OrderKey[];
  /** Grouped or cut on the way: counting its rows reads nothing more. */
  readonly isSmall: boolean;
}

/** The rows of a view, in no order yet. */
export function lowerView(query: ResolvedQuery, view: ResolvedView): ViewRows {
  const { keep, calc, sort } = view;
  const { rows, column: bound, orderKeys, isSmall } = lowerSides(query, view);
  const names = new Map([
    ...keep.map((column) => [column.name, bound(column)] as const),
    ...(calc ?? []).map((entry) => [entry.name, `calc.${view.name}.${entry.name}`] as const),
  ]);
  const column = (output: string): string => names.get(output) ?? output;
  const sorted: readonly OrderKey[] =
    sort === null ? [] : [{ column: column(sort.by.name), type: sort.by.type, direction: sort.order }];
  if (calc === null) return { rows, column, order: total(sorted, orderKeys), isSmall };
  const { scope } = query;
  const apart = keepsSitesApart(view, scope);
  const keys = keep.map((kept): OrderKey => ({ column: bound(kept), type: kept.type, direction: 'asc' }));
  const group: PlanNode = {
    kind: 'group',
    input: rows,
    keys: [...keys.map((key) => key.column), ...(apart ? [SITE_FIELD] : [])],
    aggregates: calc.map((entry) => ({
      name: column(entry.name),
      function: entry.function,
      // Counting a column that always has a value is counting rows, for which the column need not be read.
      column: entry.function === 'COUNT' && !entry.column.nullable ? null : bound(entry.column),
      type: entry.column.type,
      within: scope.all && entry.column.type === 'id' ? [SITE_FIELD] : [],
    })),
  };
  return { rows: group, column, order: total(sorted, [...keys, ...bySite(apart)]), isSmall: true };
}

/** The rows that the clauses after the join read, with every column that these want. */
type LoweredSides = Omit<SourceRows, 'order'>;

function lowerSides(query: ResolvedQuery, view: ResolvedView): LoweredSides {
  const { filter, keep, calc, join } = view;
  const from = lowerSource(query, view.source, 'from');
  const filterColumns = unique(filter.map(({ column }) => column));
  const filtered: PlanNode =
    filter.length === 0
      ? from.rows
      : {
          kind: 'filter',
          input: extend(from.rows, filterColumns, from.column, query),
          conditions: filter.map(({ column, test }) => ({
            column: from.column(column),
            type: column.type,
            test,
          })),
        };
  const read = [...keep, ...(calc ?? []).map(({ column }) => column)];
  const known = new Set(filterColumns.map(({ name }) => name));
  const wanted = unique([
    ...read.filter(({ side }) => side === 'from'),
    ...(join?.on.map(({ left }) => left) ?? []),
    ...(calc === null ? from.order : []),
  ]).filter(({ name }) => !known.has(name));
  const rows = extend(filtered, wanted, from.column, query);
  if (join === null) return { ...from, rows };
  const joined = unique(read.filter(({ side }) => side === 'with'));
  const right = lowerJoinedSide(query, join, joined);
  const name = (column: string): string => `${view.name}/${column}`;
  const lowered = lowerJoin(rows, from.column, right, join, joined, name, query.scope);
  return {
    rows: lowered.rows,
    column: (bound) => (bound.side === 'from' ? from.column(bound) : name(right.column(bound))),
    orderKeys: [...from.orderKeys, ...lowered.orderKeys],
    isSmall: false,
  };
}

/** The joined rows with all columns that are read of them. */
function lowerJoinedSide(
  query: ResolvedQuery,
  join: ResolvedJoin,
  joined: readonly BoundColumn[],
): SourceRows {
  const right = lowerSource(query, join.source, 'with');
  const columns = unique([...joined, ...join.on.map((pair) => pair.right), ...right.order]);
  return { ...right, rows: extend(right.rows, columns, right.column, query) };
}

function lowerSource(query: ResolvedQuery, source: ResolvedSource, side: 'from' | 'with'): SourceRows {
  if (source.kind === 'material') {
    return lowerMaterial(source, side, query, (bound) => `${source.material}.${bound.name}`);
  }
  const earlier = query.views.find(({ name }) => name === source.view);
  if (earlier === undefined) throw new Error(`The resolved query has no view ${source.view}.`);
  const lowered = lowerView(query, earlier);
  const top = earlier.sort?.top ?? null;
  const ordered: PlanNode = { kind: 'order', input: lowered.rows, by: lowered.order };
  return {
    rows: top === null ? lowered.rows : { kind: 'limit', input: ordered, count: top, countAs: null },
    column: (bound) => lowered.column(bound.name),
    order: [],
    orderKeys: lowered.order,
    isSmall: lowered.isSmall || top !== null,
  };
}

/** Ids are unique within a site only, so groups by an id are groups within a site. */
const keepsSitesApart = (view: ResolvedView, scope: QueriedSites): boolean =>
  scope.all && view.keep.some((column) => column.type === 'id');

/** The view's sort, then what makes the order total; no column twice. */
function total(sorted: readonly OrderKey[], ties: readonly OrderKey[]): readonly OrderKey[] {
  return [...sorted, ...ties.filter((tie) => tie.column !== sorted[0]?.column)];
}

const unique = (columns: readonly BoundColumn[]): readonly BoundColumn[] => [
  ...new Map(columns.map((column) => [column.name, column])).values(),
];

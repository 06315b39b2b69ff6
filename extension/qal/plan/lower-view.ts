// Owns the plan of one view: source, filter, then groups or rows, and the total order that belongs to them.
// ResolvedView -> its rows before its own cut. A chained view stands on the rows of the earlier one after its cut.
import type { ColumnType } from '../../../manifests/reader/schema';
import { zoneOffsets } from '../time/zone-offsets';
import {
  type ComputedColumn,
  type Expression,
  type OrderKey,
  type PlanNode,
  SITE_FIELD,
} from '../types/plan';
import type {
  BoundColumn,
  ResolvedQuery,
  ResolvedView,
  Scope,
  StoredOrigin,
  TimeRange,
} from '../types/resolved-query';

export interface ViewRows {
  readonly rows: PlanNode;
  /** The plan's name for a column of the view's output. */
  readonly column: (output: string) => string;
  readonly order: readonly OrderKey[];
  /** Grouped or cut on the way: counting its rows reads nothing more. */
  readonly isSmall: boolean;
}

/** What a view reads, before its filter. `columns` are computed on demand; `order` is that of the source. */
interface SourceRows {
  readonly rows: PlanNode;
  readonly column: (bound: BoundColumn) => string;
  readonly order: readonly BoundColumn[];
  readonly orderKeys: readonly OrderKey[];
  readonly isSmall: boolean;
}

/** The rows of a view, in no order yet. */
export function lowerView(query: ResolvedQuery, view: ResolvedView): ViewRows {
  const { scope } = query;
  const { filter, keep, calc, sort } = view;
  const source = lowerSource(query, view);
  const filterColumns = unique(filter.map(({ column }) => column));
  const wanted = unique([...keep, ...(calc === null ? source.order : calc.map(({ column }) => column))]);
  const filtered: PlanNode =
    filter.length === 0
      ? source.rows
      : {
          kind: 'filter',
          input: extend(source, source.rows, filterColumns, query),
          conditions: filter.map(({ column, test }) => ({
            column: source.column(column),
            type: column.type,
            test,
          })),
        };
  const known = new Set(filterColumns.map((column) => column.name));
  const rows = extend(
    source,
    filtered,
    wanted.filter((column) => !known.has(column.name)),
    query,
  );
  const names = new Map([
    ...keep.map((column) => [column.name, source.column(column)] as const),
    ...(calc ?? []).map((entry) => [entry.name, `calc.${entry.name}`] as const),
  ]);
  const column = (output: string): string => names.get(output) ?? output;
  const sorted: readonly OrderKey[] =
    sort === null ? [] : [{ column: column(sort.by.name), type: sort.by.type, direction: sort.order }];
  if (calc === null) return { rows, column, order: total(sorted, source.orderKeys), isSmall: source.isSmall };
  const apart = keepsSitesApart(view, scope);
  const keys = keep.map(
    (kept): OrderKey => ({ column: source.column(kept), type: kept.type, direction: 'asc' }),
  );
  const group: PlanNode = {
    kind: 'group',
    input: rows,
    keys: [...keys.map((key) => key.column), ...(apart ? [SITE_FIELD] : [])],
    aggregates: calc.map((entry) => ({
      name: column(entry.name),
      function: entry.function,
      // Counting a column that always has a value is counting rows, for which the column need not be read.
      column: entry.function === 'COUNT' && !entry.column.nullable ? null : source.column(entry.column),
      type: entry.column.type,
      within: scope.all && entry.column.type === 'id' ? [SITE_FIELD] : [],
    })),
  };
  return { rows: group, column, order: total(sorted, [...keys, ...bySite(apart)]), isSmall: true };
}

function lowerSource(query: ResolvedQuery, { source }: ResolvedView): SourceRows {
  const { scope, range, views } = query;
  if (source.kind === 'material') {
    const { material, timeField, order } = source;
    const column = (bound: BoundColumn) => `${material}.${bound.name}`;
    return {
      rows: {
        kind: 'scan',
        material,
        siteIds: scope.siteIds,
        timeField,
        bounds: { kind: 'range', start: range.start, end: range.end },
      },
      column,
      order,
      orderKeys: [
        ...order.map((bound): OrderKey => ({ column: column(bound), type: bound.type, direction: 'asc' })),
        ...bySite(scope.all),
      ],
      isSmall: false,
    };
  }
  const earlier = views.find(({ name }) => name === source.view);
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
const keepsSitesApart = (view: ResolvedView, scope: Scope): boolean =>
  scope.all && view.keep.some((column) => column.type === 'id');

const bySite = (apart: boolean): readonly OrderKey[] =>
  apart ? [{ column: SITE_FIELD, type: 'int', direction: 'asc' }] : [];

/** The view's sort, then what makes the order total; no column twice. */
function total(sorted: readonly OrderKey[], ties: readonly OrderKey[]): readonly OrderKey[] {
  return [...sorted, ...ties.filter((tie) => tie.column !== sorted[0]?.column)];
}

const unique = (columns: readonly BoundColumn[]): readonly BoundColumn[] => [
  ...new Map(columns.map((column) => [column.name, column])).values(),
];

/** Adds the columns that are not there yet; those of an earlier view are. */
function extend(
  source: SourceRows,
  input: PlanNode,
  columns: readonly BoundColumn[],
  { scope, range }: ResolvedQuery,
): PlanNode {
  const siteId = scope.siteIds.length === 1 ? (scope.siteIds[0] ?? null) : null;
  const computed = columns.flatMap((column): readonly ComputedColumn[] =>
    column.origin.kind === 'output'
      ? []
      : [
          {
            name: source.column(column),
            value: expressionOf(column.origin, column.type, range, siteId),
          },
        ],
  );
  return computed.length === 0 ? input : { kind: 'extend', input, columns: computed };
}

function expressionOf(
  origin: StoredOrigin,
  type: ColumnType,
  range: TimeRange,
  siteId: number | null,
): Expression {
  switch (origin.kind) {
    case 'field':
      return { kind: type === 'flag' ? 'flag' : 'column', column: origin.field };
    case 'lookup':
      return { ...origin, siteId };
    case 'time-part':
      return {
        kind: 'time-part',
        part: origin.part,
        column: origin.field,
        clock: zoneOffsets(range.start, range.end, range.zone),
      };
    case 'joined-texts':
      return {
        kind: 'joined-texts',
        parts: origin.parts.map((part) => expressionOf(part, 'text', range, siteId)),
      };
  }
}

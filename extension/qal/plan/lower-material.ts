// Owns the plan of a material's rows within the sites and the time of a query.
// MaterialSource -> rows with their stored fields, and the computed columns that a view wants of them.
import { daysWithin } from '../../time/days-within';
import {
  type ComputedColumn,
  type OrderKey,
  type PlanNode,
  type ScanBounds,
  SITE_FIELD,
} from '../types/plan';
import type { BoundColumn, MaterialSource, QueriedSites } from '../types/resolved-query';
import { expressionOf, type Queried } from './expression-of';
import { PERIOD_ROWS } from './period-rows';

/** What a view reads, before its filter. `columns` are computed on demand; `order` is that of the source. */
export interface SourceRows {
  readonly rows: PlanNode;
  /** The plan's name for a column of the source. */
  readonly column: (bound: BoundColumn) => string;
  /** Columns to compute for the order, and the order itself. */
  readonly order: readonly BoundColumn[];
  readonly orderKeys: readonly OrderKey[];
  /** Grouped or cut on the way: counting its rows reads nothing more. */
  readonly isSmall: boolean;
}

/** Materials whose rows are numbered within the asked period, and the field that holds the number. */
const NUMBERED: ReadonlyMap<string, string> = new Map([['goal_N', 'session_index']]);

/** The rows of a material, as the side of a view that it is. */
export function lowerMaterial(
  source: MaterialSource,
  side: 'from' | 'with',
  query: Queried,
  names: (bound: BoundColumn) => string,
): SourceRows {
  const { rows: kind, only, order } = source;
  const periodRows = PERIOD_ROWS.get(kind);
  const rows = periodRows?.(query) ?? scan(source, side, query);
  const narrowed: PlanNode =
    only.length === 0
      ? rows
      : {
          kind: 'filter',
          input: extend(
            rows,
            only.map(({ column }) => column),
            names,
            query,
          ),
          conditions: only.map(({ column, test }) => ({ column: names(column), type: column.type, test })),
        };
  const number = NUMBERED.get(kind);
  return {
    rows: number === undefined ? narrowed : numbered(narrowed, number, order),
    column: names,
    order,
    orderKeys: [
      ...order.map((bound): OrderKey => ({ column: names(bound), type: bound.type, direction: 'asc' })),
      ...bySite(query.scope.all),
    ],
    isSmall: periodRows !== undefined,
  };
}

function scan({ rows, time, joinedAlways }: MaterialSource, side: 'from' | 'with', query: Queried): PlanNode {
  const bounds: ScanBounds =
    time === null || (joinedAlways && side === 'with') ? { kind: 'always' } : boundsOf(time, query);
  return { kind: 'scan', material: rows, siteIds: query.scope.siteIds, bounds };
}

/** Which stored times lie in the range of a query. */
function boundsOf({ field, grain }: NonNullable<MaterialSource['time']>, { range }: Queried): ScanBounds {
  switch (grain) {
    case 'instant':
      return { kind: 'range', field, start: range.start, end: range.end };
    case 'day':
      return { kind: 'days', field, ...daysWithin(range, range.zone) };
  }
}

function numbered(input: PlanNode, column: string, order: readonly BoundColumn[]): PlanNode {
  const by = order.flatMap(({ origin, type }): readonly OrderKey[] =>
    origin.kind === 'field' ? [{ column: origin.field, type, direction: 'asc' }] : [],
  );
  return { kind: 'number', input, column, by };
}

/** Adds the columns that are not there yet; those of an earlier view are. */
export function extend(
  input: PlanNode,
  columns: readonly BoundColumn[],
  names: (bound: BoundColumn) => string,
  query: Queried,
): PlanNode {
  const computed = columns.flatMap((column): readonly ComputedColumn[] =>
    column.origin.kind === 'output'
      ? []
      : [{ name: names(column), value: expressionOf(column.origin, column.type, query) }],
  );
  return computed.length === 0 ? input : { kind: 'extend', input, columns: computed };
}

/** The site as the last key of an order or a group that keeps sites apart. */
export const bySite = (apart: QueriedSites['all']): readonly OrderKey[] =>
  apart ? [{ column: SITE_FIELD, type: 'int', direction: 'asc' }] : [];

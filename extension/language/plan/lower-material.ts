// Lowers a material to its rows within a query's sites and time range.
import { daysWithin } from '../time/days-within';
import { columnsOfFilter } from '../types/filter-parts';
import { type OrderKey, type PlanCondition, type PlanNode, SITE_FIELD } from '../types/plan';
import type { BoundColumn, MaterialSource, ResolvedFilterPart } from '../types/resolved-query';
import type { ScanBounds } from '../types/scan-node';
import { ascending, filtered } from './build-nodes';
import { type LoweringContext, lowerColumns } from './lower-columns';
import { PERIOD_ROWS } from './period-rows';

/** The input of a view before its filter. Columns of the source are computed only if they are read. */
export interface SourceRows {
  readonly rows: PlanNode;
  /** The plan's name for a column of the source. */
  readonly nameOf: (bound: BoundColumn) => string;
  /** The columns that `orderKeys` needs. */
  readonly order: readonly BoundColumn[];
  readonly orderKeys: readonly OrderKey[];
  /** Whether the rows are already grouped or limited, so that counting them takes no extra time. */
  readonly isSmall: boolean;
  /** Whether each row belongs to one site, given by `site_id`. The rows of a group may come from several sites. */
  readonly isOfSite: boolean;
}

/** The materials whose rows are numbered within the range, with the field that holds the number. */
const NUMBERED: ReadonlyMap<string, string> = new Map([['goal_N', 'session_index']]);

export function lowerMaterial(
  source: MaterialSource,
  side: 'from' | 'with',
  context: LoweringContext,
): SourceRows {
  const { rows: family, only, order } = source;
  const nameOf = (bound: BoundColumn): string => `${source.material}.${bound.name}`;
  const periodRows = PERIOD_ROWS.get(family);
  const rows = lowerConditions(periodRows?.(context) ?? scan(source, side, context), only, nameOf, context);
  const number = NUMBERED.get(family);
  return {
    rows: number === undefined ? rows : numbered(rows, number, order),
    nameOf,
    order,
    orderKeys: [...order.map((bound) => ascending(nameOf(bound), bound.type)), ...siteKey(context.scope.all)],
    isSmall: periodRows !== undefined,
    isOfSite: true,
  };
}

/** Keeps the rows that pass the conditions. */
export function lowerConditions(
  rows: PlanNode,
  conditions: readonly ResolvedFilterPart[],
  nameOf: (bound: BoundColumn) => string,
  context: LoweringContext,
): PlanNode {
  const columns = lowerColumns(rows, uniqueColumns(columnsOfFilter(conditions)), nameOf, context);
  return filtered(columns, lowerFilter(conditions, nameOf));
}

export const lowerFilter = (
  conditions: readonly ResolvedFilterPart[],
  nameOf: (bound: BoundColumn) => string,
): readonly PlanCondition[] =>
  conditions.map((part): PlanCondition => {
    if ('anyOf' in part) return { ...part, anyOf: part.anyOf.map((all) => lowerFilter(all, nameOf)) };
    const { column } = part;
    if ('test' in part) return { column: nameOf(column), type: column.type, test: part.test };
    const { operator, other } = part;
    const type = other.type === 'num' ? 'num' : column.type;
    return { column: nameOf(column), operator, other: nameOf(other), type };
  });

/** The columns in order, without duplicates. */
export const uniqueColumns = (columns: readonly BoundColumn[]): readonly BoundColumn[] => [
  ...new Map(columns.map((column) => [column.name, column])).values(),
];

function scan(
  { rows: material, time, joinedAlways }: MaterialSource,
  side: 'from' | 'with',
  { scope, range }: LoweringContext,
): PlanNode {
  const boundsOf = (): ScanBounds => {
    if (time === null || (joinedAlways && side === 'with')) return { kind: 'always' };
    const { field, grain } = time;
    return grain === 'day'
      ? { kind: 'days', field, ...daysWithin(range, range.zone) }
      : { kind: 'range', field, start: range.start, end: range.end };
  };
  return { kind: 'scan', material, siteIds: scope.siteIds, bounds: boundsOf() };
}

function numbered(input: PlanNode, column: string, order: readonly BoundColumn[]): PlanNode {
  const by = order.flatMap(({ origin, type }) =>
    origin.kind === 'field' ? [ascending(origin.field, type)] : [],
  );
  return { kind: 'number', input, column, within: [], by };
}

/** The site as the last key of an order, if rows of different sites stay separate. */
export const siteKey = (isSeparate: boolean): readonly OrderKey[] =>
  isSeparate ? [ascending(SITE_FIELD, 'int')] : [];

// Turns origins of columns into expressions with the query's sites and clock.
import type { Manifest } from '../../../manifests/reader/manifest';
import type { ColumnType } from '../../../manifests/reader/schema';
import { zoneOffsets } from '../time/zone-offsets';
import type { ComputedColumn, Expression, PlanNode } from '../types/plan';
import type { BoundColumn, ResolvedQuery, StoredOrigin } from '../types/resolved-query';
import { extended } from './build-nodes';

const DAY = 86_400;

/** What expressions and rows depend on besides their columns. */
export type LoweringContext = Pick<ResolvedQuery, 'scope' | 'range'> & { readonly manifest: Manifest };

/** The one site of a query; null if rows have different ones. */
const onlySite = ({ scope }: LoweringContext): number | null =>
  scope.siteIds.length === 1 ? (scope.siteIds[0] ?? null) : null;

/** Adds the columns that the rows do not have yet; those of an earlier view exist. */
export const lowerColumns = (
  input: PlanNode,
  columns: readonly BoundColumn[],
  nameOf: (bound: BoundColumn) => string,
  context: LoweringContext,
): PlanNode =>
  extended(
    input,
    columns.flatMap((column): readonly ComputedColumn[] =>
      column.origin.kind === 'output'
        ? []
        : [{ name: nameOf(column), value: lowerOrigin(column.origin, column.type, context) }],
    ),
  );

/** The expression of a stored value. */
export function lowerOrigin(origin: StoredOrigin, type: ColumnType, context: LoweringContext): Expression {
  const { start, end, zone } = context.range;
  const siteId = onlySite(context);
  switch (origin.kind) {
    case 'field':
      return { kind: type === 'flag' ? 'flag' : 'column', column: origin.field };
    case 'lookup': {
      const perSite = context.manifest.dimensions.get(origin.dimension)?.scope === 'site';
      return { ...origin, perSite, siteId };
    }
    case 'converted':
    case 'has-rows':
      return { ...origin, siteId };
    case 'time-part': {
      const clock = origin.grain === 'day' ? null : zoneOffsets(start, end, zone);
      return { kind: 'time-part', part: origin.part, column: origin.field, clock };
    }
    case 'session-of-day':
      // The local day of the first rows may begin before the range.
      return { kind: 'session-of-day', clock: zoneOffsets(start - 2 * DAY, end, zone), siteId };
    case 'joined-texts':
      return {
        kind: 'joined-texts',
        parts: origin.parts.map((part) => lowerOrigin(part, 'text', context)),
      };
    case 'computed':
      return origin;
  }
}

// Owns how the origin of a column becomes an expression of the plan: what the query adds are its sites and its clock.

import type { ColumnType } from '../../../manifests/reader/schema';
import { zoneOffsets } from '../../time/zone-offsets';
import type { Expression } from '../types/plan';
import type { ResolvedQuery, StoredOrigin } from '../types/resolved-query';

const DAY = 86_400;

/** What expressions need to know of a query. */
export type Queried = Pick<ResolvedQuery, 'scope' | 'range'>;

/** The one site of a query; null where rows of several sites tell it themselves. */
export const onlySite = ({ scope }: Queried): number | null =>
  scope.siteIds.length === 1 ? (scope.siteIds[0] ?? null) : null;

/** The expression of a stored value. */
export function expressionOf(origin: StoredOrigin, type: ColumnType, query: Queried): Expression {
  const { start, end, zone } = query.range;
  const siteId = onlySite(query);
  switch (origin.kind) {
    case 'field':
      return { kind: type === 'flag' ? 'flag' : 'column', column: origin.field };
    case 'lookup':
    case 'converted':
    case 'has-rows':
      return { ...origin, siteId };
    case 'time-part': {
      const clock = origin.grain === 'day' ? null : zoneOffsets(start, end, zone);
      return { kind: 'time-part', part: origin.part, column: origin.field, clock };
    }
    case 'session-of-day':
      // The day of the first rows began before the range.
      return { kind: 'session-of-day', clock: zoneOffsets(start - 2 * DAY, end, zone), siteId };
    case 'joined-texts':
      return {
        kind: 'joined-texts',
        parts: origin.parts.map((part) => expressionOf(part, 'text', query)),
      };
    case 'computed':
      return origin;
  }
}

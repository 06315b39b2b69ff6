import type { Manifest } from '../../../manifests/reader/manifest';
import type { ColumnType } from '../../../manifests/reader/schema';
import { DAY_SECONDS } from '../time/calendar';
import { zoneOffsets } from '../time/zone-offsets';
import type { LookupOrigin, RulesOfSites } from '../types/channels';
import type { Expression, Lookup, PlanNode } from '../types/plan';
import type { BoundColumn, ResolvedQuery, StoredOrigin } from '../types/resolved-query';
import { extended } from './build-nodes';

export type LoweringContext = Pick<ResolvedQuery, 'scope' | 'range'> & { readonly manifest: Manifest };

/** Adds the columns that the rows do not have yet. The columns of an earlier view already exist. */
export const lowerColumns = (
  input: PlanNode,
  columns: readonly BoundColumn[],
  nameOf: (bound: BoundColumn) => string,
  context: LoweringContext,
): PlanNode =>
  extended(
    input,
    columns.flatMap((column) =>
      column.origin.kind === 'output'
        ? []
        : [{ name: nameOf(column), value: lowerOrigin(column.origin, column.type, context) }],
    ),
  );

/** The only site of the query; null if it has several. */
function onlySite({ scope: { siteIds } }: LoweringContext): number | null {
  const [first, ...others] = siteIds;
  return first === undefined || others.length > 0 ? null : first;
}

function lowerLookup(origin: LookupOrigin, context: LoweringContext): Lookup {
  const perSite = context.manifest.dimensions.get(origin.dimension)?.scope === 'site';
  return { ...origin, perSite, siteId: onlySite(context) };
}

function channelRules({ manifest, scope }: LoweringContext): RulesOfSites {
  const { rules, otherwise } = manifest.channels;
  const ofSites = scope.channels ?? [];
  const [only, ...others] = ofSites;
  return only?.siteIds.length === scope.siteIds.length && others.length === 0
    ? { rules: only.rules, isShipped: false, ofSites: [] }
    : { rules: { rules, otherwise }, isShipped: true, ofSites };
}

export function lowerOrigin(origin: StoredOrigin, type: ColumnType, context: LoweringContext): Expression {
  const { start, end, zone } = context.range;
  const siteId = onlySite(context);
  switch (origin.kind) {
    case 'field':
      return { kind: type === 'flag' ? 'flag' : 'column', column: origin.field };
    case 'lookup':
      return lowerLookup(origin, context);
    case 'channel': {
      const [source, medium] = [lowerLookup(origin.source, context), lowerLookup(origin.medium, context)];
      return { kind: 'channel', source, medium, ...channelRules(context) };
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
      return { kind: 'session-of-day', clock: zoneOffsets(start - 2 * DAY_SECONDS, end, zone), siteId };
    case 'joined-texts':
      return {
        kind: 'joined-texts',
        parts: origin.parts.map((part) => lowerOrigin(part, 'text', context)),
      };
    case 'computed':
      return origin;
  }
}

// A shared link may be limited to a segment. The link's key stores a copy of the filters, so changing or deleting the segment
// later cannot widen what the link shows.
import { z } from 'zod';
import type { HostUser, LinkLimit } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { filtersSchema, type LimitedFilter } from '../dashboard/requested-dashboard';
import { siteOf } from '../page-route';
import { fixedBy, type PinnedSegment, type RequestedFilter } from '../shared-types/dashboard-types';
import type { Segment } from '../shared-types/saved-types';
import { segments } from './saved-segments';

const pinnedSchema = z.strictObject({ name: z.string(), filters: filtersSchema });

export function segmentLimit({ host }: Pick<Analytics, 'host'>): LinkLimit {
  const segmentsOf = async (user: HostUser, trackingId: string): Promise<readonly Segment[]> => {
    const site = await siteOf(host, user, trackingId);
    return site === undefined ? [] : segments.list(host.database.read, user, { site_id: site.siteId });
  };
  return {
    label: 'Segment',
    whole: 'Everything',
    hint: "The link then shows only what matches the segment's current filters, which cannot be removed.",
    async options(user, trackingId) {
      const found = await segmentsOf(user, trackingId);
      return found.map(({ id, name }) => ({ value: String(id), label: name }));
    },
    async read(user, trackingId, value): Promise<PinnedSegment | undefined> {
      const segment = (await segmentsOf(user, trackingId)).find(({ id }) => String(id) === value);
      return segment && { name: segment.name, filters: segment.filters };
    },
  };
}

/** Returns undefined if the user did not open a link, or if the link has no segment. Throws if the link's filters cannot be read. */
export function pinnedSegment({ key }: HostUser): PinnedSegment | undefined {
  const limit = key?.linkLimit ?? null;
  return limit === null ? undefined : pinnedSchema.parse(limit);
}

/** Someone who opens a link cannot filter by the dimensions that the link's segment uses. */
export function withPinned(
  filters: readonly RequestedFilter[],
  pinned: PinnedSegment | undefined,
): readonly LimitedFilter[] {
  if (pinned === undefined) return filters;
  const fixed = new Set(pinned.filters.flatMap(fixedBy));
  return [
    ...pinned.filters.map((filter) => ({ ...filter, isPinned: true as const })),
    ...filters.filter(({ dimension }) => !fixed.has(dimension)),
  ];
}

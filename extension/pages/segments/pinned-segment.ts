// A shared link may be limited to a segment. Its filters are copied when the link is created: nobody who changes or deletes the segment
// later can widen the link.
import type { Knex } from 'knex';
import type { HostUser, LinkLimit, ReadPool } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites } from '../../data/storage/sites/list-sites';
import type { LimitedFilter } from '../dashboard/asked-dashboard';
import type { AskedFilter, PinnedSegment } from '../shared-types/dashboard-types';
import type { Segment } from '../shared-types/segment-types';
import { listSegments } from './saved-segments';

export function segmentLimit({ host }: Pick<Analytics, 'host'>): LinkLimit {
  const { read, write } = host.database;
  const segmentsOf = async (user: HostUser, trackingId: string): Promise<readonly Segment[]> => {
    const site = (await permittedSites(read, user.sites)).find((one) => one.trackingId === trackingId);
    return site === undefined ? [] : listSegments(read, site.siteId, user);
  };
  return {
    label: 'Segment',
    whole: 'Everything',
    hint: 'The link then shows only what matches the filters that the segment has now, and nobody can remove them.',
    async options(user, trackingId) {
      const segments = await segmentsOf(user, trackingId);
      return segments.map(({ id, name }) => ({ value: String(id), label: name }));
    },
    async apply(user, trackingId, value, uuid) {
      const segment = (await segmentsOf(user, trackingId)).find(({ id }) => String(id) === value);
      if (segment === undefined)
        throw new Error(`The segment ${value} was deleted while a link was created.`);
      const { name, filters } = segment;
      await write('analytics.link_filters').insert({
        key_uuid: uuid,
        name,
        filters: JSON.stringify(filters),
      });
    },
  };
}

/** undefined for users without a link, and for links to everything. */
export async function pinnedSegment(
  read: ReadPool,
  user: HostUser | null,
): Promise<PinnedSegment | undefined> {
  if (user?.key?.opens === undefined) return undefined;
  const [pinned] = await read.query<PinnedSegment>({
    text: 'SELECT name, filters FROM analytics.link_filters WHERE key_uuid = $1',
    values: [user.key.uuid],
  });
  return pinned;
}

export const forgetPinned = async (write: Knex, uuids: readonly string[]): Promise<void> => {
  await write('analytics.link_filters').whereIn('key_uuid', uuids).delete();
};

/** Visitors of a link cannot filter by the dimensions of its segment. */
export function withPinned(
  filters: readonly AskedFilter[],
  pinned: PinnedSegment | undefined,
): readonly LimitedFilter[] {
  if (pinned === undefined) return filters;
  const fixed = new Set(pinned.filters.map(({ dimension }) => dimension));
  return [
    ...pinned.filters.map((filter) => ({ ...filter, isPinned: true as const })),
    ...filters.filter(({ dimension }) => !fixed.has(dimension)),
  ];
}

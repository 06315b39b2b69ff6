// Owns what the host is told of the sites: which there are, by name, so that people can be granted some.
import type { KnownSite, ReadPool } from '../../host-shim/extension-api';
import { analytics } from '../storage/build-query';

/** All sites, the default first, then by name. */
export function knownSites(read: ReadPool): Promise<readonly KnownSite[]> {
  return read.select(
    analytics('site')
      .select<KnownSite[]>({
        trackingId: 'tracking_id',
        name: 'name',
        domain: 'domain',
        timezone: 'timezone',
      })
      .orderBy([{ column: 'is_default', order: 'desc' }, 'name', 'tracking_id']),
  );
}

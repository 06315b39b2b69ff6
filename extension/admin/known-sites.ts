// Owns what the host is told of the sites: which there are, by name, so that people can be granted some.
import type { Knex } from 'knex';
import type { KnownSite } from '../../host-shim/extension-api';

/** All sites, the default first, then by name. */
export function knownSites(read: Knex): Promise<readonly KnownSite[]> {
  return read
    .withSchema('analytics')
    .from('site')
    .select<KnownSite[]>({
      trackingId: 'tracking_id',
      name: 'name',
      domain: 'domain',
      timezone: 'timezone',
    })
    .orderBy([{ column: 'is_default', order: 'desc' }, 'name', 'tracking_id']);
}

// Owns the reading of the sites that a user may see.
import type { Knex } from 'knex';

export interface Site {
  readonly siteId: number;
  readonly trackingId: string;
  readonly domain: string;
  readonly name: string;
  readonly timezone: string;
  readonly isDefault: boolean;
}

/** The user's sites: the default one first, then by name. */
export async function permittedSites(
  database: Knex,
  permitted: 'all' | readonly string[],
): Promise<readonly Site[]> {
  const sites = database
    .withSchema('analytics')
    .from('site')
    .select<Site[]>({
      siteId: 'site_id',
      trackingId: 'tracking_id',
      domain: 'domain',
      name: 'name',
      timezone: 'timezone',
      isDefault: 'is_default',
    })
    .orderBy([{ column: 'is_default', order: 'desc' }, 'name', 'tracking_id']);
  return permitted === 'all' ? sites : sites.whereIn('tracking_id', permitted);
}

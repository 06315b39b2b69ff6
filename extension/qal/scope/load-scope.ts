// Owns the way from a tracking id to the sites that a query reads.
// tracking id + what the user may see -> Scope; a site that the user may not see does not exist.
import { isEnabled } from '../../contracts/contract';
import { queryError } from '../../errors/query-error';
import { nearest } from '../names/nearest';
import type { JsonValue } from '../types/json';
import type { QueryContext } from '../types/query-context';
import type { Scope } from '../types/resolved-query';
import { permittedSites, type Site } from './permitted-sites';

/** Finds the sites of a query; throws E_UNKNOWN_TRACKING_ID. */
export async function loadScope(trackingId: JsonValue, context: QueryContext): Promise<Scope> {
  const sites = await permittedSites(context.database, context.sites);
  const all =
    trackingId === 'all' && isEnabled(context.contract, 'materials_supports_all') && sites.length > 0;
  const chosen = all ? sites : sites.filter((site) => site.trackingId === trackingId);
  if (typeof trackingId !== 'string' || chosen.length === 0) throw unknownSite(trackingId, sites);
  return { trackingId, all, siteIds: chosen.map((site) => site.siteId).sort((a, b) => a - b) };
}

function unknownSite(received: JsonValue, sites: readonly Site[]) {
  const ids = sites.map((site) => site.trackingId);
  return queryError('E_UNKNOWN_TRACKING_ID', 'tracking_id', {
    received,
    available: sites.map(({ trackingId, domain }) => ({ tracking_id: trackingId, domain })),
    nearest: typeof received === 'string' ? nearest(received, ids) : undefined,
  });
}

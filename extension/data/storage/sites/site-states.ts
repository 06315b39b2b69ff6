// The sites that a query reads: their numbers and data versions, in one round trip.

import type { ReadPool } from '../../../../host-shim/extension-api';
import type { QueriedSites, SiteState } from '../../../language/types/resolved-query';

/** A site of the user, as it was a moment ago: newer than the request, older than its statement. */
export interface SiteAhead {
  readonly trackingId: string;
  readonly state: SiteState;
}

/** Who reads the states of sites, and from where. */
export interface SitesReader {
  /** Read-only connections. */
  readonly database: ReadPool;
  /** Tracking ids that the user may see. */
  readonly sites: 'all' | readonly string[];
  /** The state of the site that the query names, where it was read on the way here. */
  readonly siteAhead?: SiteAhead | undefined;
}

type StateRow = readonly [siteId: number, version: string];

const STATES =
  'SELECT s.site_id, v.token FROM analytics.site s JOIN analytics.site_version v USING (site_id)';

/** The state of the site with the tracking id `$1`. */
const SITE_STATE = `${STATES} WHERE s.tracking_id = $1`;

/** A list of tracking id, number and version: of the sites with the tracking ids `$2`. */
export const STATES_BY_NAME = `
  SELECT coalesce(json_agg(json_build_array(s.tracking_id, s.site_id, v.token)), '[]')
    FROM analytics.site s JOIN analytics.site_version v USING (site_id) WHERE s.tracking_id = ANY($2::text[])`;

/** The table has the same rule. */
const TRACKING_ID = /^[a-zA-Z0-9_-]+$/;

/** Whether the user may see a site of this name, if there is one. */
export const maySee = (sites: SitesReader['sites'], trackingId: string): boolean =>
  TRACKING_ID.test(trackingId) && (sites === 'all' || sites.includes(trackingId));

/** The site of this name, or none if it is not one of the user's. */
export async function stateOfSite(trackingId: string, reader: SitesReader): Promise<readonly SiteState[]> {
  const { sites, siteAhead } = reader;
  if (siteAhead?.trackingId === trackingId) return [siteAhead.state];
  if (!maySee(sites, trackingId)) return [];
  return readStates(reader, 'site-state', SITE_STATE, [trackingId]);
}

/** All of the user's sites, in the order of their numbers. */
export function statesOfSites(reader: SitesReader): Promise<readonly SiteState[]> {
  const { sites } = reader;
  return sites === 'all'
    ? readStates(reader, 'all-site-states', `${STATES} ORDER BY s.site_id`, [])
    : readStates(reader, 'site-states', `${STATES} WHERE s.tracking_id = ANY($1) ORDER BY s.site_id`, [
        sites,
      ]);
}

/** The states of the same sites at this moment. */
export const statesNow = (
  { all, trackingId }: Pick<QueriedSites, 'all' | 'trackingId'>,
  reader: SitesReader,
): Promise<readonly SiteState[]> => {
  const now = { ...reader, siteAhead: undefined };
  return all ? statesOfSites(now) : stateOfSite(trackingId, now);
};

/** The name makes it a prepared statement of each connection. */
async function readStates(
  { database }: SitesReader,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<readonly SiteState[]> {
  return (await database.query<StateRow>({ name, text, values, rowMode: 'array' })).map(stateOf);
}

const stateOf = ([siteId, version]: StateRow): SiteState => ({ siteId, version });

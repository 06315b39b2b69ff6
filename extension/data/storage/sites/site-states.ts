// Reads the ids and data versions of the sites that a query reads. Ids are read first: in a Citus cluster, they are on
// the coordinator, and a version is read only from the machine that has the site, so that losing a machine affects only its sites.
// Functions that read the user's sites throw WorkerUnavailable if a machine with one of these sites does not respond.

import type { Queryable, ReadPool } from '../../../../host-shim/extension-api';
import type { QueriedSites, SiteState } from '../../../language/types/resolved-query';
import { TRACKING_ID } from '../../../language/types/tracking-id';
import type { Workers } from '../workers';

/** The state of one of the user's sites, read after the request arrived and before its statement runs. */
export interface PrefetchedSite {
  readonly trackingId: string;
  readonly state: SiteState;
}

export interface SitesReader {
  readonly database: ReadPool;
  /** The tracking ids that the user may see. */
  readonly sites: 'all' | readonly string[];
  /** The state of the queried site, if it has already been read. */
  readonly prefetchedSite?: PrefetchedSite | undefined;
  /** Undefined if no workers are watched. */
  readonly workers?: Workers | undefined;
}

const STATES = 'SELECT site_id AS "siteId", token AS version FROM analytics.site_version';

/** SQL for a list of [tracking id, site id, version]. `trackingIds` is a placeholder. Not for use in a Citus cluster. */
export const statesByName = (trackingIds: string): string => `
  SELECT coalesce(json_agg(json_build_array(tracking_id, site_id, token)), '[]')
    FROM analytics.site JOIN analytics.site_version USING (site_id) WHERE tracking_id = ANY(${trackingIds})`;

/** A string that identifies these sites and versions. */
export const versionsOf = (states: readonly SiteState[]): string =>
  JSON.stringify(states.map(({ siteId, version }) => [siteId, version]));

/** Whether the user may see a site with this tracking id, if it exists. */
export const maySee = (sites: SitesReader['sites'], trackingId: string): boolean =>
  TRACKING_ID.test(trackingId) && (sites === 'all' || sites.includes(trackingId));

/** The state of the site with this tracking id. Empty if it is not one of the user's sites. */
export async function stateOfSite(trackingId: string, reader: SitesReader): Promise<readonly SiteState[]> {
  const { sites, prefetchedSite } = reader;
  if (prefetchedSite?.trackingId === trackingId) return [prefetchedSite.state];
  return maySee(sites, trackingId) ? namedStates(reader, [trackingId]) : [];
}

/** The states of all of the user's sites, ordered by id. */
export async function statesOfSites(reader: SitesReader): Promise<readonly SiteState[]> {
  const { database, sites, workers } = reader;
  if (sites !== 'all') return namedStates(reader, sites);
  workers?.check('all');
  return database.query({ name: 'all-site-states', text: `${STATES} ORDER BY site_id` });
}

/** The states of all sites whose machine responds. */
export const reachableStates = ({
  database,
  workers,
}: Pick<SitesReader, 'database' | 'workers'>): Promise<readonly SiteState[]> =>
  database.query({
    text: `${STATES} WHERE ($1::int[] IS NULL OR site_id = ANY($1)) ORDER BY site_id`,
    values: [workers?.reachable ?? null],
  });

/** The maximum number of earlier states; older ones are ignored. */
const MAX_EARLIER = 500;

/** The states of a site before the current one, newest first. */
export const earlierStates = (siteId: number, database: ReadPool): Promise<readonly SiteState[]> =>
  database.query({
    name: 'earlier-states',
    text: `SELECT site_id AS "siteId", token_before AS version FROM analytics.change
            WHERE site_id = $1 AND table_name = 'site_version' ORDER BY data_version DESC LIMIT $2`,
    values: [siteId, MAX_EARLIER],
  });

/** The current states of the queried sites. */
export const statesNow = (
  { all, trackingId }: Pick<QueriedSites, 'all' | 'trackingId'>,
  { database, sites, workers }: SitesReader,
): Promise<readonly SiteState[]> =>
  all ? statesOfSites({ database, sites, workers }) : stateOfSite(trackingId, { database, sites, workers });

/**
 * Statements with a `name` are prepared. Citus routes `= $1` to a machine much faster than `= ANY($1)`; the statement with the
 * latter has no name, because the generic plan of a prepared statement would query every machine.
 */
async function namedStates(
  { database, workers }: SitesReader,
  trackingIds: readonly string[],
): Promise<readonly SiteState[]> {
  const sites = await database.query<Pick<SiteState, 'siteId'>>({
    name: 'site-ids',
    text: 'SELECT site_id AS "siteId" FROM analytics.site WHERE tracking_id = ANY($1::text[])',
    values: [trackingIds],
  });
  const siteIds = sites.map(({ siteId }) => siteId);
  workers?.check(siteIds);
  return siteIds.length === 1
    ? database.query({ name: 'site-state', text: `${STATES} WHERE site_id = $1`, values: siteIds })
    : database.query({
        text: `${STATES} WHERE site_id = ANY($1) ORDER BY site_id`,
        values: [siteIds],
      });
}

/** Whether a server has exactly these versions. This is false for a server that is ahead or has a different history. */
export async function hasStates(connection: Queryable, states: readonly SiteState[]): Promise<boolean> {
  const { rows } = await connection.query<SiteState>({
    name: 'states-of-replica',
    text: `${STATES} WHERE site_id = ANY($1)`,
    values: [states.map(({ siteId }) => siteId)],
  });
  const found = new Map(rows.map(({ siteId, version }) => [siteId, version]));
  return states.every(({ siteId, version }) => found.get(siteId) === version);
}

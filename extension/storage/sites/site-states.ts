// Owns the reading of the sites of a query: their numbers and states, and nothing of any other site.
// One round trip; a site that the user may not see is not asked for.
import type { QueryContext } from '../../qal/types/query-context';
import type { CountedDays, SiteState } from '../../qal/types/resolved-query';

/** What of the context says which sites there are, and what is to be known of them. */
type Reader = Pick<QueryContext, 'database' | 'sites' | 'rollups' | 'siteAhead'>;

/** Numbers and the two of them that may be missing together: a site without counts has no row of rollup_state. */
export type StateRow = readonly [siteId: number, version: number, ...counts: Counts];
type Counts =
  | readonly [clock: CountedDays['clock'], firstDay: number, endDay: number, longestClick: number]
  | readonly [null, null, null, null];

const STATES = `
SELECT s.site_id, s.data_version, r.clock, r.first_day, r.end_day, r.longest_click
FROM analytics.site s LEFT JOIN analytics.rollup_state r ON r.site_id = s.site_id AND $1::boolean`;

/** The state of one site. Bindings: whether its counts are wanted, its tracking id. */
export const SITE_STATE = `${STATES} WHERE s.tracking_id = $2`;

/** What a tracking id of any site looks like; the table holds to it. */
const TRACKING_ID = /^[a-zA-Z0-9_-]+$/;

/** Whether a site of this name, if there is one, is one of the user's. */
export const maySee = (sites: Reader['sites'], trackingId: string): boolean =>
  TRACKING_ID.test(trackingId) && (sites === 'all' || sites.includes(trackingId));

/** The site of this name; none where it is not one of the user's. */
export async function stateOfSite(trackingId: string, reader: Reader): Promise<readonly SiteState[]> {
  const { database, sites, rollups, siteAhead } = reader;
  if (siteAhead?.trackingId === trackingId) return [siteAhead.state];
  if (!maySee(sites, trackingId)) return [];
  return read(database, 'site-state', SITE_STATE, [rollups, trackingId]);
}

/** All of the user's sites, in the order of their numbers. */
export function statesOfSites({ database, sites, rollups }: Reader): Promise<readonly SiteState[]> {
  return sites === 'all'
    ? read(database, 'all-site-states', `${STATES} ORDER BY s.site_id`, [rollups])
    : read(database, 'site-states', `${STATES} WHERE s.tracking_id = ANY($2) ORDER BY s.site_id`, [
        rollups,
        sites,
      ]);
}

/** By name PostgreSQL keeps the statement ready on each connection. */
async function read(
  database: Reader['database'],
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<readonly SiteState[]> {
  return (await database.query<StateRow>({ name, text, values, rowMode: 'array' })).map(stateOf);
}

/** The state that a row tells. */
export function stateOf([siteId, version, clock, firstDay, endDay, longestClick]: StateRow): SiteState {
  const rollups = clock === null ? null : { clock, firstDay, endDay, longestClick };
  return { siteId, version, rollups };
}

// The sites that a query reads: their numbers and data versions, in one round trip.
import type { QueryContext } from '../../qal/types/query-context';
import type { CountedDays, SiteState } from '../../qal/types/resolved-query';

type Reader = Pick<QueryContext, 'database' | 'sites' | 'rollups' | 'siteAhead'>;

/** A site without rollups has no row of rollup_state. */
export type StateRow = readonly [siteId: number, version: number, ...counts: Counts];
type Counts =
  | readonly [clock: CountedDays['clock'], firstDay: number, endDay: number, longestClick: number]
  | readonly [null, null, null, null];

const STATES = `
SELECT s.site_id, s.data_version, r.clock, r.first_day, r.end_day, r.longest_click
FROM analytics.site s LEFT JOIN analytics.rollup_state r ON r.site_id = s.site_id AND $1::boolean`;

/** The state of one site. Values: whether its rollups are wanted, its tracking id. */
export const SITE_STATE = `${STATES} WHERE s.tracking_id = $2`;

/** The table has the same rule. */
const TRACKING_ID = /^[a-zA-Z0-9_-]+$/;

/** Whether the user may see a site of this name, if there is one. */
export const maySee = (sites: Reader['sites'], trackingId: string): boolean =>
  TRACKING_ID.test(trackingId) && (sites === 'all' || sites.includes(trackingId));

/** The site of this name, or none if it is not one of the user's. */
export async function stateOfSite(trackingId: string, reader: Reader): Promise<readonly SiteState[]> {
  const { sites, rollups, siteAhead } = reader;
  if (siteAhead?.trackingId === trackingId) return [siteAhead.state];
  if (!maySee(sites, trackingId)) return [];
  return readStates(reader, 'site-state', SITE_STATE, [rollups, trackingId]);
}

/** All of the user's sites, in the order of their numbers. */
export function statesOfSites(reader: Reader): Promise<readonly SiteState[]> {
  const { sites, rollups } = reader;
  return sites === 'all'
    ? readStates(reader, 'all-site-states', `${STATES} ORDER BY s.site_id`, [rollups])
    : readStates(reader, 'site-states', `${STATES} WHERE s.tracking_id = ANY($2) ORDER BY s.site_id`, [
        rollups,
        sites,
      ]);
}

/** The name makes it a prepared statement of each connection. */
async function readStates(
  { database }: Reader,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<readonly SiteState[]> {
  return (await database.query<StateRow>({ name, text, values, rowMode: 'array' })).map(stateOf);
}

export function stateOf([siteId, version, clock, firstDay, endDay, longestClick]: StateRow): SiteState {
  const rollups = clock === null ? null : { clock, firstDay, endDay, longestClick };
  return { siteId, version, rollups };
}

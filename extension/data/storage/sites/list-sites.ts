// The sites in the installation, for API clients, pages and commands.
import type { KnownSite, Queryable, ReadPool } from '../../../../host-shim/extension-api';
import type { Workers } from '../workers';

export interface SiteFacts extends KnownSite {
  readonly isDefault: boolean;
  /** Visits are removed this many local days after they end; null for never. */
  readonly retentionDays: number | null;
}

export interface Site extends SiteFacts {
  readonly siteId: number;
}

/** Selects all sites as `s`. */
export const SITES = `SELECT s.site_id AS "siteId", s.tracking_id AS "trackingId", s.domain, s.name, s.timezone,
  s.is_default AS "isDefault", s.retention_days AS "retentionDays" FROM analytics.site s`;
/** SQL that follows FROM: a table's rows for the site `d`. */
type RowsOf = (table: string) => string;
const goalsOf = (rowsOf: RowsOf): string => `(SELECT count(*)::int FROM ${rowsOf('goal')}) AS goals`;
const PERMITTED = '$1::text[] IS NULL OR s.tracking_id = ANY($1::text[])';
const DEFAULT_FIRST = 'ORDER BY s.is_default DESC, s.name, s.tracking_id';

/** The sites with these tracking ids, the default site first, then by name. */
export const permittedSites = (
  read: ReadPool,
  permitted: 'all' | readonly string[],
): Promise<readonly Site[]> =>
  read.query({
    text: `${SITES} WHERE ${PERMITTED} ${DEFAULT_FIRST}`,
    values: [permitted === 'all' ? null : permitted],
  });

/** The site with this tracking id, in a transaction; undefined if it does not exist. */
export async function findSite(client: Queryable, trackingId: string): Promise<Site | undefined> {
  const { rows } = await client.query<Site>(`${SITES} WHERE s.tracking_id = $1`, [trackingId]);
  return rows[0];
}

/** Facts about a site that come from its rows. */
interface SiteExtent {
  readonly goals: number;
  /** The times of the first and last page view; null if there are no views. */
  readonly firstView: Date | null;
  readonly lastView: Date | null;
}

export interface SiteOverview extends Site, SiteExtent {
  /** Whether the site's machine does not respond, so that nothing is known about its rows. */
  readonly isAway: boolean;
}

const UNKNOWN: SiteExtent = { goals: 0, firstView: null, lastView: null };

/** The permitted sites, sorted as in `permittedSites`, with the time span of their data: two index lookups per site. */
export async function siteOverview(
  read: ReadPool,
  permitted: 'all' | readonly string[],
  { reachable }: Pick<Workers, 'reachable'>,
): Promise<readonly SiteOverview[]> {
  const sites = await permittedSites(read, permitted);
  const extents = await extentsOf<SiteExtent>(
    read,
    (rowsOf) =>
      `${goalsOf(rowsOf)}, (SELECT min(at) FROM ${rowsOf('page_view')}) AS "firstView",
       (SELECT max(at) FROM ${rowsOf('page_view')}) AS "lastView"`,
    { sites, areAll: permitted === 'all', reachable },
  );
  return sites.map((site) => {
    const extent = extents.get(site.siteId);
    return { ...site, ...(extent ?? UNKNOWN), isAway: extent === undefined };
  });
}

interface SiteCounts {
  readonly goals: number;
  readonly views: number;
}

/** Has no counts if the site's machine does not respond. */
interface ListedSite extends SiteFacts, Partial<SiteCounts> {}

/** All sites with their page view counts, which may take seconds to compute. */
export async function listSites(
  read: ReadPool,
  { reachable }: Pick<Workers, 'reachable'>,
): Promise<readonly ListedSite[]> {
  const sites = await permittedSites(read, 'all');
  const counts = await extentsOf<SiteCounts>(
    read,
    (rowsOf) => `${goalsOf(rowsOf)}, (SELECT count(*)::int FROM ${rowsOf('page_view')}) AS views`,
    { sites, areAll: true, reachable },
  );
  return sites.map(({ siteId, ...facts }) => {
    const { goals, views } = counts.get(siteId) ?? {};
    return goals === undefined || views === undefined ? facts : { ...facts, goals, views };
  });
}

interface QueriedSites extends Pick<Workers, 'reachable'> {
  readonly sites: readonly Site[];
  readonly areAll: boolean;
}

/** Reads values by site id, for the sites `d` whose machine responds. */
async function extentsOf<Values>(
  read: ReadPool,
  valuesOf: (rowsOf: RowsOf) => string,
  { sites, areAll, reachable }: QueriedSites,
): Promise<ReadonlyMap<number, Values & { readonly siteId: number }>> {
  const ids = sites.map(({ siteId }) => siteId);
  // Without this list, Citus would also query machines that have none of the sites. If all sites are queried, the list is
  // omitted, since PostgreSQL would search it once per site.
  const ofListed = areAll && reachable === null ? '' : ' AND site_id = ANY($1)';
  const values = valuesOf((table) => `analytics.${table} WHERE site_id = d.site_id${ofListed}`);
  const rows = await read.query<Values & { readonly siteId: number }>({
    text: `SELECT d.site_id AS "siteId", ${values} FROM analytics.site_version d WHERE d.site_id = ANY($1)`,
    values: [reachable === null ? ids : ids.filter((id) => reachable.includes(id))],
  });
  return new Map(rows.map((row) => [row.siteId, row]));
}

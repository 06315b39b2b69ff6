// While the extension that defines sites is off, the host has no list of sites.
import type { HostUser, KnownSite, Queryable } from '../extension-api';
import type { Hooks } from '../extensions/hooks';
import { maySeeSite } from './accounts';
import { announceRevoked, type RevokedPasswords } from './announce-revoked';

export const knownSites = (hooks: Pick<Hooks, 'applyFilters'>): Promise<readonly KnownSite[]> =>
  hooks.applyFilters('known_sites', [], undefined);

export const sitesOf = async (
  hooks: Pick<Hooks, 'applyFilters'>,
  user: HostUser,
): Promise<readonly KnownSite[]> =>
  (await knownSites(hooks)).filter(({ trackingId }) => maySeeSite(user, trackingId));

export interface SiteChoice {
  readonly trackingId: string;
  /** null: access to the site was granted, but the site is not in the host's list. */
  readonly name: string | null;
}

export async function siteChoices(hooks: Hooks, granted: readonly string[]) {
  const known = await knownSites(hooks);
  const unknown = granted.filter((site) => !known.some(({ trackingId }) => trackingId === site));
  return {
    /** False if no extension defines sites. */
    areKnown: hooks.hasFilter('known_sites'),
    sites: [
      ...known.map(({ trackingId, name }) => ({ trackingId, name })),
      ...unknown.map((trackingId) => ({ trackingId, name: null })),
    ],
  };
}

/**
 * Removes all access to a deleted site, in the caller's transaction, so that its users, keys and links cannot see a new site with
 * the same id. Keys for this site alone are revoked, because the database rejects an empty list of sites.
 * Returns a function that notifies the extensions of the revoked keys.
 */
export async function withdrawSite(
  hooks: Pick<Hooks, 'doAction'>,
  client: Queryable,
  trackingId: string,
): Promise<() => Promise<void>> {
  await client.query('DELETE FROM host.user_sites WHERE tracking_id = $1', [trackingId]);
  const { rows: revoked } = await client.query<RevokedPasswords>(
    `WITH revoked AS (DELETE FROM host.application_passwords WHERE sites <@ ARRAY[$1] RETURNING user_id, uuid)
     SELECT user_id AS "userId", array_agg(uuid::text) AS uuids FROM revoked GROUP BY user_id`,
    [trackingId],
  );
  await client.query(
    'UPDATE host.application_passwords SET sites = array_remove(sites, $1) WHERE $1 = ANY (sites)',
    [trackingId],
  );
  return () => announceRevoked(hooks, revoked);
}

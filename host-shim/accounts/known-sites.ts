// While the extension that defines sites is off, the sites are unknown, which does not mean that there are none.
import type { HostUser, KnownSite } from '../extension-api';
import type { Hooks } from '../extensions/hooks';
import { maySeeSite } from './accounts';

export const knownSites = (hooks: Pick<Hooks, 'applyFilters'>): Promise<readonly KnownSite[]> =>
  hooks.applyFilters('known_sites', [], undefined);

export const sitesOf = async (
  hooks: Pick<Hooks, 'applyFilters'>,
  user: HostUser,
): Promise<readonly KnownSite[]> =>
  (await knownSites(hooks)).filter(({ trackingId }) => maySeeSite(user, trackingId));

export interface SiteChoice {
  readonly trackingId: string;
  /** null: the site was granted but is not known. */
  readonly name: string | null;
}

export async function siteChoices(hooks: Hooks, granted: readonly string[]) {
  const known = await knownSites(hooks);
  const gone = granted.filter((site) => !known.some(({ trackingId }) => trackingId === site));
  return {
    /** False if no extension defines sites. */
    areKnown: hooks.hasFilter('known_sites'),
    sites: [
      ...known.map(({ trackingId, name }) => ({ trackingId, name })),
      ...gone.map((trackingId) => ({ trackingId, name: null })),
    ],
  };
}

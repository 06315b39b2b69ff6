// The sites as the host knows them: what extensions answer to the filter known_sites, and what a person sees of that.
// Nobody answers while the extension with the sites is off: then they are unknown, which is not the same as none.
import { maySeeSite } from './auth/accounts';
import type { HostUser, KnownSite } from './extension-api';
import type { Hooks } from './extensions/hooks';

/** All that there are. */
export const knownSites = (hooks: Pick<Hooks, 'applyFilters'>): Promise<readonly KnownSite[]> =>
  hooks.applyFilters('known_sites', [], undefined);

/** The sites that a person sees, of those that there are. */
export const sitesOf = async (
  hooks: Pick<Hooks, 'applyFilters'>,
  user: HostUser,
): Promise<readonly KnownSite[]> =>
  (await knownSites(hooks)).filter(({ trackingId }) => maySeeSite(user, trackingId));

export interface SiteChoice {
  readonly trackingId: string;
  /** null: granted once, and not among the known ones. */
  readonly name: string | null;
}

export interface SiteChoices {
  /** False: nobody could say which sites there are. */
  readonly areKnown: boolean;
  readonly sites: readonly SiteChoice[];
}

/** The sites to choose from: all that there are, and those that are granted although there are none of that name. */
export async function siteChoices(hooks: Hooks, granted: readonly string[]): Promise<SiteChoices> {
  const known = await knownSites(hooks);
  const gone = granted.filter((site) => !known.some(({ trackingId }) => trackingId === site));
  return {
    areKnown: hooks.hasFilter('known_sites'),
    sites: [
      ...known.map(({ trackingId, name }) => ({ trackingId, name })),
      ...gone.map((trackingId) => ({ trackingId, name: null })),
    ],
  };
}

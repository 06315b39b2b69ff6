// The sites as the host knows them, from the filter known_sites. While the extension that has them is off they are unknown,
// which is not the same as none.

import type { HostUser, KnownSite } from '../extension-api';
import type { Hooks } from '../extensions/hooks';
import { maySeeSite } from './accounts';

export const knownSites = (hooks: Pick<Hooks, 'applyFilters'>): Promise<readonly KnownSite[]> =>
  hooks.applyFilters('known_sites', [], undefined);

/** The known sites that a person sees. */
export const sitesOf = async (
  hooks: Pick<Hooks, 'applyFilters'>,
  user: HostUser,
): Promise<readonly KnownSite[]> =>
  (await knownSites(hooks)).filter(({ trackingId }) => maySeeSite(user, trackingId));

export interface SiteChoice {
  readonly trackingId: string;
  /** null: granted, but not among the known sites. */
  readonly name: string | null;
}

interface SiteChoices {
  /** False where no extension knows the sites. */
  readonly areKnown: boolean;
  readonly sites: readonly SiteChoice[];
}

/** The sites to choose from: the known ones, and granted ones that are not among them. */
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

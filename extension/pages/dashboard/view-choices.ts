// What the dashboard and pages like it choose: the site, the range and the filters.
import { type HostUser, PageError, pageAddress } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import type { Site } from '../../data/storage/sites/list-sites';
import { pagesNamespaceOf } from '../page-route';
import type { DashboardInfo } from '../shared-types/dashboard-types';
import { FILTER_KINDS } from '../shared-types/filter-kinds';
import { DIMENSIONS, GOAL } from './dashboard-dimensions';
import { FIRST_DAY, LAST_DAY, PERIODS, type PeriodId } from './dashboard-range';

/** Dimension -> its label. */
export const LABELS = Object.fromEntries(Object.entries(DIMENSIONS).map(([id, { label }]) => [id, label]));

/** Template data of the range and the filters. */
export const choicesOf = (usual: PeriodId) => ({
  periods: Object.entries(PERIODS)
    .filter(([, { days }]) => days !== undefined)
    .map(([id, { title, keys }]) => ({ id, title, keys, chosen: id === usual })),
  filters: Object.entries(LABELS)
    .filter(([id]) => id !== GOAL)
    .map(([id, label]) => ({ id, label })),
  kinds: FILTER_KINDS.map(({ id, words }) => ({ id, words })),
  bounds: { first: FIRST_DAY, last: LAST_DAY },
});

export function chosenSite(sites: readonly Site[], asked: string | undefined): Site | undefined {
  if (asked === undefined) return sites[0];
  const site = sites.find(({ trackingId }) => trackingId === asked);
  if (site === undefined) throw new PageError(404, 'There is no such site, or you may not see it.');
  return site;
}

/** What the user may open from this page. */
export const ownOf = (
  { settings }: Pick<Analytics, 'settings'>,
  { capabilities }: HostUser,
): NonNullable<DashboardInfo['own']> => ({
  segments: `${pagesNamespaceOf(settings)}/segments`,
  notes: capabilities.includes('read') ? `${pagesNamespaceOf(settings)}/notes` : null,
  playground: capabilities.includes('read') ? pageAddress('playground') : null,
  features: capabilities.includes('manage_sites') ? pageAddress('features') : null,
  geoip: capabilities.includes('manage_options') ? pageAddress('imports', 'geoip') : null,
});

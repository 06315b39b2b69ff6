// Shared by the pages with a site, a range and filters: the dashboard, funnels and retention. Shared links can open these pages.
import {
  type AdminAnswer,
  type AdminPage,
  type AdminRequest,
  type HostUser,
  PageError,
  pageAddress,
} from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites, type Site } from '../../data/storage/sites/list-sites';
import { pagesNamespaceOf } from '../page-route';
import { segmentLimit } from '../segments/pinned-segment';
import { GOAL, type SiteInfo } from '../shared-types/dashboard-types';
import { FILTER_KINDS } from '../shared-types/filter-kinds';
import { DIMENSIONS } from './dashboard-dimensions';
import { FIRST_DAY, LAST_DAY, PERIODS, type PeriodId } from './dashboard-range';

/** The label of each dimension. */
const LABELS = Object.fromEntries(Object.entries(DIMENSIONS).map(([id, { label }]) => [id, label]));

/** Template data for the range and filter controls. */
const choicesOf = (defaultPeriod: PeriodId) => ({
  periods: Object.entries(PERIODS)
    .filter(([, { days }]) => days !== undefined)
    .map(([id, { title, keys }]) => ({ id, title, keys, chosen: id === defaultPeriod })),
  filters: Object.entries(LABELS)
    .filter(([id]) => id !== GOAL)
    .map(([value, label]) => ({ value, label })),
  kinds: FILTER_KINDS.map(({ id, words }) => ({ value: id, label: words })),
  bounds: { first: FIRST_DAY, last: LAST_DAY },
});

export function chosenSite(sites: readonly Site[], requested: string | undefined): Site | undefined {
  if (requested === undefined) return sites[0];
  const site = sites.find(({ trackingId }) => trackingId === requested);
  if (site === undefined) throw new PageError(404, 'There is no such site, or you do not have access to it.');
  return site;
}

/** The routes and pages that the user may open from this page. */
const ownOf = (
  { settings }: Pick<Analytics, 'settings'>,
  { capabilities }: HostUser,
): NonNullable<SiteInfo['own']> => ({
  segments: `${pagesNamespaceOf(settings)}/segments`,
  notes: capabilities.includes('read') ? `${pagesNamespaceOf(settings)}/notes` : null,
  playground: capabilities.includes('read') ? pageAddress('playground') : null,
  features: capabilities.includes('manage_sites') ? pageAddress('features') : null,
  geoip: capabilities.includes('manage_options') ? pageAddress('imports', 'geoip') : null,
});

interface ShownSite {
  readonly site: Site;
  readonly request: AdminRequest;
}

interface SitePage {
  /** The path of the page and its route, and the name of its template and script. */
  readonly slug: string;
  readonly defaultPeriod: PeriodId;
  readonly styles: readonly string[];
  /** `info` for the script, and more data for the template. `shown` is null for links. */
  frame(common: SiteInfo, shown: ShownSite | null): { readonly info: SiteInfo };
}

export function sitePage(
  analytics: Analytics,
  { slug, defaultPeriod, styles, frame }: SitePage,
): Required<Pick<AdminPage, 'slug' | 'capability' | 'handle' | 'linkLimit' | 'forLinks'>> {
  const { host, settings } = analytics;
  const route = `${pagesNamespaceOf(settings)}/${slug}`;
  const view = `extension/pages/views/${slug}`;
  const pageOf = (sites: readonly Site[], shown: ShownSite | null) => {
    const own = shown && ownOf(analytics, shown.request.user);
    const common = { dimensions: LABELS, route, period: defaultPeriod, own };
    const { info, ...more } = frame(common, shown);
    const site = shown?.site ?? null;
    const data = { ...choicesOf(defaultPeriod), ...more, site, info: JSON.stringify(info) };
    const may = shown?.request.user.capabilities ?? [];
    return {
      kind: 'page' as const,
      view,
      data: { slug, sites, may, shown: data },
      scripts: [`extension/${slug}`],
      styles,
    };
  };
  return {
    slug,
    capability: null,
    async handle(request): Promise<AdminAnswer> {
      const { query, user } = request;
      const sites = await permittedSites(host.database.read, user.sites);
      const site = chosenSite(sites, query.site);
      if (site !== undefined) return pageOf(sites, { site, request });
      return { kind: 'page', view, data: { shown: null, may: user.capabilities } };
    },
    linkLimit: segmentLimit(analytics),
    forLinks: () => pageOf([], null),
  };
}

// The "Dashboard" page: its frame reserves space for everything that its script loads, so that nothing moves.
import {
  type AdminPage,
  type AdminRequest,
  DOCS_PATH,
  type HostUser,
  pageAddress,
} from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites, type Site } from '../../data/storage/sites/list-sites';
import { pagesNamespaceOf } from '../page-route';
import { segmentLimit } from '../segments/pinned-segment';
import type { DashboardInfo } from '../shared-types/dashboard-types';
import { CARDS } from './dashboard-figures';
import { PANELS, shownPanels } from './dashboard-panels';
import { COMPARISONS, DEFAULT_PERIOD } from './dashboard-range';
import { DASHBOARD } from './dashboard-route';
import { choicesOf, chosenSite, LABELS, ownOf } from './view-choices';

const ROWS = 8;

/** Template data other than the sites. */
const dashboardFrame = (info: Pick<DashboardInfo, 'route' | 'own'>) => {
  const panels = shownPanels();
  const whole: DashboardInfo = { cards: CARDS, panels, dimensions: LABELS, rows: ROWS, ...info };
  return {
    ...choicesOf(DEFAULT_PERIOD),
    cards: CARDS,
    panels,
    info: JSON.stringify(whole),
    comparisons: Object.entries(COMPARISONS).map(([id, title]) => ({ id, title })),
  };
};

const DATA_GUIDE = `${DOCS_PATH}/how-to/your-own-data/`;

/** What may be missing on this dashboard, and the page that says how to add it. */
function missingParts({ trackingId }: Site, { capabilities }: HostUser) {
  const goals = `${pageAddress('goals')}?${new URLSearchParams({ site: trackingId })}`;
  return PANELS.flatMap(({ id: panel, missing }) => {
    const address = panel === 'goals' && capabilities.includes('manage_sites') ? goals : DATA_GUIDE;
    return missing === undefined ? [] : [{ panel, missing, address }];
  });
}

export function dashboardPage(analytics: Analytics): AdminPage {
  const { host, settings } = analytics;
  const route = `${pagesNamespaceOf(settings)}/dashboard`;
  return {
    slug: DASHBOARD,
    title: 'Dashboard',
    howTo: 'pages',
    group: 'Data',
    position: 0,
    capability: null,
    async handle({ query, user }: AdminRequest) {
      const sites = await permittedSites(host.database.read, user.sites);
      const site = chosenSite(sites, query.site);
      const view = 'extension/pages/views/dashboard';
      if (site === undefined)
        return { kind: 'page', view, data: { sites, shown: null, may: user.capabilities } };
      const own = ownOf(analytics, user);
      return {
        kind: 'page',
        view,
        data: {
          sites,
          may: user.capabilities,
          shown: { site, ...dashboardFrame({ route, own }), missing: missingParts(site, user) },
          isImported: query.imported === '1',
        },
        scripts: ['extension/dashboard'],
        styles: ['extension/dashboard'],
      };
    },
    linkLimit: segmentLimit(analytics),
    forLinks: () => ({
      kind: 'page',
      view: 'extension/pages/views/shared-dashboard',
      data: dashboardFrame({ route, own: null }),
      scripts: ['extension/shared-dashboard'],
      styles: ['extension/dashboard'],
    }),
  };
}

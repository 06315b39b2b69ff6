// The "Dashboard" page: its frame reserves space for everything that its script loads, so that the layout does not shift.
import { type AdminPage, DOCS_PATH, type HostUser, pageAddress } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import type { Site } from '../../data/storage/sites/list-sites';
import type { DashboardInfo } from '../shared-types/dashboard-types';
import { CARDS } from './dashboard-figures';
import { PANELS, shownPanels } from './dashboard-panels';
import { COMPARISONS, DEFAULT_PERIOD } from './dashboard-range';
import { DASHBOARD } from './dashboard-route';
import { sitePage } from './site-page';

const ROWS = 8;

const DATA_GUIDE = `${DOCS_PATH}/how-to/your-own-data/`;

/** Data that may be missing on this dashboard, with the page that explains how to add it. */
function missingParts({ trackingId }: Site, { capabilities }: HostUser) {
  const goals = `${pageAddress('goals')}?${new URLSearchParams({ site: trackingId })}`;
  return PANELS.flatMap(({ id: panel, missing }) => {
    const address = panel === 'goals' && capabilities.includes('manage_sites') ? goals : DATA_GUIDE;
    return missing === undefined ? [] : [{ panel, missing, address }];
  });
}

export const dashboardPage = (analytics: Analytics): AdminPage => ({
  ...sitePage(analytics, {
    slug: DASHBOARD,
    defaultPeriod: DEFAULT_PERIOD,
    styles: ['extension/dashboard'],
    frame(common, shown) {
      const panels = shownPanels();
      const info: DashboardInfo = { ...common, cards: CARDS, panels, rows: ROWS };
      return {
        info,
        cards: CARDS,
        panels,
        comparisons: Object.entries(COMPARISONS).map(([id, title]) => ({ id, title })),
        missing: shown === null ? [] : missingParts(shown.site, shown.request.user),
        isImported: shown?.request.query.imported === '1',
      };
    },
  }),
  title: 'Dashboard',
  howTo: 'pages',
  group: 'Data',
  position: 0,
});

// The "Retention" page.
import type { AdminPage } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { permittedSites } from '../../data/storage/sites/list-sites';
import type { PeriodId } from '../dashboard/dashboard-range';
import { choicesOf, chosenSite, LABELS, ownOf } from '../dashboard/view-choices';
import { pagesNamespaceOf } from '../page-route';
import { segmentLimit } from '../segments/pinned-segment';
import type { ReportInfo } from '../shared-types/report-types';
import { RETENTION } from './retention-route';

const USUAL_PERIOD: PeriodId = '90d';

export function retentionPage(analytics: Analytics): AdminPage {
  const { host, settings } = analytics;
  const view = 'extension/pages/views/retention';
  const assets = { scripts: ['extension/retention'], styles: ['extension/dashboard', 'extension/report'] };
  const frame = (own: ReportInfo['own']) => {
    const route = `${pagesNamespaceOf(settings)}/${RETENTION}`;
    const info: ReportInfo = { dimensions: LABELS, route, period: USUAL_PERIOD, own, edit: null };
    return { ...choicesOf(USUAL_PERIOD), info: JSON.stringify(info) };
  };
  return {
    slug: RETENTION,
    title: 'Retention',
    howTo: 'pages',
    group: 'Data',
    position: 6,
    capability: null,
    async handle({ query, user }) {
      const sites = await permittedSites(host.database.read, user.sites);
      const site = chosenSite(sites, query.site);
      const shown = site && { site, ...frame(ownOf(analytics, user)) };
      return {
        kind: 'page',
        view,
        data: { sites, may: user.capabilities, shown },
        ...(shown !== undefined && assets),
      };
    },
    linkLimit: segmentLimit(analytics),
    forLinks: () => ({
      kind: 'page',
      view,
      data: { sites: [], may: [], shown: { site: null, ...frame(null) } },
      ...assets,
    }),
  };
}

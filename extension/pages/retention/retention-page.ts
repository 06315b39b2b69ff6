// The "Retention" page.
import type { AdminPage } from '../../../host-shim/extension-api';
import type { Analytics } from '../../api/analytics';
import { sitePage } from '../dashboard/site-page';
import type { ReportInfo } from '../shared-types/report-types';
import { RETENTION } from './retention-route';

export const retentionPage = (analytics: Analytics): AdminPage => ({
  ...sitePage(analytics, {
    slug: RETENTION,
    defaultPeriod: '90d',
    styles: ['extension/dashboard', 'extension/report'],
    frame(common) {
      const info: ReportInfo = { ...common, edit: null };
      return { info };
    },
  }),
  title: 'Retention',
  howTo: 'pages',
  group: 'Data',
  position: 6,
});

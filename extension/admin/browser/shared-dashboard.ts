// The script of the dashboard that somebody shared: the key of the link stands behind the # of the address.
import type { DashboardInfo } from './dashboard/dashboard-types';
import { openDashboard } from './dashboard/open-dashboard';
import { useLinkKey } from './shared/rest';

const root = document.getElementById('dashboard');
if (root !== null) {
  const info: DashboardInfo = JSON.parse(root.dataset.info ?? '{}');
  // An empty key would ask as somebody who is logged in.
  useLinkKey(location.hash.slice(1) || 'none');
  openDashboard(root, info, '');
}

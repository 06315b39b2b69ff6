// The script of a shared dashboard.
import type { DashboardInfo } from '../shared-types/dashboard-types';
import { openDashboard } from './dashboard/open-dashboard';
import { openLink } from './dashboard/open-link';

const root = document.getElementById('dashboard');
if (root !== null && openLink(root)) {
  const info: DashboardInfo = JSON.parse(root.dataset.info ?? '{}');
  openDashboard(root, info, '');
}

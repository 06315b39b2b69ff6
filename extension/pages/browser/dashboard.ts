import type { DashboardInfo } from '../shared-types/dashboard-types';
import { openDashboard } from './dashboard/open-dashboard';

const root = document.getElementById('dashboard');
if (root !== null) {
  const info: DashboardInfo = JSON.parse(root.dataset.info ?? '{}');
  openDashboard(root, info, root.dataset.site ?? '');
}

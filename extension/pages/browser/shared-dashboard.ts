// The script of a shared dashboard. The key of the link is in the hash.
import type { DashboardInfo } from '../shared-types/dashboard-types';
import { openDashboard } from './dashboard/open-dashboard';
import { showEnd } from './dashboard/show-frame';
import { useLinkKey } from './shared/rest';

const root = document.getElementById('dashboard');
const key = location.hash.slice(1);
if (root !== null && key === '') {
  const message = 'The part after the # is missing. Copy the complete link, or ask for it again.';
  showEnd(root, 'This link is incomplete', message);
} else if (root !== null) {
  const info: DashboardInfo = JSON.parse(root.dataset.info ?? '{}');
  useLinkKey(key);
  openDashboard(root, info, '');
}

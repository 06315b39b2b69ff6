import { openDashboard } from './dashboard/open-dashboard';

openDashboard();

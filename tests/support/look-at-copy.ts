import { loadAnalytics } from '../../extension/api/analytics';
import { analyticsChecks } from '../../extension/api/health-checks';
import { withdrawSite } from '../../host-shim/accounts/known-sites';
import { NO_TELEMETRY } from '../../host-shim/extension-api';
import type { TestColumns } from './columns';
import type { TestDatabase } from './database';
import { createMemoryLog } from './memory-log';
import { SETTINGS } from './test-host';

export async function lookAtCopy(database: TestDatabase, dataDir: string, columns: TestColumns) {
  const { log } = createMemoryLog();
  const clock = () => new Date();
  const host = { clock, log, database, telemetry: NO_TELEMETRY, dataDir, withdrawSite };
  const analytics = await loadAnalytics(host, { ...SETTINGS, columns: true }, () => columns);
  return analyticsChecks(analytics)
    .find(({ title }) => title === 'Column store')
    ?.look();
}

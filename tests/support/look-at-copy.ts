import { loadAnalytics } from '../../extension/api/analytics';
import { analyticsChecks } from '../../extension/api/health-checks';
import type { TestColumns } from './columns';
import type { TestDatabase } from './database';
import { removalHost } from './removal-host';
import { SETTINGS } from './test-host';

export async function lookAtCopy(database: TestDatabase, dataDir: string, columns: TestColumns) {
  const host = removalHost(database, () => new Date(), { dataDir });
  const analytics = await loadAnalytics(host, { ...SETTINGS, columns: true }, () => columns);
  return analyticsChecks(analytics)
    .find(({ title }) => title === 'Column store')
    ?.look();
}

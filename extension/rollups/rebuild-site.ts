// Owns the making anew of a site's counts on demand: of a database that had none, or whose rows were changed by hand.
// Tracking id in -> whether it could be done, in one transaction. Until its end queries see what was there before; when all
// sites are done, tell the planner of ROLLUP_TABLES.
import type { Knex } from 'knex';
import { loadRollups } from '../../manifests/reader/rollups';
import { inTransaction } from '../storage/in-transaction';
import { tryLockSite } from '../storage/site-locks';
import { rebuildRollups } from './refresh-rollups';

/**
 * Computes the counts of a site anew; false when an import of it is running. `goOn` is told of progress from 0 to 1; what
 * it throws stops the work.
 */
export async function rebuildSite(
  write: Knex,
  trackingId: string,
  goOn: (share: number) => void,
): Promise<boolean> {
  return inTransaction(write, async (client) => {
    const found = await client.query<{ siteId: number }>(
      'SELECT site_id AS "siteId" FROM analytics.site WHERE tracking_id = $1',
      [trackingId],
    );
    const siteId = found.rows[0]?.siteId;
    if (siteId === undefined) throw new Error(`there is no site ${trackingId}`);
    if (!(await tryLockSite(client, siteId))) return false;
    await rebuildRollups({ client, siteId, rollups: loadRollups(), goOn });
    // Plans and answers that were made of the counts before hold no longer.
    await client.query('UPDATE analytics.site SET data_version = data_version + 1 WHERE site_id = $1', [
      siteId,
    ]);
    return true;
  });
}

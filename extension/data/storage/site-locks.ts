// Advisory locks, held until the end of the transaction. A transaction that has locked a site ends if its worker stops responding.
import { type ClientBase, DatabaseError } from 'pg';
import { LOCKS } from './advisory-locks';
import { watchSites } from './in-transaction';

/** Takes the lock on a site's data if it is free. All changes to the site's data hold this lock. */
export async function tryLockSite(client: ClientBase, siteId: number): Promise<boolean> {
  watchSites(client, [siteId]);
  const answer = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1, $2) AS locked',
    [LOCKS.site, siteId],
  );
  return answer.rows[0]?.locked === true;
}

/** Waits for the locks on the data of these sites, and ignores sites that do not exist. Call it before changing their rows. */
export async function lockSiteData(client: ClientBase, trackingIds: readonly string[]): Promise<void> {
  const answer = await client.query<{ id: number }>(
    'SELECT site_id AS id FROM analytics.site WHERE tracking_id = ANY($1::text[]) ORDER BY site_id',
    [trackingIds],
  );
  const ids = answer.rows.map(({ id }) => id);
  watchSites(client, ids);
  for (const id of ids) await client.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCKS.site, id]);
}

/** Waits for the lock on the sites table. */
export async function lockSites(client: ClientBase): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.sites]);
}

const PATIENCE_MS = 3000;
const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs `take`, which waits for locks, with a timeout short enough for a form submission. Returns false after the timeout. The
 * transaction can continue in either case.
 */
export async function lockWithTimeout(client: ClientBase, take: () => Promise<void>): Promise<boolean> {
  await client.query('SAVEPOINT locks');
  await client.query(`SET LOCAL lock_timeout = ${PATIENCE_MS}`);
  try {
    await take();
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
    await client.query('ROLLBACK TO SAVEPOINT locks');
    return false;
  }
  await client.query('SET LOCAL lock_timeout = 0');
  return true;
}

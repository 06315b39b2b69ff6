// Advisory locks, held until the end of the transaction. A transaction that has locked a site ends if its worker stops responding.
import { type ClientBase, DatabaseError } from 'pg';
import { LOCKS } from './advisory-locks';
import { watchSites } from './in-transaction';

type Lock = readonly [number, number?];

const waitFor = (client: ClientBase, lock: Lock): Promise<unknown> =>
  client.query(`SELECT pg_advisory_xact_lock(${lock.join(', ')})`);

async function isTaken(client: ClientBase, lock: Lock): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${lock.join(', ')}) AS got`,
  );
  return rows[0]?.got !== true;
}

async function dataLocks(client: ClientBase, trackingIds: readonly string[]): Promise<readonly Lock[]> {
  const { rows } = await client.query<{ id: number }>(
    'SELECT site_id AS id FROM analytics.site WHERE tracking_id = ANY($1::text[]) ORDER BY site_id',
    [trackingIds],
  );
  const ids = rows.map(({ id }) => id);
  watchSites(client, ids);
  return ids.map((id) => [LOCKS.site, id]);
}

/** Waits for the lock on a site's data, which all changes to its rows hold. Ignores a site that does not exist. */
export async function lockSiteData(client: ClientBase, trackingId: string): Promise<void> {
  for (const lock of await dataLocks(client, [trackingId])) await waitFor(client, lock);
}

/** Waits for the lock on the sites table. */
export async function lockSites(client: ClientBase): Promise<void> {
  await waitFor(client, [LOCKS.sites]);
}

/** Takes the locks on the sites table and on the data of these sites, and holds none of them while it waits for another. */
export async function lockSitesWithData(client: ClientBase, trackingIds: readonly string[]): Promise<void> {
  await client.query('SAVEPOINT locks');
  for (let next: Lock | undefined = [LOCKS.sites]; next !== undefined; ) {
    await client.query('ROLLBACK TO SAVEPOINT locks');
    await waitFor(client, next);
    next = await firstTaken(client, trackingIds);
  }
}

/** Takes the locks in turn, up to the first one that another transaction holds, and returns that one. */
async function firstTaken(client: ClientBase, trackingIds: readonly string[]): Promise<Lock | undefined> {
  if (await isTaken(client, [LOCKS.sites])) return [LOCKS.sites];
  for (const lock of await dataLocks(client, trackingIds)) if (await isTaken(client, lock)) return lock;
  return undefined;
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

/** Waits for the lock on a site's data for as long as a form may take: a followed log holds it for a moment every few seconds. */
export const lockSiteWithTimeout = (client: ClientBase, trackingId: string): Promise<boolean> =>
  lockWithTimeout(client, () => lockSiteData(client, trackingId));

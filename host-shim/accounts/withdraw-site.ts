import type { Queryable } from '../extension-api';

/**
 * Removes every grant of a deleted site in the caller's transaction, so that a new site with this id is not visible to the same
 * users, keys and links. A key for this site alone is revoked, because an empty list would mean no restriction.
 */
export async function withdrawSite(client: Queryable, trackingId: string): Promise<void> {
  await client.query('DELETE FROM host.user_sites WHERE tracking_id = $1', [trackingId]);
  await client.query('DELETE FROM host.application_passwords WHERE sites <@ ARRAY[$1]', [trackingId]);
  await client.query(
    'UPDATE host.application_passwords SET sites = array_remove(sites, $1) WHERE $1 = ANY (sites)',
    [trackingId],
  );
}

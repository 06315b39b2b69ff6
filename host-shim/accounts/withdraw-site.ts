// A site goes: nothing that was granted for it may be left, or a later site of its name would be open to the same people.
import type { Queryable } from '../extension-api';

/**
 * Withdraws all grants of a site, in the transaction of `client`: users lose it, links to it end, and keys lose it from their
 * list. A key that had no other site is revoked, since an empty list would be no restriction.
 */
export async function withdrawSite(client: Queryable, trackingId: string): Promise<void> {
  await client.query('DELETE FROM host.user_sites WHERE tracking_id = $1', [trackingId]);
  await client.query('DELETE FROM host.application_passwords WHERE sites <@ ARRAY[$1]', [trackingId]);
  await client.query(
    'UPDATE host.application_passwords SET sites = array_remove(sites, $1) WHERE $1 = ANY (sites)',
    [trackingId],
  );
}

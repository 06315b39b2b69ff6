// Revokes application passwords and tells it to whoever listens. Pages and REST alike go through here.
import {
  type ApplicationPassword,
  revokeApplicationPasswords,
  type WhichPasswords,
} from './auth/application-password-store';
import type { HostParts } from './load-host';

/** Those that are gone; none where the account has no such one. */
export async function revokePasswords(
  { database, extensions }: Pick<HostParts, 'database' | 'extensions'>,
  userId: number,
  which: WhichPasswords,
): Promise<readonly ApplicationPassword[]> {
  const gone = await revokeApplicationPasswords(database.write, userId, which);
  const uuids = gone.map(({ uuid }) => uuid);
  if (uuids.length > 0)
    await extensions().current().hooks.doAction('application_password_revoked', { userId, uuids });
  return gone;
}

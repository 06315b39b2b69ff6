// An application password as WordPress's REST interface shows it, with what ours may do less beside it.
import { showSecret } from '../../auth/application-password';
import type { ApplicationPassword } from '../../auth/application-password-store';
import { gmt } from './user-item';

const gmtOrNull = (instant: Date | null) => (instant === null ? null : gmt(instant));

/** Where one is, below the root of the REST interface. */
export const passwordAddress = (restRoot: string, userId: number, uuid: string): string =>
  `${restRoot}wp/v2/users/${userId}/application-passwords/${uuid}`;

/** `secret` is there once, in the answer that made it. */
export function passwordItem(
  password: ApplicationPassword,
  {
    restRoot,
    userId,
    secret,
  }: { readonly restRoot: string; readonly userId: number; readonly secret?: string },
): object {
  const { uuid, appId, name, createdAt, lastUsedAt, lastIp, restrictions } = password;
  return {
    uuid,
    app_id: appId,
    name,
    created: gmt(createdAt),
    last_used: gmtOrNull(lastUsedAt),
    last_ip: lastIp,
    expires_at: gmtOrNull(restrictions.expiresAt),
    sites: restrictions.sites,
    address_ranges: restrictions.addressRanges,
    rate_share: restrictions.rateShare,
    ...(secret !== undefined && { password: showSecret(secret) }),
    _links: { self: [{ href: passwordAddress(restRoot, userId, uuid) }] },
  };
}

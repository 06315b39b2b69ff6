// An application password in WordPress's format, with our restrictions.
import { z } from 'zod';
import type { ApplicationPassword } from '../../auth/application-password-store';
import { type HostRequest, KEY_LEVELS } from '../../extension-api';
import { formatGmt, links } from './users';

export const passwordOutput = z.object({
  uuid: z.string(),
  app_id: z.string(),
  name: z.string(),
  created: z.string(),
  last_used: z.string().nullable(),
  last_ip: z.string().nullable(),
  expires_at: z.string().nullable(),
  sites: z.array(z.string()).readonly().nullable(),
  address_ranges: z.array(z.string()).readonly().nullable(),
  rate_share: z.int().nullable(),
  level: z.enum(KEY_LEVELS),
  /** Only in the response to the request that creates the password. */
  password: z.string().optional(),
  _links: z.object({ self: links }),
});
const formatGmtOrNull = (instant: Date | null) => (instant === null ? null : formatGmt(instant));

/** `restRoot` ends with a slash. */
export const passwordAddress = (restRoot: string, userId: number, uuid: string): string =>
  `${restRoot}wp/v2/users/${userId}/application-passwords/${uuid}`;

export function passwordItem(
  password: ApplicationPassword,
  userId: number,
  { restRoot }: HostRequest,
): z.input<typeof passwordOutput> {
  const { uuid, appId, name, createdAt, lastUsedAt, lastIp, restrictions } = password;
  return {
    uuid,
    app_id: appId,
    name,
    created: formatGmt(createdAt),
    last_used: formatGmtOrNull(lastUsedAt),
    last_ip: lastIp,
    expires_at: formatGmtOrNull(restrictions.expiresAt),
    sites: restrictions.sites,
    address_ranges: restrictions.addressRanges,
    rate_share: restrictions.rateShare,
    level: restrictions.level,
    _links: { self: [{ href: passwordAddress(restRoot, userId, uuid) }] },
  };
}

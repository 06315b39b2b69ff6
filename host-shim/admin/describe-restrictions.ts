import type { ApplicationPassword } from '../auth/application-password-store';
import type { KeyRestrictions } from '../auth/key-restrictions';
import type { KnownSite } from '../extension-api';
import { formatEnd } from './format-instant';

export const isExpired = ({ expiresAt }: KeyRestrictions, now: Date): boolean =>
  expiresAt !== null && expiresAt <= now;

/** One phrase per restriction; for a link, the page comes first. Unknown sites are shown by id. */
export function describeRestrictions(
  { restrictions, opens }: Pick<ApplicationPassword, 'opens' | 'restrictions'>,
  { zone, now, known }: { readonly zone: string; readonly now: Date; readonly known: readonly KnownSite[] },
): readonly string[] {
  const nameOf = (id: string) => known.find(({ trackingId }) => trackingId === id)?.name ?? id;
  const { expiresAt, sites, addressRanges, rateShare } = restrictions;
  const verb = isExpired(restrictions, now) ? 'expired' : 'expires';
  return [
    ...(opens === null ? [] : [`link to the ${opens}`]),
    ...(expiresAt === null ? [] : [`${verb} ${formatEnd(expiresAt, zone)}`]),
    ...(sites === null ? [] : [`sites: ${sites.map(nameOf).join(', ')}`]),
    ...(addressRanges === null ? [] : [`from ${addressRanges.join(', ')}`]),
    ...(rateShare === null ? [] : [`${rateShare} % of the rate limit`]),
  ];
}

import type { ApplicationPassword } from '../auth/application-password-store';
import { LEVEL_TITLES } from '../auth/key-levels';
import type { KeyRestrictions } from '../auth/key-restrictions';
import type { KnownSite } from '../extension-api';
import { formatEnd } from './format-instant';

const isExpired = ({ expiresAt }: KeyRestrictions, now: Date): boolean =>
  expiresAt !== null && expiresAt <= now;

interface Context {
  readonly zone: string;
  readonly now: Date;
  readonly known: readonly KnownSite[];
}

/** An application password or a link, as shown in a table. */
export const describePassword = (password: ApplicationPassword, context: Context) => ({
  ...password,
  expired: isExpired(password.restrictions, context.now),
  may: LEVEL_TITLES[password.restrictions.level],
  restrictions: describeRestrictions(password, context),
});

/** One phrase per restriction; for a link, the page comes first. Unknown sites are shown by id. */
function describeRestrictions(
  { restrictions, opens, linkLimit }: Pick<ApplicationPassword, 'opens' | 'restrictions' | 'linkLimit'>,
  { zone, now, known }: Context,
): readonly string[] {
  const nameOf = (id: string) => known.find(({ trackingId }) => trackingId === id)?.name ?? id;
  const { expiresAt, sites, addressRanges, rateShare } = restrictions;
  const verb = isExpired(restrictions, now) ? 'expired' : 'expires';
  return [
    ...(opens === null ? [] : [`link to the ${opens}`]),
    ...(linkLimit === null ? [] : [`only ${linkLimit.name}`]),
    ...(expiresAt === null ? [] : [`${verb} ${formatEnd(expiresAt, zone)}`]),
    ...(sites === null ? [] : [`sites: ${sites.map(nameOf).join(', ')}`]),
    ...(addressRanges === null ? [] : [`from ${addressRanges.join(', ')}`]),
    ...(rateShare === null ? [] : [`${rateShare}% of the rate limit`]),
  ];
}

// What an application password may do less than its owner, in words for a list.
import type { KeyRestrictions } from '../auth/key-restrictions';
import { formatInstant } from './format-instant';

/** One phrase for each restriction; none for a password that can do what its owner can. `zone` is the reader's. */
export function describeRestrictions(
  { expiresAt, sites, addressRanges, rateShare }: KeyRestrictions,
  zone: string,
  now: Date,
): readonly string[] {
  return [
    ...(expiresAt === null
      ? []
      : [`${expiresAt <= now ? 'ended' : 'until'} ${formatInstant(expiresAt, zone)}`]),
    ...(sites === null ? [] : [`sites ${sites.join(', ')}`]),
    ...(addressRanges === null ? [] : [`from ${addressRanges.join(', ')}`]),
    ...(rateShare === null ? [] : [`${rateShare} % of the calls`]),
  ];
}

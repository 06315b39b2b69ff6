// The sites that an account, or a key of it, can be given; read without a look at their data.
import type { Knex } from 'knex';
import { JobFailed } from './command';

/** Tracking ids of all sites. */
export const siteIds = (write: Knex): Promise<string[]> =>
  write.from('analytics.site').orderBy('tracking_id').pluck<string[]>('tracking_id');

/** The ids of a list such as `shop,blog`. */
export const splitList = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** A misspelled site would be one that the account never sees. */
export function refuseUnknownSites(wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  throw new JobFailed(
    `There is no site ${unknown.join(', ')}; the sites are ${known.join(', ') || 'none yet'}.`,
  );
}

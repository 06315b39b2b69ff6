import type { Knex } from 'knex';
import { findAccountByLogin, type ListedUser } from '../accounts/accounts';
import { JobFailed } from '../extension-api';
import type { Installation } from '../server/installation';

/** Ignores case. */
export async function findAccount(write: Knex, login: string): Promise<ListedUser> {
  const account = await findAccountByLogin(write, login);
  if (account === undefined)
    throw new JobFailed(`There is no user ${login}. Run "qal users list" to see all users.`);
  return account;
}

/** Splits a list such as `shop,blog`. */
export const splitList = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

export async function siteIds({ extensions }: Pick<Installation, 'extensions'>): Promise<readonly string[]> {
  const sites = await extensions.current().hooks.applyFilters('known_sites', [], undefined);
  return sites.map(({ trackingId }) => trackingId).sort();
}

/** Without this check, an account could be granted a site that does not exist. */
export function refuseUnknownSites(wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  const existing = known.length === 0 ? 'no sites exist yet' : `the sites are ${known.join(', ')}`;
  throw new JobFailed(`There is no site ${unknown.join(' or ')}; ${existing}.`);
}

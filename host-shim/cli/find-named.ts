// Finds what the words of a command name: an account, and the sites to grant.
import type { Knex } from 'knex';
import { findAccountByLogin, type ListedUser } from '../accounts/accounts';
import { JobFailed } from '../extension-api';
import type { Installation } from '../server/installation';

/** The account of this login, in any case; throws a JobFailed if it does not exist. */
export async function findAccount(write: Knex, login: string): Promise<ListedUser> {
  const account = await findAccountByLogin(write, login);
  if (account === undefined) throw new JobFailed(`There is no user ${login}; "qal users list" shows all.`);
  return account;
}

/** The ids of a list such as `shop,blog`. */
export const splitList = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** The ids of all sites that the extensions know. */
export async function siteIds({ extensions }: Pick<Installation, 'extensions'>): Promise<readonly string[]> {
  const sites = await extensions.current().hooks.applyFilters('known_sites', [], undefined);
  return sites.map(({ trackingId }) => trackingId).sort();
}

/** Throws a JobFailed for a site that does not exist: the account would never see it. */
export function refuseUnknownSites(wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.filter((id) => !known.includes(id));
  if (unknown.length === 0) return;
  throw new JobFailed(
    `There is no site ${unknown.join(', ')}; the sites are ${known.join(', ') || 'none yet'}.`,
  );
}

// Finds the account that a command names.
import type { Knex } from 'knex';
import type { ListedUser } from '../auth/account-list';
import { findAccountByLogin } from '../auth/users';
import { JobFailed } from './command';

/** The account of this login, in any case; fails with a sentence when there is none. */
export async function accountOf(write: Knex, login: string): Promise<ListedUser> {
  const account = await findAccountByLogin(write, login);
  if (account === undefined) throw new JobFailed(`There is no user ${login}; "qal users list" shows all.`);
  return account;
}

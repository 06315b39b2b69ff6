// The accounts of the host: made, listed, changed and disabled here.
// A login is kept as typed and found in any case; an analyst sees the sites granted by tracking id.
import type { Knex } from 'knex';
import type { Clock, HostUser } from '../extension-api';
import {
  type AccountField,
  type AccountValues,
  checkFields,
  type TypedAccountValues,
} from './account-fields';
import { type ListedUser, queryAccounts } from './account-list';
import type { RandomBytes } from './application-password';
import { ACCOUNT_COLUMNS, type AccountRow, userOf } from './host-user';
import { hashLoginPassword, type ScryptCost } from './login-password';

export interface NewUser {
  readonly login: string;
  /** Empty or left out: none. */
  readonly email?: string | undefined;
  /** Empty or left out: the login. */
  readonly displayName?: string | undefined;
  readonly role: HostUser['role'];
  readonly password: string;
  /** Tracking ids; meaningless for an administrator, who sees all. */
  readonly sites: readonly string[];
}

/** What is left out stays as it is. */
export interface UserChanges {
  /** Empty removes it. */
  readonly email?: string | undefined;
  /** Empty: the login. */
  readonly displayName?: string | undefined;
  readonly role?: HostUser['role'] | undefined;
  /** Instead of those granted so far; nobody else gives an administrator any. */
  readonly sites?: readonly string[] | undefined;
}

/** A fault of the person who asked for the change, as a sentence; `field` where one field is to blame. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
  constructor(
    message: string,
    readonly field?: AccountField,
  ) {
    super(message);
  }
}

/** The values as they are kept; throws an AccountError for the first that cannot be. */
export function checkedFields(typed: TypedAccountValues): AccountValues {
  const checked = checkFields(typed);
  if (!checked.ok) throw new AccountError(checked.fault.message, checked.fault.field);
  return checked.values;
}

const noAccount = () => new AccountError('There is no such account.');

/** Creates an account and grants its sites, in one transaction; answers its id. A test may ask for a cheaper password. */
export async function createUser(
  write: Knex,
  user: NewUser,
  tools: { clock: Clock; randomBytes: RandomBytes; passwordCost?: ScryptCost },
): Promise<number> {
  const { login, displayName, email, password, role, sites } = user;
  const checked = checkedFields({ login, displayName, email, password, role, sites: [...sites] });
  refuseSitesOfAdministrator(role, sites);
  const passwordHash = await hashLoginPassword(password, tools.randomBytes, tools.passwordCost);
  return write.transaction(async (trx) => {
    await trx.raw('LOCK TABLE host.users IN SHARE ROW EXCLUSIVE MODE');
    if (await isTaken(trx, login))
      throw new AccountError(`The login ${login} is taken (letter case does not count).`, 'login');
    await refuseTakenEmail(trx, checked.email);
    const { rows } = await trx.raw<{ rows: [{ user_id: number }] }>(
      `INSERT INTO host.users (login, email, display_name, role, password_hash, created_at)
       VALUES (?, ?, ?, ?, ?, ?) RETURNING user_id`,
      [login, checked.email || null, checked.displayName || login, role, passwordHash, tools.clock()],
    );
    const id = rows[0].user_id;
    await grant(trx, id, sites);
    return id;
  });
}

/** Whether another account than `except` is found by this text, as its login or its e-mail. */
async function isTaken(trx: Knex, text: string, except = 0): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    'SELECT FROM host.users WHERE user_id <> ? AND lower(?) IN (lower(login), lower(email))',
    [except, text],
  );
  return rows.length > 0;
}

async function refuseTakenEmail(trx: Knex, email = '', except = 0): Promise<void> {
  if (email !== '' && (await isTaken(trx, email, except)))
    throw new AccountError('Another account has that e-mail address, or has it as its login.', 'email');
}

function refuseSitesOfAdministrator(role: HostUser['role'], sites: readonly string[]): void {
  if (role === 'administrator' && sites.length > 0)
    throw new AccountError('An administrator sees all sites; leave the list of sites out.', 'sites');
}

async function grant(trx: Knex, id: number, sites: readonly string[]): Promise<void> {
  await trx.raw('INSERT INTO host.user_sites (user_id, tracking_id) SELECT ?, unnest(?::text[])', [
    id,
    [...new Set(sites)],
  ]);
}

/** All accounts, by login. */
export const listUsers = (write: Knex): Promise<readonly ListedUser[]> => queryAccounts(write, 'true', []);

/** One account as the list has it. */
export async function findAccount(write: Knex, id: number): Promise<ListedUser | undefined> {
  const [found] = await queryAccounts(write, 'u.user_id = ?', [id]);
  return found;
}

/** The same by login, in any case. */
export async function findAccountByLogin(write: Knex, login: string): Promise<ListedUser | undefined> {
  if (login.includes('\0')) return undefined;
  const [found] = await queryAccounts(write, 'lower(u.login) = lower(?)', [login]);
  return found;
}

/** Whether any account exists at all. */
export async function hasUsers(write: Knex): Promise<boolean> {
  const { rows } = await write.raw<{ rows: { found: boolean }[] }>(
    'SELECT EXISTS (SELECT FROM host.users) AS found',
  );
  return rows[0]?.found === true;
}

/** An account by its id, in person; disabled ones too. */
export async function findUser(
  write: Knex,
  userId: number,
): Promise<{ readonly user: HostUser; readonly disabled: boolean } | undefined> {
  const { rows } = await write
    .raw<{ rows: AccountRow[] }>(`SELECT ${ACCOUNT_COLUMNS} FROM host.users u WHERE u.user_id = ?`, [userId])
    .options({ name: 'find-user' });
  const row = rows[0];
  return row && { user: userOf(row), disabled: row.disabled };
}

/** Gives `work` the account while nobody else changes any: the last administrator stays one. */
async function change(
  write: Knex,
  id: number,
  work: (trx: Knex, account: ListedUser) => Promise<void>,
): Promise<void> {
  await write.transaction(async (trx) => {
    await trx.raw('LOCK TABLE host.users IN SHARE ROW EXCLUSIVE MODE');
    const account = await findAccount(trx, id);
    if (account === undefined) throw noAccount();
    await work(trx, account);
  });
}

/** Throws when nobody else could look after the installation. */
async function refuseLastAdministrator(trx: Knex, { id, role, disabled }: ListedUser, field?: 'role') {
  if (role !== 'administrator' || disabled) return;
  const others = await trx('host.users')
    .where({ role, disabled: false })
    .whereNot('user_id', id)
    .first('user_id');
  if (others === undefined)
    throw new AccountError('This is the last administrator who can log in; make another one first.', field);
}

const endSessionsOf = (trx: Knex, id: number) => trx('host.session').where('user_id', id).delete();

/**
 * Changes an account; its login stays what it is. `check` is given the account as it is just before, and nobody else
 * changes it meanwhile: what it throws goes on, and nothing is changed.
 */
export async function changeUser(
  write: Knex,
  id: number,
  changes: UserChanges,
  check: (account: ListedUser) => void = () => undefined,
): Promise<void> {
  const { sites, ...fields } = changes;
  const { email, displayName } = checkedFields({ ...fields, ...(sites && { sites: [...sites] }) });
  await change(write, id, async (trx, account) => {
    check(account);
    const { role = account.role } = changes;
    refuseSitesOfAdministrator(role, sites ?? []);
    if (role !== 'administrator') await refuseLastAdministrator(trx, account, 'role');
    await refuseTakenEmail(trx, email, id);
    await trx('host.users')
      .where('user_id', id)
      .update({
        role,
        email: email === undefined ? account.email : email || null,
        display_name: displayName === undefined ? account.displayName : displayName || account.login,
      });
    if (sites !== undefined || role === 'administrator') {
      await trx('host.user_sites').where('user_id', id).delete();
      await grant(trx, id, sites ?? []);
    }
  });
}

/** Sets a new login password and ends every session of the account. */
export async function setLoginPassword(
  write: Knex,
  id: number,
  password: string,
  tools: { readonly randomBytes: RandomBytes },
): Promise<void> {
  checkedFields({ password });
  const hash = await hashLoginPassword(password, tools.randomBytes);
  await change(write, id, async (trx) => {
    await trx('host.users').where('user_id', id).update({ password_hash: hash });
    await endSessionsOf(trx, id);
  });
}

/** Shuts an account out at once, its sessions and application passwords included, or lets it in again. */
export async function setDisabled(write: Knex, id: number, disabled: boolean): Promise<void> {
  await change(write, id, async (trx, account) => {
    if (disabled) await refuseLastAdministrator(trx, account);
    await trx('host.users').where('user_id', id).update({ disabled });
    if (disabled) await endSessionsOf(trx, id);
  });
}

/** The clock by which a person reads instants; `zone` is an IANA name. */
export async function setTimezone(write: Knex, id: number, zone: string): Promise<void> {
  const { timezone } = checkedFields({ timezone: zone });
  const { rows } = await write.raw<{ rows: unknown[] }>(
    `UPDATE host.users SET meta = meta || jsonb_build_object('timezone', ?::text) WHERE user_id = ? RETURNING 1`,
    [timezone ?? zone, id],
  );
  if (rows.length === 0) throw noAccount();
}

// Logins keep their letter case, but no two may differ only in case.
import type { Knex } from 'knex';
import type { RandomBytes } from '../auth/application-password';
import { hashLoginPassword, type ScryptCost } from '../auth/login-password';
import type { Clock, HostUser } from '../extension-api';
import {
  ACCOUNT_FIELDS,
  type AccountField,
  type AccountValues,
  checkFields,
  type TypedAccountValues,
} from './account-fields';
import type { AccountTools } from './account-tools';
import { findAccount, type ListedUser, listUsers } from './accounts';
import { announceRevoked } from './announce-revoked';

export interface NewUser {
  readonly login: string;
  readonly email?: string | undefined;
  /** Default (if missing or empty): the login. */
  readonly displayName?: string | undefined;
  readonly role: HostUser['role'];
  readonly password: string;
  /** Tracking ids; empty for an administrator, who sees all sites. */
  readonly sites: readonly string[];
}

/** Missing fields are not changed. */
interface UserChanges {
  /** An empty string removes it. */
  readonly email?: string | undefined;
  /** An empty string resets it to the login. */
  readonly displayName?: string | undefined;
  readonly role?: HostUser['role'] | undefined;
  readonly sites?: readonly string[] | undefined;
}

/** An invalid change; the message is a sentence. `field` is set if a single field is wrong. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
  constructor(
    message: string,
    readonly field?: AccountField,
  ) {
    super(message);
  }
}

/** Trims the values. Throws an AccountError for the first invalid one. */
export function checkedFields(typed: TypedAccountValues): AccountValues {
  const { values, faults } = checkFields(typed);
  for (const field of ACCOUNT_FIELDS) {
    const message = faults[field];
    if (message !== undefined) throw new AccountError(message, field);
  }
  return values;
}

const noAccount = () => new AccountError('This account does not exist.');

/** Returns the new id. `passwordCost` is for tests. Throws an AccountError if the account cannot be created. */
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
      throw new AccountError(`The login ${login} is taken (letter case does not matter).`, 'login');
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

async function isTaken(trx: Knex, text: string, except = 0): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    'SELECT FROM host.users WHERE user_id <> ? AND lower(?) IN (lower(login), lower(email))',
    [except, text],
  );
  return rows.length > 0;
}

async function refuseTakenEmail(trx: Knex, email = '', except = 0): Promise<void> {
  if (email !== '' && (await isTaken(trx, email, except)))
    throw new AccountError('Another account has that e-mail address, or uses it as its login.', 'email');
}

function refuseSitesOfAdministrator(role: HostUser['role'], sites: readonly string[]): void {
  if (role === 'administrator' && sites.length > 0)
    throw new AccountError('An administrator sees all sites; leave out the list of sites.', 'sites');
}

async function grant(trx: Knex, id: number, sites: readonly string[]): Promise<void> {
  await trx.raw('INSERT INTO host.user_sites (user_id, tracking_id) SELECT ?, unnest(?::text[])', [
    id,
    [...new Set(sites)],
  ]);
}

/** Blocks other changes during `work`, because two concurrent changes could remove the last administrator. */
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

/** Throws an AccountError if the account is the last administrator who can log in. */
async function refuseLastAdministrator(trx: Knex, { id, role, disabled }: ListedUser, field?: 'role') {
  if (role !== 'administrator' || disabled) return;
  const others = await trx('host.users')
    .where({ role, disabled: false })
    .whereNot('user_id', id)
    .first('user_id');
  if (others === undefined)
    throw new AccountError('This is the last administrator who can log in; create another one first.', field);
}

const endSessionsOf = (trx: Knex, id: number) => trx('host.session').where('user_id', id).delete();

/** `check` runs under the lock; if it throws, nothing changes. */
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

/** Also ends all of the account's sessions. */
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

/** Disabling an account ends its sessions. While it is disabled, its application passwords are refused. */
export async function setDisabled(write: Knex, id: number, disabled: boolean): Promise<void> {
  await change(write, id, async (trx, account) => {
    if (disabled) await refuseLastAdministrator(trx, account);
    await trx('host.users').where('user_id', id).update({ disabled });
    if (disabled) await endSessionsOf(trx, id);
  });
}

export async function setTimezone(write: Knex, id: number, zone: string): Promise<void> {
  const { timezone } = checkedFields({ timezone: zone });
  const { rows } = await write.raw<{ rows: unknown[] }>(
    `UPDATE host.users SET meta = meta || jsonb_build_object('timezone', ?::text) WHERE user_id = ? RETURNING 1`,
    [timezone ?? zone, id],
  );
  if (rows.length === 0) throw noAccount();
}

/** Stores the browser's time zone if the account does not have one yet. Ignores unknown zones. */
export async function keepFirstTimezone(write: Knex, id: number, zone: string): Promise<void> {
  const { values, faults } = checkFields({ timezone: zone });
  if (faults.timezone !== undefined) return;
  await write.raw(
    `UPDATE host.users SET meta = meta || jsonb_build_object('timezone', ?::text)
      WHERE user_id = ? AND NOT jsonb_exists(meta, 'timezone')`,
    [values.timezone ?? zone, id],
  );
}

/** Viewers cannot inherit, because they cannot open saved queries. */
export const mayInherit = (heir: ListedUser, account: ListedUser): boolean =>
  heir.id !== account.id && heir.capabilities.includes('read');

/**
 * Deletes an account and its application passwords. Its other data is transferred to the account `heirId`, or deleted if
 * `heirId` is null.
 */
export async function deleteUser(
  { write, hooks }: Pick<AccountTools, 'hooks' | 'write'>,
  id: number,
  heirId: string | null,
): Promise<void> {
  let uuids: readonly string[] = [];
  await change(write, id, async (trx, account) => {
    await refuseLastAdministrator(trx, account);
    // Waits for transactions that hold a lock on the account (`accounts.hold`), so that the extensions see all of the account's data.
    await trx('host.users').where('user_id', id).forUpdate().first('user_id');
    const heir =
      heirId === null
        ? null
        : (await listUsers(trx)).find((user) => String(user.id) === heirId && mayInherit(user, account));
    if (heir === undefined) throw new AccountError('Choose another account.');
    await hooks.doAction('user_deleted', {
      userId: id,
      heir: heir && { id: heir.id, login: heir.login },
      write: trx,
    });
    uuids = (await trx('host.application_passwords').where('user_id', id).delete('uuid')).map(
      ({ uuid }) => uuid,
    );
    await trx('host.users').where('user_id', id).delete();
  });
  await announceRevoked(hooks, [{ userId: id, uuids }]);
}

import type { Knex } from 'knex';
import { z } from 'zod';
import { queryPrepared } from '../../db/query-prepared';
import { withinLevel } from '../auth/key-levels';
import type { KeyRestrictions } from '../auth/key-restrictions';
import type { Accounts, ApplicationKey, Capability, HostUser } from '../extension-api';

export const ROLES = ['administrator', 'analyst', 'viewer'] as const satisfies readonly HostUser['role'][];

/** Capabilities that also exist in WordPress have the same names here. */
export const CAPABILITIES: Readonly<Record<HostUser['role'], readonly Capability[]>> = {
  administrator: [
    'read',
    'list_users',
    'edit_users',
    'manage_sites',
    'import',
    'activate_plugins',
    'manage_options',
  ],
  analyst: ['read'],
  // Viewers may open only the pages that are open to every account: the dashboard and the profile.
  viewer: [],
};

export interface AccountRow {
  readonly user_id: number;
  readonly login: string;
  readonly display_name: string;
  readonly role: HostUser['role'];
  readonly meta: unknown;
  readonly disabled: boolean;
  readonly sites: readonly string[];
}

/** Selects an AccountRow; host.users must have the alias `u`. */
export const ACCOUNT_COLUMNS = `u.user_id, u.login, u.display_name, u.role, u.meta, u.disabled,
  ARRAY(SELECT tracking_id FROM host.user_sites s WHERE s.user_id = u.user_id ORDER BY 1) AS sites`;

const metaSchema = z.looseObject({ timezone: z.string().default('UTC') }).catch({ timezone: 'UTC' });

export function userOf(row: AccountRow): HostUser {
  return {
    id: row.user_id,
    login: row.login,
    displayName: row.display_name,
    role: row.role,
    capabilities: CAPABILITIES[row.role],
    sites: row.role === 'administrator' ? 'all' : row.sites,
    timezone: metaSchema.parse(row.meta).timezone,
    key: null,
  };
}

/** Returns the owner, limited to the key's rights, which never exceed the owner's. `sites: null` means all of the owner's sites. */
export const throughKey = (
  owner: HostUser,
  key: ApplicationKey,
  { sites, level }: Pick<KeyRestrictions, 'level' | 'sites'>,
): HostUser => ({
  ...owner,
  key,
  capabilities: withinLevel(level, owner.capabilities),
  sites: sites === null ? owner.sites : sites.filter((site) => maySeeSite(owner, site)),
});

export const maySeeSite = ({ sites }: HostUser, trackingId: string): boolean =>
  sites === 'all' || sites.includes(trackingId);

export interface ListedUser extends HostUser {
  readonly email: string | null;
  readonly disabled: boolean;
  readonly createdAt: Date;
  readonly applicationPasswords: number;
  readonly lastUsedAt: Date | null;
}

interface ListedRow extends AccountRow {
  readonly email: string | null;
  readonly created_at: Date;
  readonly passwords: number;
  readonly last_used_at: Date | null;
}

/** `condition` refers to host.users as `u`. */
async function queryAccounts(
  write: Knex,
  condition: string,
  bindings: readonly (string | number)[],
): Promise<readonly ListedUser[]> {
  const { rows } = await write.raw<{ rows: ListedRow[] }>(
    `SELECT ${ACCOUNT_COLUMNS}, u.email, u.created_at, p.passwords, p.last_used_at
     FROM host.users u CROSS JOIN LATERAL (
       SELECT count(*)::integer AS passwords, max(last_used_at) AS last_used_at
       FROM host.application_passwords WHERE user_id = u.user_id) p
     WHERE ${condition} ORDER BY lower(u.login)`,
    [...bindings],
  );
  return rows.map((row) => ({
    ...userOf(row),
    email: row.email,
    disabled: row.disabled,
    createdAt: row.created_at,
    applicationPasswords: row.passwords,
    lastUsedAt: row.last_used_at,
  }));
}

/** Ordered by login. */
export const listUsers = (write: Knex): Promise<readonly ListedUser[]> => queryAccounts(write, 'true', []);

export async function findAccount(write: Knex, id: number): Promise<ListedUser | undefined> {
  const [found] = await queryAccounts(write, 'u.user_id = ?', [id]);
  return found;
}

/** Ignores case. */
export async function findAccountByLogin(write: Knex, login: string): Promise<ListedUser | undefined> {
  if (login.includes('\0')) return undefined;
  const [found] = await queryAccounts(write, 'lower(u.login) = lower(?)', [login]);
  return found;
}

export async function hasUsers(write: Knex): Promise<boolean> {
  const { rows } = await write.raw<{ rows: unknown[] }>('SELECT FROM host.users LIMIT 1');
  return rows.length > 0;
}

/** Also finds disabled accounts. */
export async function findUser(
  write: Knex,
  userId: number,
): Promise<{ readonly user: HostUser; readonly disabled: boolean } | undefined> {
  const [row] = await queryPrepared<AccountRow>(write, {
    name: 'find-user',
    text: `SELECT ${ACCOUNT_COLUMNS} FROM host.users u WHERE u.user_id = $1`,
    values: [userId],
  });
  return row && { user: userOf(row), disabled: row.disabled };
}

export const accounts: Accounts = {
  async find(write, id) {
    const found = await findUser(write, id);
    return found === undefined || found.disabled ? undefined : found.user;
  },
  async hold(transaction, id) {
    const row = await transaction('host.users').where('user_id', id).forKeyShare().first('user_id');
    return row !== undefined;
  },
};

export interface LoginAccount {
  readonly userId: number;
  readonly login: string;
  readonly passwordHash: string;
  readonly disabled: boolean;
}

/** Finds an account by login or, failing that, by e-mail; ignores case. Also finds disabled accounts. */
export async function findLogin(write: Knex, loginOrEmail: string): Promise<LoginAccount | undefined> {
  // PostgreSQL rejects text that contains a null character.
  if (loginOrEmail.includes('\0')) return undefined;
  const { rows } = await write.raw<{ rows: LoginAccount[] }>(
    `SELECT user_id AS "userId", login, password_hash AS "passwordHash", disabled FROM host.users
     WHERE lower(login) = lower(?) OR lower(email) = lower(?)
     ORDER BY lower(login) = lower(?) DESC LIMIT 1`,
    [loginOrEmail, loginOrEmail, loginOrEmail],
  );
  return rows[0];
}

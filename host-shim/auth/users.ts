// The accounts of the host: created and listed here.
// A login is kept as typed and found in any case; an analyst sees the sites granted by tracking id.
import type { Knex } from 'knex';
import { z } from 'zod';
import type { Clock, HostUser } from '../extension-api';
import type { RandomBytes } from './application-password';
import { hashLoginPassword, LEAST_LOGIN_PASSWORD_LENGTH } from './login-password';

export const ROLES = ['administrator', 'analyst'] as const satisfies readonly HostUser['role'][];

export interface NewUser {
  readonly login: string;
  readonly email?: string;
  readonly displayName?: string;
  readonly role: HostUser['role'];
  readonly password: string;
  /** Tracking ids; meaningless for an administrator, who sees all. */
  readonly sites: readonly string[];
}

export interface ListedUser extends HostUser {
  readonly email: string | null;
  readonly disabled: boolean;
  readonly createdAt: Date;
  readonly applicationPasswords: number;
}

/** A fault of the person who asked for the change, as a sentence. */
export class AccountError extends Error {
  override readonly name = 'AccountError';
}

const newUserShape = z.object({
  login: z
    .string()
    .regex(/^[A-Za-z0-9_.@-]{1,60}$/, 'A login is 1 to 60 letters, digits or _ . @ - characters.'),
  email: z.email('That is not an e-mail address.').optional(),
  password: z
    .string()
    .min(
      LEAST_LOGIN_PASSWORD_LENGTH,
      `A login password has at least ${LEAST_LOGIN_PASSWORD_LENGTH} characters.`,
    )
    .max(1024, 'A login password has at most 1024 characters.'),
  sites: z.array(
    z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'A site is named by its tracking id: letters, digits, _ and -.'),
  ),
});

/** Creates an account and grants its sites, in one transaction. */
export async function createUser(
  write: Knex,
  user: NewUser,
  tools: { clock: Clock; randomBytes: RandomBytes },
): Promise<HostUser> {
  const checked = newUserShape.safeParse(user);
  if (!checked.success)
    throw new AccountError(checked.error.issues[0]?.message ?? 'The account cannot be made.');
  if (user.role === 'administrator' && user.sites.length > 0) {
    throw new AccountError('An administrator sees all sites; leave the list of sites out.');
  }
  const passwordHash = await hashLoginPassword(user.password, tools.randomBytes);
  return write.transaction(async (trx) => {
    const inserted = await trx.raw<{ rows: { user_id: number }[] }>(
      `INSERT INTO host.users (login, email, display_name, role, password_hash, created_at)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING user_id`,
      [
        user.login,
        user.email ?? null,
        user.displayName ?? user.login,
        user.role,
        passwordHash,
        tools.clock(),
      ],
    );
    const id = inserted.rows[0]?.user_id;
    if (id === undefined)
      throw new AccountError(
        `The login ${user.login}, or its e-mail, is taken (letter case does not count).`,
      );
    const sites = [...new Set(user.sites)];
    await trx.raw('INSERT INTO host.user_sites (user_id, tracking_id) SELECT ?, unnest(?::text[])', [
      id,
      sites,
    ]);
    return { id, login: user.login, role: user.role, sites: user.role === 'administrator' ? 'all' : sites };
  });
}

interface UserRow {
  user_id: number;
  login: string;
  email: string | null;
  role: HostUser['role'];
  disabled: boolean;
  created_at: Date;
  sites: string[];
  passwords: number;
}

/** All accounts, by login. */
export async function listUsers(write: Knex): Promise<readonly ListedUser[]> {
  const { rows } = await write.raw<{ rows: UserRow[] }>(
    `SELECT user_id, login, email, role, disabled, created_at,
       ARRAY(SELECT tracking_id FROM host.user_sites s WHERE s.user_id = u.user_id ORDER BY 1) AS sites,
       (SELECT count(*)::integer FROM host.application_passwords p WHERE p.user_id = u.user_id) AS passwords
     FROM host.users u ORDER BY lower(login)`,
  );
  return rows.map((row) => ({
    id: row.user_id,
    login: row.login,
    email: row.email,
    role: row.role,
    sites: row.role === 'administrator' ? 'all' : row.sites,
    disabled: row.disabled,
    createdAt: row.created_at,
    applicationPasswords: row.passwords,
  }));
}

/** Whether any account exists at all. */
export async function hasUsers(write: Knex): Promise<boolean> {
  const { rows } = await write.raw<{ rows: { found: boolean }[] }>(
    'SELECT EXISTS (SELECT FROM host.users) AS found',
  );
  return rows[0]?.found === true;
}

// Finds the account that a person on the login page means, with what a check of its login password needs.
import type { Knex } from 'knex';

export interface LoginAccount {
  readonly userId: number;
  readonly login: string;
  readonly passwordHash: string;
  readonly disabled: boolean;
}

interface LoginRow {
  readonly user_id: number;
  readonly login: string;
  readonly password_hash: string;
  readonly disabled: boolean;
}

/** By login (first) or e-mail, in any case; disabled accounts too. */
export async function findLogin(write: Knex, loginOrEmail: string): Promise<LoginAccount | undefined> {
  // The database has no text with this character in it, and fails over a comparison with one.
  if (loginOrEmail.includes('\0')) return undefined;
  const { rows } = await write.raw<{ rows: LoginRow[] }>(
    `SELECT user_id, login, password_hash, disabled FROM host.users
     WHERE lower(login) = lower(?) OR lower(email) = lower(?)
     ORDER BY lower(login) = lower(?) DESC LIMIT 1`,
    [loginOrEmail, loginOrEmail, loginOrEmail],
  );
  const row = rows[0];
  return (
    row && {
      userId: row.user_id,
      login: row.login,
      passwordHash: row.password_hash,
      disabled: row.disabled,
    }
  );
}

// Accounts as lists of people show them, read in one statement.
import type { Knex } from 'knex';
import type { HostUser } from '../extension-api';
import { ACCOUNT_COLUMNS, type AccountRow, readMeta } from './host-user';

export interface ListedUser {
  readonly id: number;
  readonly login: string;
  readonly displayName: string;
  readonly role: HostUser['role'];
  readonly sites: 'all' | readonly string[];
  readonly email: string | null;
  /** IANA name. */
  readonly timezone: string;
  readonly disabled: boolean;
  readonly createdAt: Date;
  readonly applicationPasswords: number;
  /** The last noted use of any of its application passwords. */
  readonly lastUsedAt: Date | null;
}

interface ListedRow extends AccountRow {
  readonly email: string | null;
  readonly created_at: Date;
  readonly passwords: number;
  readonly last_used_at: Date | null;
}

const SELECT = `SELECT ${ACCOUNT_COLUMNS}, u.email, u.created_at, p.passwords, p.last_used_at
FROM host.users u CROSS JOIN LATERAL (
  SELECT count(*)::integer AS passwords, max(last_used_at) AS last_used_at
  FROM host.application_passwords WHERE user_id = u.user_id) p`;

/** The accounts that a condition on host.users `u` finds, by login. */
export async function queryAccounts(
  write: Knex,
  condition: string,
  bindings: readonly (string | number)[],
): Promise<readonly ListedUser[]> {
  const { rows } = await write.raw<{ rows: ListedRow[] }>(
    `${SELECT} WHERE ${condition} ORDER BY lower(u.login)`,
    [...bindings],
  );
  return rows.map((row) => ({
    id: row.user_id,
    login: row.login,
    displayName: row.display_name,
    email: row.email,
    role: row.role,
    sites: row.role === 'administrator' ? 'all' : row.sites,
    timezone: readMeta(row.meta).timezone,
    disabled: row.disabled,
    createdAt: row.created_at,
    applicationPasswords: row.passwords,
    lastUsedAt: row.last_used_at,
  }));
}

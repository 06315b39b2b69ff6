// Every request reads the application password from the database, or checks there that a cached copy is still current: another
// process may have revoked it.
import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { queryPrepared } from '../../db/query-prepared';
import { ACCOUNT_COLUMNS, type AccountRow, userOf } from '../accounts/accounts';
import { AccountError, checkedFields } from '../accounts/users';
import { type Clock, DAY_MS, type HostUser, type KeptLimit, type Log } from '../extension-api';
import type { Condition } from '../rate-limit/window-counts';
import { generateSecret, hashSecret, type RandomBytes } from './application-password';
import { type KeyRestrictions, UNRESTRICTED } from './key-restrictions';

export interface ApplicationPassword {
  readonly uuid: string;
  /** A UUID sent by the client application, or empty. */
  readonly appId: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Recorded at most once a day, together with `lastIp`. */
  readonly lastUsedAt: Date | null;
  readonly lastIp: string | null;
  readonly restrictions: KeyRestrictions;
  /** The page that a link opens; null for an application password. */
  readonly opens: string | null;
  /** The part of the page that the link is limited to; null for no limit. */
  readonly linkLimit: KeptLimit | null;
}

/** An account found by login or e-mail, with all its application passwords, including expired ones. */
export interface Candidate {
  readonly user: HostUser;
  readonly disabled: boolean;
  readonly passwords: readonly (ApplicationPassword & { readonly hash: string })[];
}

export interface FoundCandidate extends Candidate {
  /** All rows and columns that were read, as text, for `isUnchanged`. */
  readonly record: string;
}

interface PasswordRow extends Omit<ApplicationPassword, 'restrictions'>, Omit<KeyRestrictions, 'sites'> {
  readonly keySites: readonly string[] | null;
}

const PASSWORD_COLUMNS = `p.uuid, p.app_id AS "appId", p.name, p.created_at AS "createdAt",
  p.last_used_at AS "lastUsedAt", p.last_ip AS "lastIp", p.expires_at AS "expiresAt", p.sites AS "keySites",
  p.address_ranges AS "addressRanges", p.rate_share AS "rateShare", p.level, p.opens, p.link_limit AS "linkLimit"`;
const ONE_PASSWORD = 'p.user_id = ? AND p.uuid = ?::uuid';
export const isUuid = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** The row may also contain an account and the password's hash. */
function passwordOf(row: PasswordRow): ApplicationPassword {
  const { uuid, appId, name, createdAt, lastUsedAt, lastIp, opens, linkLimit } = row;
  const { expiresAt, keySites: sites, addressRanges, rateShare, level } = row;
  const restrictions = { expiresAt, sites, addressRanges, rateShare, level };
  return { uuid, appId, name, createdAt, lastUsedAt, lastIp, restrictions, opens, linkLimit };
}

async function passwordRows(
  write: Knex,
  statement: string,
  bindings: readonly Knex.RawBinding[],
): Promise<readonly ApplicationPassword[]> {
  const { rows } = await write.raw<{ rows: PasswordRow[] }>(statement, [...bindings]);
  return rows.map(passwordOf);
}

export interface NewApplicationPassword {
  readonly userId: number;
  readonly name: string;
  readonly appId?: string | undefined;
  readonly restrictions?: KeyRestrictions | undefined;
  readonly opens?: string | undefined;
  readonly linkLimit?: KeptLimit | undefined;
}

/** Returns the secret, which is not stored. Throws an AccountError if the request is invalid. */
export async function createApplicationPassword(
  write: Knex,
  request: NewApplicationPassword,
  tools: { clock: Clock; randomBytes: RandomBytes },
): Promise<{ password: ApplicationPassword; secret: string }> {
  const { name = '', appId = '' } = checkedFields({ name: request.name, appId: request.appId });
  const { expiresAt, sites, addressRanges, rateShare, level } = request.restrictions ?? UNRESTRICTED;
  const secret = generateSecret(tools.randomBytes);
  const [password] = await passwordRows(
    write,
    `INSERT INTO host.application_passwords AS p
       (uuid, user_id, app_id, name, secret_hash, created_at, expires_at, sites, address_ranges, rate_share, level,
        opens, link_limit)
     SELECT ?::uuid, user_id, ?, ?, ?, ?::timestamptz, ?::timestamptz, ?::text[], ?::text[], ?::smallint, ?, ?, ?::jsonb
     FROM host.users WHERE user_id = ? RETURNING ${PASSWORD_COLUMNS}`,
    [
      randomUUID(),
      appId,
      name,
      hashSecret(secret),
      tools.clock(),
      expiresAt,
      sites && [...sites],
      addressRanges && [...addressRanges],
      rateShare,
      level,
      request.opens ?? null,
      request.linkLimit === undefined ? null : JSON.stringify(request.linkLimit),
      request.userId,
    ],
  );
  if (password === undefined) throw new AccountError('This account does not exist.');
  return { password, secret };
}

/** Oldest first. */
export const listApplicationPasswords = (
  write: Knex,
  userId: number,
): Promise<readonly ApplicationPassword[]> =>
  passwordRows(
    write,
    `SELECT ${PASSWORD_COLUMNS} FROM host.application_passwords p WHERE p.user_id = ? ORDER BY p.created_at, p.uuid`,
    [userId],
  );

export async function findApplicationPassword(
  write: Knex,
  userId: number,
  uuid: string,
): Promise<ApplicationPassword | undefined> {
  if (!isUuid(uuid)) return undefined;
  const statement = `SELECT ${PASSWORD_COLUMNS} FROM host.application_passwords p WHERE ${ONE_PASSWORD}`;
  const [found] = await passwordRows(write, statement, [userId, uuid]);
  return found;
}

/** Returns undefined if the user has no such password. Throws an AccountError if the name is invalid. */
export async function renameApplicationPassword(
  write: Knex,
  userId: number,
  uuid: string,
  name: string,
): Promise<ApplicationPassword | undefined> {
  const checked = checkedFields({ name });
  if (!isUuid(uuid)) return undefined;
  const statement = `UPDATE host.application_passwords p SET name = ? WHERE ${ONE_PASSWORD} RETURNING ${PASSWORD_COLUMNS}`;
  const [renamed] = await passwordRows(write, statement, [checked.name ?? name, userId, uuid]);
  return renamed;
}

/** The uuids of some passwords, or `programs`: all except those of shared links. */
export type WhichPasswords = readonly string[] | 'all' | 'programs';

export async function revokeApplicationPasswords(
  write: Knex,
  userId: number,
  which: WhichPasswords,
): Promise<readonly ApplicationPassword[]> {
  const some = typeof which === 'string' ? null : which.filter(isUuid);
  return passwordRows(
    write,
    `DELETE FROM host.application_passwords p
      WHERE p.user_id = ? AND (?::uuid[] IS NULL OR p.uuid = ANY(?::uuid[])) AND (p.opens IS NULL OR NOT ?)
     RETURNING ${PASSWORD_COLUMNS}`,
    [userId, some, some, which === 'programs'],
  );
}

type CandidateRow = AccountRow & (PasswordRow | { readonly uuid: null }) & { readonly secret_hash: string };

const candidateSql = (name: string): string => `
SELECT ${ACCOUNT_COLUMNS}, ${PASSWORD_COLUMNS}, p.secret_hash
FROM host.users u LEFT JOIN host.application_passwords p ON p.user_id = u.user_id AND p.opens IS NULL
WHERE u.user_id = COALESCE(
  (SELECT user_id FROM host.users WHERE lower(login) = lower(${name})),
  (SELECT user_id FROM host.users WHERE email IS NOT NULL AND lower(email) = lower(${name})))`;

/** Tries logins first, then e-mail addresses; ignores case. */
export async function findCandidate(write: Knex, loginOrEmail: string): Promise<FoundCandidate | undefined> {
  const rows = await queryPrepared<CandidateRow & { readonly record: string }>(write, {
    name: 'find-candidate',
    text: `SELECT c.*, c::text AS record FROM (${candidateSql('$1')}) c ORDER BY uuid`,
    values: [loginOrEmail],
  });
  const found = candidateOf(rows);
  return found && { ...found, record: rows.map(({ record }) => record).join('') };
}

/** Whether `findCandidate` would return the same candidate. */
export const isUnchanged = (loginOrEmail: string, { record }: FoundCandidate): Condition => ({
  name: 'candidate',
  values: [loginOrEmail, record],
  sql: (name, before) => `coalesce((
    SELECT string_agg(c::text, '' ORDER BY uuid) FROM (${candidateSql(name)}) c) = ${before}, false)`,
});

function candidateOf(rows: readonly CandidateRow[]): Candidate | undefined {
  const [first] = rows;
  return (
    first && {
      user: userOf(first),
      disabled: first.disabled,
      passwords: rows.flatMap((row) =>
        row.uuid === null ? [] : [{ ...passwordOf(row), hash: row.secret_hash }],
      ),
    }
  );
}

export async function findLink(write: Knex, uuid: string): Promise<Candidate | undefined> {
  if (!isUuid(uuid)) return undefined;
  const rows = await queryPrepared<CandidateRow>(write, {
    name: 'find-link',
    text: `SELECT ${ACCOUNT_COLUMNS}, ${PASSWORD_COLUMNS}, p.secret_hash
      FROM host.application_passwords p JOIN host.users u USING (user_id)
      WHERE p.uuid = $1::uuid AND p.opens IS NOT NULL`,
    values: [uuid],
  });
  return candidateOf(rows);
}

/** Writes at most once a day. Awaited, so that introspection shows this use. A failure is only logged. */
export async function recordUse(
  { write, clock, log }: { readonly write: Knex; readonly clock: Clock; readonly log: Log },
  { uuid, lastUsedAt, opens }: ApplicationPassword,
  { requestId, address }: { readonly requestId: unknown; readonly address: string },
): Promise<void> {
  const now = clock();
  const dayAgo = new Date(now.getTime() - DAY_MS);
  if (lastUsedAt !== null && lastUsedAt > dayAgo) return;
  await write
    .from('host.application_passwords')
    .where({ uuid })
    .where((condition) => condition.whereNull('last_used_at').orWhere('last_used_at', '<=', dayAgo))
    .update({ last_used_at: now, last_ip: address })
    .catch((error: unknown) => {
      const what = opens === null ? 'an application password' : 'a link';
      log.error({ err: error, requestId }, `The last use of ${what} could not be recorded.`);
    });
}

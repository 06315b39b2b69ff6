import type { Knex } from 'knex';
import type { AccountTools } from '../../accounts/account-tools';
import { revokePasswords } from '../../accounts/passwords';
import {
  type ApplicationPassword,
  findApplicationPassword,
  listApplicationPasswords,
  type WhichPasswords,
} from '../../auth/application-password-store';
import { type AdminAnswer, type AdminRequest, ask } from '../../extension-api';
import { formatInstant } from '../format-instant';

interface Revocation {
  readonly ownerId: number;
  readonly which: WhichPasswords;
  readonly title: string;
  readonly from: string;
}

/** GET asks for confirmation; POST revokes. */
export async function revokeOnPage(
  tools: AccountTools,
  { method, user }: AdminRequest,
  { ownerId, which, title, from }: Revocation,
): Promise<AdminAnswer> {
  const found = await findWhich(tools.write, ownerId, which);
  if (method === 'GET' && found.length > 0) {
    const many = found.length > 1;
    const instant = (at: Date | null) => (at === null ? 'never' : formatInstant(at, user.timezone));
    return ask({
      title,
      about: `Programs that use ${many ? 'them' : 'it'} are refused from their next request on. This cannot be undone.`,
      pairs: found.map(({ name, createdAt, lastUsedAt }) => [
        name,
        `created ${instant(createdAt)}, last used ${instant(lastUsedAt)}`,
      ]),
      button: many ? `Revoke all ${found.length}` : 'Revoke',
      cancel: from,
    });
  }
  const revoked = method === 'GET' ? [] : await revokePasswords(tools, ownerId, which);
  const [first, ...others] = revoked;
  const what = others.length === 0 ? `“${first?.name}”` : `${revoked.length} application passwords`;
  const notice = first === undefined ? 'There was nothing left to revoke.' : `Revoked: ${what}.`;
  return { kind: 'redirect', to: from, notice };
}

async function findWhich(
  write: Knex,
  ownerId: number,
  which: WhichPasswords,
): Promise<readonly ApplicationPassword[]> {
  if (typeof which === 'object') {
    const found = await findApplicationPassword(write, ownerId, which.uuid);
    return found === undefined ? [] : [found];
  }
  const passwords = await listApplicationPasswords(write, ownerId);
  return which === 'all' ? passwords : passwords.filter(({ opens }) => opens === null);
}

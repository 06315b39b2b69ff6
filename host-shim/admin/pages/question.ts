// Confirmation pages, which work without scripts. The button posts to the page's own address.
import type { Knex } from 'knex';
import type { AccountTools } from '../../accounts/account-tools';
import { revokePasswords } from '../../accounts/passwords';
import {
  type ApplicationPassword,
  findApplicationPassword,
  listApplicationPasswords,
  type WhichPasswords,
} from '../../auth/application-password-store';
import type { AdminAnswer, AdminRequest } from '../../extension-api';
import { formatInstant } from '../format-instant';

interface Question {
  readonly title: string;
  /** The consequence of confirming. */
  readonly about: string;
  readonly items?: readonly { readonly name: string; readonly about: string }[];
  readonly button: string;
  /** The address that Cancel links to. */
  readonly cancel: string;
}

export const ask = ({ title, ...data }: Question): AdminAnswer => ({
  kind: 'page',
  title,
  view: 'host-shim/admin/views/question',
  data: { items: [], ...data },
});

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
      items: found.map(({ name, createdAt, lastUsedAt }) => ({
        name,
        about: `created ${instant(createdAt)}, last used ${instant(lastUsedAt)}`,
      })),
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
  if (which === 'all') return listApplicationPasswords(write, ownerId);
  const found = await findApplicationPassword(write, ownerId, which.uuid);
  return found === undefined ? [] : [found];
}

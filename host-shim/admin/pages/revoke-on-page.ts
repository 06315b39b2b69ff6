import type { Knex } from 'knex';
import type { AccountTools } from '../../accounts/account-tools';
import { revokePasswords } from '../../accounts/passwords';
import {
  type ApplicationPassword,
  listApplicationPasswords,
  type WhichPasswords,
} from '../../auth/application-password-store';
import { type AdminAnswer, type AdminRequest, ask, markOf } from '../../extension-api';
import { formatInstant } from '../format-instant';

interface Revocation {
  readonly ownerId: number;
  readonly which: WhichPasswords;
  readonly title: string;
  readonly from: string;
}

const CHANGED = 'The list has changed, so nothing was revoked. Its current entries are shown below.';

/** Asks for confirmation, and revokes exactly the passwords that were shown. Passwords that have already been revoked are ignored. */
export async function revokeOnPage(
  tools: AccountTools,
  { method, form, user }: AdminRequest,
  { ownerId, which, title, from }: Revocation,
): Promise<AdminAnswer> {
  const found = await findWhich(tools.write, ownerId, which);
  const uuids = found.map(({ uuid }) => uuid);
  const redirect = (notice: string): AdminAnswer => ({ kind: 'redirect', to: from, notice });
  if (uuids.length === 0) return redirect('There was nothing left to revoke.');
  const many = uuids.length > 1;
  const mark = typeof which === 'string' ? markOf(uuids) : undefined;
  const isChanged = (form.get('mark') ?? undefined) !== mark;
  if (method === 'GET' || isChanged) {
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
      ...(mark !== undefined && { mark }),
      ...(method === 'POST' && { fault: CHANGED }),
    });
  }
  const [first, ...others] = await revokePasswords(tools, ownerId, uuids);
  if (first === undefined) return redirect('There was nothing left to revoke.');
  const what = others.length === 0 ? `“${first.name}”` : `${others.length + 1} application passwords`;
  return redirect(`Revoked: ${what}.`);
}

async function findWhich(
  write: Knex,
  ownerId: number,
  which: WhichPasswords,
): Promise<readonly ApplicationPassword[]> {
  const passwords = await listApplicationPasswords(write, ownerId);
  if (which === 'all') return passwords;
  return passwords.filter(({ uuid, opens }) =>
    which === 'programs' ? opens === null : which.includes(uuid),
  );
}

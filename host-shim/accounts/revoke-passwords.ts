import type { Knex } from 'knex';
import {
  type ApplicationPassword,
  revokeApplicationPasswords,
  type WhichPasswords,
} from '../auth/application-password-store';
import type { Hooks } from '../extensions/hooks';

export async function revokePasswords(
  { write, hooks }: { readonly write: Knex; readonly hooks: Pick<Hooks, 'doAction'> },
  userId: number,
  which: WhichPasswords,
): Promise<readonly ApplicationPassword[]> {
  const gone = await revokeApplicationPasswords(write, userId, which);
  const uuids = gone.map(({ uuid }) => uuid);
  if (uuids.length > 0) await hooks.doAction('application_password_revoked', { userId, uuids });
  return gone;
}

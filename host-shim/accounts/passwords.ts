// Creates and revokes application passwords and links, and notifies the extensions.
import { randomBytes } from 'node:crypto';
import {
  createApplicationPassword,
  type NewApplicationPassword,
  revokeApplicationPasswords,
  type WhichPasswords,
} from '../auth/application-password-store';
import type { AccountTools } from './account-tools';

/** The secret is not stored. Throws an AccountError. */
export async function issuePassword({ write, clock, hooks }: AccountTools, asked: NewApplicationPassword) {
  const issued = await createApplicationPassword(write, asked, { clock, randomBytes });
  const { uuid } = issued.password;
  await hooks.doAction('application_password_created', { userId: asked.userId, uuid });
  return issued;
}

export async function revokePasswords(
  { write, hooks }: Pick<AccountTools, 'hooks' | 'write'>,
  userId: number,
  which: WhichPasswords,
) {
  const gone = await revokeApplicationPasswords(write, userId, which);
  const uuids = gone.map(({ uuid }) => uuid);
  if (uuids.length > 0) await hooks.doAction('application_password_revoked', { userId, uuids });
  return gone;
}

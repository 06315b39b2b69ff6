// Creates and revokes application passwords and links, and notifies the extensions.
import { randomBytes } from 'node:crypto';
import {
  createApplicationPassword,
  type NewApplicationPassword,
  revokeApplicationPasswords,
  type WhichPasswords,
} from '../auth/application-password-store';
import type { AccountTools } from './account-tools';
import { announceRevoked } from './announce-revoked';

/** Returns the secret, which is not stored. Throws an AccountError if the request is invalid. */
export async function issuePassword({ write, clock, hooks }: AccountTools, request: NewApplicationPassword) {
  const issued = await createApplicationPassword(write, request, { clock, randomBytes });
  const { uuid } = issued.password;
  await hooks.doAction('application_password_created', { userId: request.userId, uuid });
  return issued;
}

export async function revokePasswords(
  { write, hooks }: Pick<AccountTools, 'hooks' | 'write'>,
  userId: number,
  which: WhichPasswords,
) {
  const revoked = await revokeApplicationPasswords(write, userId, which);
  await announceRevoked(hooks, [{ userId, uuids: revoked.map(({ uuid }) => uuid) }]);
  return revoked;
}

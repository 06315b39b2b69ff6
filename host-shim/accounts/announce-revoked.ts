import type { Actions } from '../extension-api';
import type { Hooks } from '../extensions/hooks';

export type RevokedPasswords = Actions['application_password_revoked'][0];

/** Notifies the extensions. Call it after the revocation is committed. */
export async function announceRevoked(
  hooks: Pick<Hooks, 'doAction'>,
  revoked: readonly RevokedPasswords[],
): Promise<void> {
  for (const one of revoked)
    if (one.uuids.length > 0) await hooks.doAction('application_password_revoked', one);
}

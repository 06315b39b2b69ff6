// Links to a page, for people without an account. The key, `<uuid>.<secret>`, comes in its own header: no other site can
// send it, and no link is ever taken for an application password or the other way round.

import { throughKey } from '../accounts/accounts';
import type { Clock, HostDatabase, Log } from '../extension-api';
import { DAY_MS, LINK_HEADER } from '../extension-api';
import { hashSecret, sameHash } from './application-password';
import { findLink, recordUse } from './application-password-store';
import type { Authenticator, AuthOutcome } from './authentication';
import { callerAddress } from './caller-address';

interface LinkAuthenticatorOptions {
  readonly database: Pick<HostDatabase, 'write'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** One sentence for every reason, so that guessing reveals nothing. */
const ENDED: AuthOutcome = {
  kind: 'refused',
  reason: 'This link has expired or was withdrawn.',
  candid: { code: 'link_ended', message: 'This link has expired or was withdrawn.' },
};

/** Authenticates the key of a link. Its secret has 143 random bits, so wrong ones are not counted. */
export function createLinkAuthenticator({ database, clock, log }: LinkAuthenticatorOptions): Authenticator {
  return async (request) => {
    const key = request.get(LINK_HEADER);
    if (key === undefined) return { kind: 'anonymous' };
    const [uuid = '', secret = ''] = key.split('.');
    const found = await findLink(database.write, uuid);
    const link = found?.passwords[0];
    if (found === undefined || link === undefined || !sameHash(link.hash, hashSecret(secret))) return ENDED;
    const { restrictions, opens, name, lastUsedAt } = link;
    const now = clock();
    if (found.disabled || opens === null || restrictions.expiresAt === null || restrictions.expiresAt <= now)
      return ENDED;
    const user = throughKey(
      found.user,
      { uuid: link.uuid, name, opens, rateShare: null, restricted: true },
      restrictions,
    );
    if (user.sites.length === 0) return ENDED;
    if (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= DAY_MS)
      await recordUse(database.write, link.uuid, now, callerAddress(request)).catch((error: unknown) => {
        log.error({ err: error, requestId: request.id }, 'The last use of a link could not be recorded.');
      });
    return { kind: 'user', user: { ...user, capabilities: [] } };
  };
}

// Links to a page, for people without an account. The key, `<uuid>.<secret>`, has its own header: other websites cannot send it,
// and it cannot be confused with an application password.
import { throughKey } from '../accounts/accounts';
import { type Clock, DAY_MS, type HostDatabase, LINK_HEADER, type Log } from '../extension-api';
import { hashSecret, sameHash } from './application-password';
import { findLink, recordUse } from './application-password-store';
import type { Authenticator, AuthOutcome } from './authentication';
import { callerAddress } from './caller-address';
import { guardKey } from './login-guard';

interface LinkAuthenticatorOptions {
  readonly database: Pick<HostDatabase, 'write'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The same for every reason, so that guessing reveals nothing. */
const ENDED: AuthOutcome = {
  kind: 'refused',
  reason: 'This link has expired or was withdrawn.',
  candid: { code: 'link_ended', message: 'This link has expired or was withdrawn.' },
};

/** The secret has 143 random bits, so failed attempts are not counted. */
export function createLinkAuthenticator({ database, clock, log }: LinkAuthenticatorOptions): Authenticator {
  return async (request) => {
    const key = request.get(LINK_HEADER);
    if (key === undefined) return { kind: 'anonymous' };
    const [uuid = '', secret = ''] = key.split('.');
    const found = await findLink(database.write, uuid);
    const link = found?.passwords[0];
    if (found === undefined || link === undefined || !sameHash(link.hash, hashSecret(secret))) return ENDED;
    const { restrictions, opens, linkLimit, name, lastUsedAt } = link;
    const now = clock();
    const address = callerAddress(request);
    if (found.disabled || opens === null || restrictions.expiresAt === null || restrictions.expiresAt <= now)
      return ENDED;
    const user = throughKey(
      found.user,
      {
        uuid: link.uuid,
        name,
        opens,
        linkLimit,
        visitor: guardKey(address),
        rateShare: null,
        restricted: true,
      },
      restrictions,
    );
    if (user.sites.length === 0) return ENDED;
    if (lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= DAY_MS)
      await recordUse(database.write, link.uuid, now, address).catch((error: unknown) => {
        log.error({ err: error, requestId: request.id }, 'The last use of a link could not be recorded.');
      });
    return { kind: 'user', user: { ...user, capabilities: [] } };
  };
}

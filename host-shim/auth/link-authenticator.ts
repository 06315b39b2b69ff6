// Authenticates links to a page, for people without an account. The key, `<uuid>.<secret>`, is sent in a separate header: other
// websites cannot send it, and it cannot be confused with an application password.
import type { Knex } from 'knex';
import { throughKey } from '../accounts/accounts';
import { type Clock, LINK_HEADER, type Log } from '../extension-api';
import { createTurns } from '../server/turns';
import { hashSecret, sameHash } from './application-password';
import { findLink, recordUse } from './application-password-store';
import type { Authenticator, AuthOutcome } from './authentication';
import { callerAddress } from './caller-address';
import { guardKey } from './login-guard';

interface LinkAuthenticatorOptions {
  readonly write: Knex;
  readonly clock: Clock;
  readonly log: Log;
}

/** The same whatever the reason, so that guessing reveals nothing. */
const ENDED: AuthOutcome = {
  kind: 'refused',
  reason: 'This link has expired or was revoked.',
  needs: 'link',
  candid: { code: 'link_ended', message: 'This link has expired or was revoked.' },
};

/**
 * The secret has 143 random bits, so failed attempts are not counted. Requests from one address take turns, so that they occupy
 * at most one database connection.
 */
export function createLinkAuthenticator({ write, clock, log }: LinkAuthenticatorOptions): Authenticator {
  const inTurn = createTurns();
  return async (request) => {
    const key = request.get(LINK_HEADER);
    if (key === undefined) return { kind: 'anonymous' };
    const [uuid = '', secret = ''] = key.split('.');
    const address = callerAddress(request);
    const found = await inTurn(guardKey(address), () => findLink(write, uuid));
    const link = found?.passwords[0];
    if (found === undefined || link === undefined || !sameHash(link.hash, hashSecret(secret))) return ENDED;
    const { restrictions, opens, linkLimit, name } = link;
    const { expiresAt } = restrictions;
    if (found.disabled || opens === null || expiresAt === null || expiresAt <= clock()) return ENDED;
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
    await recordUse({ write, clock, log }, link, { requestId: request.id, address });
    return { kind: 'user', user: { ...user, capabilities: [] } };
  };
}

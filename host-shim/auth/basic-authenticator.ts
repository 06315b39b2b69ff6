// Basic authentication with application passwords. It does not use passport-http's header parser, which cuts off the secret at a
// second colon and accepts any scheme containing "basic". If a strategy is passed as an object, passport stores request
// state in it, so this one is used by name.
import type { Request } from 'express';
import type { Knex } from 'knex';
import { LRUCache } from 'lru-cache';
import { Passport, type StrategyCreated } from 'passport';
import { BasicStrategy } from 'passport-http';
import { throughKey } from '../accounts/accounts';
import { type ApplicationKey, type Clock, type HostUser, type Log, utcText } from '../extension-api';
import { createTurns } from '../server/turns';
import { isWithinRanges } from './address-ranges';
import { hashSecret, sameHash } from './application-password';
import {
  type ApplicationPassword,
  type Candidate,
  type FoundCandidate,
  findCandidate,
  isUnchanged,
  recordUse,
} from './application-password-store';
import type { Authenticator, AuthOutcome, Enter } from './authentication';
import { type Credentials, readBasicHeader } from './basic-header';
import { type CredentialsRule, callerAddress, PASSWORD_OVER_PLAIN_HTTP } from './caller-address';
import { manages } from './key-levels';
import type { KeyRestrictions } from './key-restrictions';
import { ADDRESS_GUARDS, createLoginGuard, guarded, guardKey, type LoginGuardOptions } from './login-guard';

interface BasicAuthenticatorOptions {
  readonly write: Knex;
  readonly clock: Clock;
  readonly log: Log;
  readonly loginGuard: LoginGuardOptions;
  readonly credentialsAllowed: CredentialsRule;
}

/** Each character takes about two bytes. */
const MAX_CACHED_CHARACTERS = 2 ** 21;

type Refusal = Extract<AuthOutcome, { kind: 'refused' }>;
type Rejection = Refusal | Extract<AuthOutcome, { kind: 'too-many-failures' }>;
type Found = Extract<AuthOutcome, { kind: 'user' }>;
type Verify = (credentials: Credentials, request: Request) => Promise<Found | Rejection>;

const WRONG =
  'Unknown user or wrong application password. The password for the login page is not accepted here.';

const refuse = (reason: string, code: string, message = reason): Refusal => ({
  kind: 'refused',
  reason,
  candid: { code, message },
});

class ApplicationPasswordStrategy extends BasicStrategy {
  constructor(readonly verifyCredentials: Verify) {
    super(() => undefined);
  }

  override authenticate(this: StrategyCreated<this>, request: Request): void {
    const header = readBasicHeader(request.headers.authorization ?? '');
    if (!header.ok) {
      this.fail({ ...refuse(header.reason, 'rest_not_logged_in') });
      return;
    }
    this.verifyCredentials(header.credentials, request).then(
      (outcome) => (outcome.kind === 'user' ? this.success(outcome) : this.fail({ ...outcome })),
      (fault: unknown) => this.error(fault),
    );
  }
}

const keyOf = ({ uuid, name, restrictions }: ApplicationPassword): ApplicationKey => ({
  uuid,
  name,
  rateShare: restrictions.rateShare,
  restricted: !manages(restrictions.level),
});

/** Refuses a correct secret if a restriction applies. The response may state the reason, because the caller has sent the correct secret. */
function refuseRestricted(
  { expiresAt, addressRanges }: KeyRestrictions,
  address: string,
  now: Date,
): Refusal | undefined {
  if (expiresAt !== null && expiresAt <= now) {
    const reason = `This application password expired at ${utcText(expiresAt, 'YYYY-MM-DDTHH:mm:ss')}Z; create another one.`;
    return { ...refuse(reason, 'application_password_ended'), proved: true };
  }
  if (addressRanges !== null && !isWithinRanges(address, addressRanges)) {
    const reason = `This application password is not accepted from the address ${address || 'of this connection'}.`;
    return { ...refuse(reason, 'application_password_wrong_address'), proved: true };
  }
  return undefined;
}

/** Always compares every password, so that timing does not reveal which one matched. */
function matchPassword(candidate: Candidate | undefined, hash: string): ApplicationPassword | undefined {
  return candidate?.passwords.filter((password) => sameHash(password.hash, hash)).at(-1);
}

/** Refuses any scheme other than Basic. */
export function createBasicAuthenticator(options: BasicAuthenticatorOptions): Authenticator {
  const { write, clock, log } = options;
  const guard = createLoginGuard(ADDRESS_GUARDS.password, options.loginGuard, { write, clock });
  // A correct secret is accepted even from a locked-out address, because the attacker may be someone else who shares the address.
  // Requests from one address take turns, so an attacker occupies at most one database connection.
  const inTurn = createTurns();
  /** The strategy looks up `enter` here, because passport passes it only the request. */
  const enterOf = new WeakMap<Request, Enter>();
  /** Candidates by the name that was sent. Used only with a statement that compares them with the database. */
  const recent = new LRUCache<string, FoundCandidate>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: ({ record }, name) => name.length + record.length,
  });

  const userWithKey = ({ user }: Candidate, password: ApplicationPassword): HostUser =>
    throughKey(user, keyOf(password), password.restrictions);

  /** With one statement, authenticates and charges a caller from an earlier request. Returns undefined if that is not possible. */
  async function enterAgain(name: string, hash: string, request: Request, address: string) {
    const candidate = recent.get(name);
    const password = matchPassword(candidate, hash);
    if (candidate === undefined || password === undefined || candidate.disabled) return undefined;
    if (refuseRestricted(password.restrictions, address, clock()) !== undefined) return undefined;
    const user = userWithKey(candidate, password);
    const entry = await enterOf.get(request)?.(user, isUnchanged(name, candidate));
    if (entry === undefined) return undefined;
    await recordUse(options, password, { requestId: request.id, address });
    return { kind: 'user', user, entry } as const;
  }

  async function verify(
    { user: name, secret }: Credentials,
    request: Request,
    { address, isLockedOut }: { readonly address: string; readonly isLockedOut: boolean },
  ): Promise<Found | Refusal> {
    const hash = hashSecret(secret);
    const again = await enterAgain(name, hash, request, address);
    if (again !== undefined) return again;
    const candidate = await findCandidate(write, name);
    const password = matchPassword(candidate, hash);
    if (candidate !== undefined && password !== undefined && !candidate.disabled) {
      const refusal = refuseRestricted(password.restrictions, address, clock());
      if (refusal === undefined) {
        await recordUse(options, password, { requestId: request.id, address });
        recent.set(name, candidate);
        return { kind: 'user', user: userWithKey(candidate, password) };
      }
      log.warn(
        { requestId: request.id, address, login: candidate.user.login, uuid: password.uuid },
        'A correct application password was refused because of a restriction.',
      );
      return refusal;
    }
    // The typed name is not logged: some people enter their secret there.
    if (!isLockedOut)
      log.warn(
        { requestId: request.id, address, login: candidate?.user.login ?? null },
        'A login with an application password was refused.',
      );
    return candidate === undefined
      ? refuse(WRONG, 'invalid_username', `There is no user ${JSON.stringify(name)} here.`)
      : refuse(WRONG, 'incorrect_password', 'The application password is wrong, or the account is disabled.');
  }

  /** A caller with the correct secret is not guessing: a forgotten program must not lock out everyone at its address. */
  const isWrong = (outcome: Found | Refusal): boolean =>
    outcome.kind === 'refused' && outcome.proved !== true;

  const verifyGuarded: Verify = (credentials, request) => {
    const address = callerAddress(request);
    return guarded(guard, address, {
      work: () => verify(credentials, request, { address, isLockedOut: false }),
      isFailure: isWrong,
      async lockedOut(retryAfterSeconds) {
        const outcome = await inTurn(guardKey(address), () =>
          verify(credentials, request, { address, isLockedOut: true }),
        );
        const { limit, windowSeconds } = guard;
        return isWrong(outcome)
          ? ({ kind: 'too-many-failures', limit, windowSeconds, retryAfterSeconds } as const)
          : outcome;
      },
    });
  };

  const passport = new Passport();
  passport.use('basic', new ApplicationPasswordStrategy(verifyGuarded));

  return async (request, response, _query, enter) => {
    const header = request.headers.authorization;
    if (header === undefined || header === '') return { kind: 'anonymous' };
    if (!options.credentialsAllowed(request)) {
      log.warn(
        { requestId: request.id, address: callerAddress(request) },
        'Credentials over plain HTTP were refused.',
      );
      return refuse(PASSWORD_OVER_PLAIN_HTTP, 'rest_not_logged_in');
    }
    if (enter !== undefined) enterOf.set(request, enter);
    return new Promise((resolve, reject) => {
      const decide = (
        fault: unknown,
        found: Found | false | undefined,
        rejection: Rejection | undefined,
      ): void => {
        if (fault) reject(fault);
        else if (found) resolve(found);
        else resolve(rejection ?? refuse(WRONG, 'rest_not_logged_in'));
      };
      passport.authenticate('basic', { session: false }, decide)(request, response, reject);
    });
  };
}

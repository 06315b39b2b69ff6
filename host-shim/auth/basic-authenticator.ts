// Basic authentication with application passwords, through passport.
// passport-http's own reading of the header is replaced: it cuts the secret at a second colon and takes any scheme
// that contains "basic". The strategy is used by name, since passport keeps per-request state on a shared instance.
import type { Request } from 'express';
import { Passport, type StrategyCreated } from 'passport';
import { BasicStrategy } from 'passport-http';
import type { Clock, HostDatabase, HostUser, Log } from '../extension-api';
import { cleanSecret, hashSecret, sameHash } from './application-password';
import { type Candidate, findCandidate, noteUse } from './application-password-store';
import type { Authenticator, AuthOutcome } from './authentication';
import { type Credentials, readBasicHeader } from './basic-header';
import { createLoginGuard, type LoginGuardOptions } from './login-guard';

export interface BasicAuthenticatorOptions {
  readonly database: Pick<HostDatabase, 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly loginGuard: LoginGuardOptions;
  /** Whether credentials may travel on this connection. */
  credentialsAllowed(request: Request): boolean;
}

type Refusal = Extract<AuthOutcome, { kind: 'refused' }>;
type TurnedAway = Refusal | Extract<AuthOutcome, { kind: 'too-many-failures' }>;
type Verify = (credentials: Credentials, request: Request) => Promise<HostUser | TurnedAway>;

const DAY_MS = 86_400_000;
const WRONG =
  'Unknown user or wrong application password. The password of a login page is not accepted here.';
const PLAIN_HTTP =
  'Credentials are accepted over HTTPS only: use https, name the proxy in front in TRUST_PROXY, or set QAL_ENVIRONMENT=local on a machine of your own.';

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
      (outcome) => ('kind' in outcome ? this.fail({ ...outcome }) : this.success(outcome)),
      (fault: unknown) => this.error(fault),
    );
  }
}

function matchPassword(
  candidate: Candidate | undefined,
  secret: string,
): Candidate['passwords'][number] | undefined {
  const hash = hashSecret(secret);
  let found: Candidate['passwords'][number] | undefined;
  for (const password of candidate?.passwords ?? []) {
    if (sameHash(password.hash, hash)) found = password;
  }
  return found;
}

/** Authenticates the Authorization header of a request; any scheme but Basic is refused. */
export function createBasicAuthenticator(
  options: BasicAuthenticatorOptions,
): Authenticator & { settle(): Promise<void> } {
  const { database, clock, log } = options;
  const guard = createLoginGuard(options.loginGuard);
  const notes = new Set<Promise<void>>();

  /** Off the request's path: the caller does not wait for it, and its failure costs the note alone. */
  function noteUseLater(password: Candidate['passwords'][number], request: Request): void {
    const now = clock();
    if (password.lastUsedAt !== null && now.getTime() - password.lastUsedAt.getTime() < DAY_MS) return;
    const note = noteUse(database.write, password.uuid, now, request.ip ?? '')
      .catch((error: unknown) =>
        log.error(
          { err: error, requestId: request.id },
          'The last use of an application password was not written.',
        ),
      )
      .finally(() => notes.delete(note));
    notes.add(note);
  }

  async function verify(
    { user: name, secret: typed }: Credentials,
    request: Request,
  ): Promise<HostUser | Refusal> {
    const candidate = await findCandidate(database.write, name);
    const password = matchPassword(candidate, cleanSecret(typed));
    if (candidate !== undefined && password !== undefined && !candidate.disabled) {
      noteUseLater(password, request);
      return candidate.user;
    }
    // The name as typed is not logged: people put their secret there.
    log.warn(
      { requestId: request.id, address: request.ip, login: candidate?.user.login ?? null },
      'A login by application password was refused.',
    );
    return candidate === undefined
      ? refuse(WRONG, 'invalid_username', `There is no user ${JSON.stringify(name)} here.`)
      : refuse(WRONG, 'incorrect_password', 'The application password is wrong, or the account is disabled.');
  }

  const verifyGuarded: Verify = async (credentials, request) => {
    const address = request.ip ?? '';
    const wait = await guard.begin(address);
    if (wait > 0) {
      const { limit, windowSeconds } = guard;
      return { kind: 'too-many-failures', limit, windowSeconds, retryAfterSeconds: wait };
    }
    let failed = false;
    try {
      const outcome = await verify(credentials, request);
      failed = 'kind' in outcome;
      return outcome;
    } finally {
      await guard.end(address, failed);
    }
  };

  const passport = new Passport();
  passport.use('basic', new ApplicationPasswordStrategy(verifyGuarded));

  const authenticate: Authenticator = async (request, response) => {
    const header = request.headers.authorization;
    if (header === undefined || header === '') return { kind: 'anonymous' };
    if (!options.credentialsAllowed(request)) {
      log.warn({ requestId: request.id, address: request.ip }, 'Credentials over plain HTTP were refused.');
      return refuse(PLAIN_HTTP, 'rest_not_logged_in');
    }
    return new Promise((resolve, reject) => {
      const decide = (
        fault: unknown,
        user: HostUser | false | undefined,
        turnedAway: TurnedAway | undefined,
      ): void => {
        if (fault) reject(fault);
        else if (user) resolve({ kind: 'user', user });
        else resolve(turnedAway ?? refuse(WRONG, 'rest_not_logged_in'));
      };
      passport.authenticate('basic', { session: false }, decide)(request, response, reject);
    });
  };

  return Object.assign(authenticate, {
    /** Waits for notes of use that are still being written. */
    settle: async () => {
      await Promise.all(notes);
    },
  });
}

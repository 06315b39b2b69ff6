// Checks a login password behind two guards: one per address, and a slower one per account. The response, the guards and the
// timing do not distinguish an unknown name from a wrong password.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { findLogin, type LoginAccount } from '../accounts/accounts';
import type { RandomBytes } from '../auth/application-password';
import { createLoginGuard, guarded, type LoginGuard, type LoginGuardOptions } from '../auth/login-guard';
import { checkLoginPassword, unmatchedLoginPassword } from '../auth/login-password';
import type { Clock, Log } from '../extension-api';

/** Leaves room for typos; 120 guesses an hour will not find an eight-letter password. */
export const PAGE_LOGIN_GUARD: LoginGuardOptions = { failures: 10, windowSeconds: 300 };

/** Counts failures from all addresses together, to stop distributed guessing. */
export const ACCOUNT_LOGIN_GUARD: LoginGuardOptions = { failures: 100, windowSeconds: 3600 };

export interface TooMany {
  readonly kind: 'too-many';
  readonly of: 'address' | 'account';
  readonly retryAfterSeconds: number;
}

export type LoginOutcome =
  /** `passwordHash` is the stored hash that was checked. */
  | { readonly kind: 'user'; readonly userId: number; readonly passwordHash: string }
  | { readonly kind: 'wrong' }
  | TooMany;

export interface LoginAttempt {
  readonly login: string;
  readonly password: string;
  readonly address: string;
  readonly requestId: string;
}

/** The tools that both steps of a login need. */
export interface LoginTools {
  readonly write: Knex;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts wrong passwords and wrong codes together. */
  readonly addresses: LoginGuard;
}

interface LoginOptions extends LoginTools {
  readonly randomBytes: RandomBytes;
  readonly accountGuard: LoginGuardOptions;
}

/** An unknown name is guarded as an account would be, so that a lockout does not reveal whether the account exists. */
const accountKey = (account: LoginAccount | undefined, typed: string): string =>
  account === undefined
    ? `name ${createHash('sha256').update(typed.toLowerCase()).digest('base64url')}`
    : `account ${account.userId}`;

export function createLogin({ write, clock, log, randomBytes, addresses, accountGuard }: LoginOptions) {
  const accounts = createLoginGuard('login of', accountGuard, { write, clock });
  const unmatchedHash = unmatchedLoginPassword(randomBytes);

  async function check({ login, password, address, requestId }: LoginAttempt): Promise<LoginOutcome> {
    const account = await findLogin(write, login);
    return guardLogin(accounts, 'account', accountKey(account, login), async () => {
      const passwordHash = account?.passwordHash ?? unmatchedHash;
      const matches = await checkLoginPassword(password, passwordHash);
      if (account !== undefined && matches && !account.disabled)
        return { kind: 'user', userId: account.userId, passwordHash };
      // The typed name is not logged: some people enter their password there.
      log.warn({ requestId, address, login: account?.login ?? null }, 'A login on the pages was refused.');
      return { kind: 'wrong' };
    });
  }

  return (attempt: LoginAttempt): Promise<LoginOutcome> =>
    guardLogin(addresses, 'address', attempt.address, () => check(attempt));
}

/** Guards either step of a login. */
export const guardLogin = <T extends { readonly kind: string }>(
  guard: LoginGuard,
  of: TooMany['of'],
  key: string,
  work: () => Promise<T>,
): Promise<T | TooMany> =>
  guarded(guard, key, {
    work,
    isFailure: ({ kind }) => kind === 'wrong',
    lockedOut: (retryAfterSeconds) => ({ kind: 'too-many', of, retryAfterSeconds }),
  });

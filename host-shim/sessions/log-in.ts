// Checks a login with the login password, behind two guards against guessing: one of the address, a slow one of the account.
// An unknown name costs the same work as a wrong password, is guarded alike, and the answer does not tell them apart.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { findLogin, type LoginAccount } from '../auth/accounts';
import type { RandomBytes } from '../auth/application-password';
import { createLoginGuard, type LoginGuardOptions } from '../auth/login-guard';
import { checkLoginPassword, unmatchedLoginPassword } from '../auth/login-password';
import type { Log } from '../extension-api';

/** A person mistypes a few times; 120 guesses an hour find no password of eight letters. */
export const PAGE_LOGIN_GUARD: LoginGuardOptions = { failures: 10, windowSeconds: 300 };

/** Of one account, from all addresses together: whoever has many addresses finds no password either. */
export const ACCOUNT_LOGIN_GUARD: LoginGuardOptions = { failures: 100, windowSeconds: 3600 };

export type LoginOutcome =
  /** `passwordHash`: the stored form that the password was right for. */
  | { readonly kind: 'user'; readonly userId: number; readonly passwordHash: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many'; readonly of: 'address' | 'account'; readonly retryAfterSeconds: number };

export interface LoginAttempt {
  readonly login: string;
  readonly password: string;
  readonly address: string;
  readonly requestId: string;
}

export interface LoginOptions {
  readonly write: Knex;
  readonly log: Log;
  readonly randomBytes: RandomBytes;
  readonly guard: LoginGuardOptions;
  readonly accountGuard: LoginGuardOptions;
}

/** A name that no account has is guarded like one: who is shut out does not learn whether it exists. */
const accountKey = (account: LoginAccount | undefined, typed: string): string =>
  account === undefined
    ? `name ${createHash('sha256').update(typed.toLowerCase()).digest('base64url')}`
    : `account ${account.userId}`;

/** A function that checks one attempt. */
export function createLogin({ write, log, randomBytes, guard, accountGuard }: LoginOptions) {
  const addresses = createLoginGuard(guard);
  const accounts = createLoginGuard(accountGuard);
  const nobody = unmatchedLoginPassword(randomBytes);

  async function check({ login, password, address, requestId }: LoginAttempt): Promise<LoginOutcome> {
    const account = await findLogin(write, login);
    const key = accountKey(account, login);
    const retryAfterSeconds = await accounts.begin(key);
    if (retryAfterSeconds > 0) return { kind: 'too-many', of: 'account', retryAfterSeconds };
    let isRight = false;
    try {
      const passwordHash = account?.passwordHash ?? nobody;
      const fits = await checkLoginPassword(password, passwordHash);
      isRight = account !== undefined && fits && !account.disabled;
      if (isRight && account !== undefined) return { kind: 'user', userId: account.userId, passwordHash };
    } finally {
      await accounts.end(key, !isRight);
    }
    // The name as typed is not logged: people put their password there.
    log.warn({ requestId, address, login: account?.login ?? null }, 'A login on the pages was refused.');
    return { kind: 'wrong' };
  }

  return async (attempt: LoginAttempt): Promise<LoginOutcome> => {
    const retryAfterSeconds = await addresses.begin(attempt.address);
    if (retryAfterSeconds > 0) return { kind: 'too-many', of: 'address', retryAfterSeconds };
    let failed = true;
    try {
      const outcome = await check(attempt);
      failed = outcome.kind === 'wrong';
      return outcome;
    } finally {
      await addresses.end(attempt.address, failed);
    }
  };
}

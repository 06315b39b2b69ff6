// The second step of a login. Between the steps, the browser holds a signed token, which proves that the password was correct.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parsedJson } from '../../db/parsed-json';
import { createCodeCheck, findSecondFactor } from '../auth/second-factor';
import { guardLogin, type LoginTools, type TooMany } from './log-in';

const TOKEN_MS = 10 * 60_000;

interface SecondStepOptions extends LoginTools {
  readonly secret: string;
}

interface FirstStep {
  readonly userId: number;
  readonly passwordHash: string;
  readonly remember: boolean;
}

interface CodeAttempt {
  readonly token: string;
  readonly code: string;
  readonly address: string;
  readonly requestId: string;
}

type StepOutcome =
  | (FirstStep & { readonly kind: 'user' })
  | { readonly kind: 'wrong' }
  /** The token is too old, or the password or the account has changed. */
  | { readonly kind: 'expired' }
  | TooMany;

export interface SecondStep {
  /** Returns the token; undefined if the account has no second factor. */
  begin(first: FirstStep): Promise<string | undefined>;
  finish(attempt: CodeAttempt): Promise<StepOutcome>;
}

const tokenShape = z.strictObject({ userId: z.int(), remember: z.boolean(), endsAt: z.number() });

export function createSecondStep(options: SecondStepOptions): SecondStep {
  const { write, clock, log, addresses, secret } = options;
  const checkCode = createCodeCheck({ write, clock });

  const sign = (text: string, passwordHash: string): Buffer =>
    createHmac('sha256', secret).update(`second step|${passwordHash}|${text}`).digest();

  /** Returns the first step and the account's login; undefined if the token is not valid. */
  async function read(token: string): Promise<(FirstStep & { readonly login: string }) | undefined> {
    const [text = '', signature = ''] = token.split('.');
    const parsed = tokenShape.safeParse(parsedJson(Buffer.from(text, 'base64url').toString()));
    if (!parsed.success || parsed.data.endsAt < clock().getTime()) return undefined;
    const { userId, remember } = parsed.data;
    const account = await write
      .from('host.users')
      .where({ user_id: userId, disabled: false })
      .first<{ login: string; passwordHash: string } | undefined>({
        login: 'login',
        passwordHash: 'password_hash',
      });
    if (account === undefined) return undefined;
    const [expected, given] = [sign(text, account.passwordHash), Buffer.from(signature, 'base64url')];
    const isValid = expected.length === given.length && timingSafeEqual(expected, given);
    return isValid ? { ...account, userId, remember } : undefined;
  }

  async function check({ token, code, address, requestId }: CodeAttempt): Promise<StepOutcome> {
    const first = await read(token);
    if (first === undefined) return { kind: 'expired' };
    const { userId, passwordHash, remember, login } = first;
    const checked = await checkCode(userId, code);
    if (checked.kind === 'too-many') return { ...checked, of: 'account' };
    if (checked.kind === 'wrong') {
      log.warn({ requestId, address, login }, 'A second factor was refused.');
      return checked;
    }
    if (checked.was === 'recovery code') log.warn({ requestId, address, login }, 'A recovery code was used.');
    return { kind: 'user', userId, passwordHash, remember };
  }

  return {
    async begin({ userId, passwordHash, remember }) {
      if ((await findSecondFactor(write, userId)) === undefined) return undefined;
      const endsAt = clock().getTime() + TOKEN_MS;
      const text = Buffer.from(JSON.stringify({ userId, remember, endsAt })).toString('base64url');
      return `${text}.${sign(text, passwordHash).toString('base64url')}`;
    },
    finish: (attempt) => guardLogin(addresses, 'address', attempt.address, () => check(attempt)),
  };
}

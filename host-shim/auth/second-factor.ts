// A second factor: time-based one-time passwords (TOTP, RFC 6238), and recovery codes for when the device is lost.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { Secret, TOTP } from 'otpauth';
import type { Clock } from '../extension-api';
import type { CountTools } from '../rate-limit/window-counts';
import type { RandomBytes } from './application-password';
import { createLoginGuard, guarded, type LoginGuardOptions } from './login-guard';

/** There are a million codes, three of which are valid at a time. */
export const SECOND_FACTOR_GUARD: LoginGuardOptions = { failures: 10, windowSeconds: 3600 };

/** The number of 30-second steps by which a device's clock may be off. */
const SKEW = 1;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;
const SECRET_BYTES = 20;

const SECRET = /^[A-Z2-7]{32}$/;
const CODE = /^\d{6}$/;
const RECOVERY_CODE = /^[a-z2-7]{16}$/;

interface Factor {
  readonly createdAt: Date;
  readonly recoveryCodes: number;
}

const factors = (write: Knex) => write.withSchema('host').from('second_factor');
const recoveryCodes = (write: Knex) => write.withSchema('host').from('recovery_code');

export async function findSecondFactor(write: Knex, userId: number): Promise<Factor | undefined> {
  const found = await factors(write).where('user_id', userId).first<{ created_at: Date } | undefined>();
  if (found === undefined) return undefined;
  const codes = await recoveryCodes(write).where('user_id', userId).pluck('code_hash');
  return { createdAt: found.created_at, recoveryCodes: codes.length };
}

const base32 = (bytes: Uint8Array): string => new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;

export const generateFactorSecret = (randomBytes: RandomBytes): string => base32(randomBytes(SECRET_BYTES));

/** Checks a secret that a form sends back. */
export const isFactorSecret = (text: string): boolean => SECRET.test(text);

/** The address in the QR code, including the names that the app shows. */
export const factorAddress = (secret: string, issuer: string, label: string): string =>
  new TOTP({ issuer, label, secret: Secret.fromBase32(secret) }).toString();

/** Apps show codes in groups, and people type recovery codes with hyphens. */
const cleaned = (typed: string): string => typed.replace(/[\s-]/g, '').toLowerCase();

/** Returns the time step of a code; undefined if the code is wrong. */
function stepOf(secret: string, code: string, now: Date): number | undefined {
  if (!CODE.test(code)) return undefined;
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code, timestamp, window: SKEW });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('base64url');

interface FactorTools {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** Call this in a transaction. Returns the recovery codes, or the reason why the factor was not added. */
export async function setSecondFactor(
  trx: Knex,
  { userId, secret, typed }: { readonly userId: number; readonly secret: string; readonly typed: string },
  { clock, randomBytes }: FactorTools,
): Promise<readonly string[] | 'wrong-code' | 'has-one'> {
  const step = stepOf(secret, cleaned(typed), clock());
  if (step === undefined) return 'wrong-code';
  // Logins lock the account too, so a login that was not asked for a code cannot open a session afterwards.
  await trx('host.users').where('user_id', userId).forNoKeyUpdate().select('user_id');
  const added = await factors(trx)
    .insert({ user_id: userId, secret, used_step: step, created_at: clock() })
    .onConflict('user_id')
    .ignore()
    .returning('user_id');
  return added.length === 0 ? 'has-one' : replaceRecoveryCodes(trx, userId, randomBytes);
}

/** Call this in a transaction. The account must have a second factor. */
export async function replaceRecoveryCodes(
  trx: Knex,
  userId: number,
  randomBytes: RandomBytes,
): Promise<readonly string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    base32(randomBytes(RECOVERY_BYTES)).toLowerCase(),
  );
  await recoveryCodes(trx).where('user_id', userId).delete();
  await recoveryCodes(trx).insert(codes.map((code) => ({ user_id: userId, code_hash: hashOf(code) })));
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join('-'));
}

/** Returns whether the account had a second factor. */
export async function removeSecondFactor(write: Knex, userId: number): Promise<boolean> {
  return (await factors(write).where('user_id', userId).delete()) > 0;
}

/** Accepts each code only once, even if logins are concurrent. Returns its kind; undefined if it is not accepted. */
export async function useCode(
  write: Knex,
  userId: number,
  typed: string,
  now: Date,
): Promise<'code' | 'recovery code' | undefined> {
  const code = cleaned(typed);
  if (RECOVERY_CODE.test(code)) {
    const found = { user_id: userId, code_hash: hashOf(code) };
    return (await recoveryCodes(write).where(found).delete()) > 0 ? 'recovery code' : undefined;
  }
  const [secret] = await factors(write).where('user_id', userId).pluck<string[]>('secret');
  const step = secret === undefined ? undefined : stepOf(secret, code, now);
  if (step === undefined) return undefined;
  const used = await factors(write)
    .where({ user_id: userId, secret })
    .where('used_step', '<', step)
    .update({ used_step: step });
  return used > 0 ? 'code' : undefined;
}

type CodeOutcome =
  | { readonly kind: 'accepted'; readonly was: 'code' | 'recovery code' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number };

/**
 * Returns a function that accepts codes, and counts wrong ones per account. Recovery codes have too many bits to be guessed, so
 * wrong ones are not counted, and a lockout does not affect them.
 */
export function createCodeCheck(tools: CountTools) {
  const guard = createLoginGuard('second factor', SECOND_FACTOR_GUARD, tools);
  return async (userId: number, typed: string): Promise<CodeOutcome> => {
    const work = async (): Promise<CodeOutcome> => {
      const was = await useCode(tools.write, userId, typed, tools.clock());
      return was === undefined ? { kind: 'wrong' } : { kind: 'accepted', was };
    };
    if (RECOVERY_CODE.test(cleaned(typed))) return work();
    return guarded(guard, `account ${userId}`, {
      work,
      isFailure: ({ kind }) => kind === 'wrong',
      lockedOut: (retryAfterSeconds) => ({ kind: 'too-many', retryAfterSeconds }) as const,
    });
  };
}

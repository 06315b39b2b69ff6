// Login passwords, hashed with scrypt. They are for the pages; REST accepts only application passwords.
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { generateSecret, type RandomBytes } from './application-password';

export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const COST: ScryptCost = { N: 2 ** 15, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const STORED = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

export const MIN_LOGIN_PASSWORD_LENGTH = 8;
export const MAX_LOGIN_PASSWORD_LENGTH = 1024;

function derive(password: string, salt: Buffer, size: number, cost: ScryptCost): Promise<Buffer> {
  const options: ScryptOptions = { ...cost, maxmem: 256 * cost.N * cost.r };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, size, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** The stored form, `scrypt$N$r$p$salt$hash`, includes the cost parameters, because they may be raised later. */
export async function hashLoginPassword(
  password: string,
  randomBytes: RandomBytes,
  cost = COST,
): Promise<string> {
  const salt = Buffer.from(randomBytes(SALT_BYTES));
  const key = await derive(password, salt, HASH_BYTES, cost);
  return storedForm(salt, key, cost);
}

const storedForm = (salt: Buffer, key: Buffer, { N, r, p }: ScryptCost): string =>
  ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$');

/** A hash that no password matches, so that the check for an unknown account takes as long as any other. */
export function unmatchedLoginPassword(randomBytes: RandomBytes): string {
  return storedForm(Buffer.from(randomBytes(SALT_BYTES)), Buffer.from(randomBytes(HASH_BYTES)), COST);
}

/** Throws if the stored form is invalid. Only part of an overlong password is hashed. */
export async function checkLoginPassword(typed: string, stored: string): Promise<boolean> {
  const [, n, r, p, salt, hash] = STORED.exec(stored) ?? [];
  if (salt === undefined || hash === undefined)
    throw new Error('The stored login password has an unknown format.');
  const expected = Buffer.from(hash, 'base64url');
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const password = typed.slice(0, MAX_LOGIN_PASSWORD_LENGTH);
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, cost);
  return timingSafeEqual(actual, expected) && typed.length <= MAX_LOGIN_PASSWORD_LENGTH;
}

export function generateLoginPassword(randomBytes: RandomBytes): string {
  return generateSecret(randomBytes).slice(0, 20);
}

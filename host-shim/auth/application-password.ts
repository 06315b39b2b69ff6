// The secret of an application password: made, shown and hashed exactly as WordPress does since 6.8,
// so that people can move in with the passwords that they have. Letter case counts; spaces never do.
import { timingSafeEqual } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 24;
const PREFIX = '$generic$';
const KEY = new TextEncoder().encode('wp_fast_hash_6.8+');
/** The greatest multiple of the alphabet's size below 256: bytes from here on would favour some letters. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/** Gives `size` random bytes of cryptographic quality (node:crypto's randomBytes). */
export type RandomBytes = (size: number) => Uint8Array;

/** A new secret of 24 letters and digits. */
export function makeSecret(randomBytes: RandomBytes): string {
  let secret = '';
  while (secret.length < LENGTH) {
    for (const byte of randomBytes(LENGTH * 2)) {
      if (byte < FAIR_BYTES && secret.length < LENGTH) secret += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return secret;
}

/** The secret as a person is shown it: six groups of four. */
export function showSecret(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}

/** What is left of a typed secret once everything but letters and digits is dropped. */
export function cleanSecret(typed: string): string {
  return typed.replace(/[^A-Za-z0-9]/g, '');
}

/** The stored form. A fast hash is enough: the secret itself holds 143 random bits. */
export function hashSecret(secret: string): string {
  const digest = blake2b(new TextEncoder().encode(secret), { key: KEY, dkLen: 30 });
  return PREFIX + Buffer.from(digest).toString('base64url');
}

/** Compares two stored forms without telling by its time where they differ. */
export function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

// The secret of an application password, generated, shown and hashed exactly like WordPress since 6.8, so that people can
// bring theirs along. Letter case matters; spaces do not.
import { timingSafeEqual } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 24;
const PREFIX = '$generic$';
const KEY = new TextEncoder().encode('wp_fast_hash_6.8+');
/** The largest multiple of the alphabet's size below 256; bytes from here on would favour some letters. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/** `size` random bytes of cryptographic quality, like node:crypto's randomBytes. */
export type RandomBytes = (size: number) => Uint8Array;

/** A new secret of 24 letters and digits. */
export function generateSecret(randomBytes: RandomBytes): string {
  let secret = '';
  while (secret.length < LENGTH) {
    for (const byte of randomBytes(LENGTH * 2)) {
      if (byte < FAIR_BYTES && secret.length < LENGTH) secret += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return secret;
}

/** The secret as it is shown to a person: six groups of four. */
export function showSecret(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}

/** A typed secret without everything but letters and digits. */
export function cleanSecret(typed: string): string {
  return typed.replace(/[^A-Za-z0-9]/g, '');
}

/** The stored form. A fast hash is enough for 143 random bits. */
export function hashSecret(secret: string): string {
  const digest = blake2b(new TextEncoder().encode(secret), { key: KEY, dkLen: 30 });
  return PREFIX + Buffer.from(digest).toString('base64url');
}

/** Compares two stored forms in constant time. */
export function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

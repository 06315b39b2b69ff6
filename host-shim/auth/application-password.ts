// Generates and hashes secrets exactly as WordPress 6.8 does, so that existing ones can be imported. Case matters; spaces do not.
import { timingSafeEqual } from 'node:crypto';
import { blake2b } from '@noble/hashes/blake2';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const LENGTH = 24;
const PREFIX = '$generic$';
const KEY = new TextEncoder().encode('wp_fast_hash_6.8+');
/** Bytes greater than or equal to this are discarded, because they would make some characters more likely. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

export type RandomBytes = (size: number) => Uint8Array;

export function generateSecret(randomBytes: RandomBytes): string {
  let secret = '';
  while (secret.length < LENGTH) {
    for (const byte of randomBytes(LENGTH * 2)) {
      if (byte < FAIR_BYTES && secret.length < LENGTH) secret += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return secret;
}

/** Six groups of four characters. */
export function showSecret(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(' ');
}

export function cleanSecret(typed: string): string {
  return typed.replace(/[^A-Za-z0-9]/g, '');
}

/** Returns the hash to store. A fast hash is enough for 143 random bits. */
export function hashSecret(secret: string): string {
  const digest = blake2b(new TextEncoder().encode(secret), { key: KEY, dkLen: 30 });
  return PREFIX + Buffer.from(digest).toString('base64url');
}

/** Compares stored hashes in constant time. */
export function sameHash(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

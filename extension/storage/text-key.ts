// Owns the key under which a dimension finds the texts of an entry, whatever their length.
// Texts in -> the first 16 bytes of a SHA-256 as hexadecimal digits, which PostgreSQL reads as a uuid.
import { createHash } from 'node:crypto';

/** The key of the texts that one id stands for; null and '' are different texts. */
export function textKey(texts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}

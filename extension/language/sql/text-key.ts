// The hash by which a dimension table finds the texts of a row, whatever their length.
import { createHash } from 'node:crypto';

/** The key of the texts that one id stands for; null and '' are different texts. */
export function textKey(texts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}

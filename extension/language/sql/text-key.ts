// The hash by which a dimension table finds texts of any length.
import { createHash } from 'node:crypto';

/** The key of the texts of one id; null and '' are different texts. */
export function textKey(texts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}

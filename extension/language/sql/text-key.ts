import { createHash } from 'node:crypto';

/** The hash that finds the texts of an id, of any length, in a dimension table. null and '' have different keys. */
export function textKey(texts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}

import { createHash } from 'node:crypto';

/** The hash for finding texts of any length in a dimension table. null and '' have different hashes. */
export function textKey(texts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}

import { hash } from 'node:crypto';

/** The hash for finding text values of any length in a dimension table. null and '' have different hashes. */
export function textKey(texts: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(texts), 'hex').slice(0, 32);
}

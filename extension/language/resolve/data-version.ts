// What a client holds against later answers to see whether the data have changed.
import { createHash } from 'node:crypto';
import { queryError } from '../errors/query-error';
import type { SiteState } from '../types/resolved-query';

/** A short text that differs for other sites, and for other data of the same sites. */
export const dataVersionOf = (states: readonly SiteState[]): string =>
  createHash('sha256')
    .update(JSON.stringify(states.map(({ siteId, version }) => [siteId, version])))
    .digest('base64url')
    .slice(0, 22);

/** Throws E_DATA_CHANGED unless the data of these sites are those of an earlier page; null: there was none. */
export function checkDataVersion(received: string | null, states: readonly SiteState[]): void {
  const current = dataVersionOf(states);
  if (received === null || received === current) return;
  throw queryError('E_DATA_CHANGED', 'result.data_version', { received, current });
}

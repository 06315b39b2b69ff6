import { createHash } from 'node:crypto';
import { queryError } from '../errors/query-error';
import type { SiteState } from '../types/resolved-query';

/** A short hash of the sites and their versions. It shows clients whether the data changed between two answers. */
export const dataVersionOf = (states: readonly SiteState[]): string =>
  createHash('sha256')
    .update(JSON.stringify(states.map(({ siteId, version }) => [siteId, version])))
    .digest('base64url')
    .slice(0, 22);

/** Throws if the data have changed since the page with version `received`. Null skips the check. */
export function checkDataVersion(received: string | null, states: readonly SiteState[]): void {
  const current = dataVersionOf(states);
  if (received === null || received === current) return;
  throw queryError('E_DATA_CHANGED', 'result.data_version', { received, current });
}

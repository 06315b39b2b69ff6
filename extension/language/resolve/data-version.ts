import { createHash } from 'node:crypto';
import { queryError } from '../errors/query-error';
import type { QueriedSites, SiteState } from '../types/resolved-query';

/** A short hash of the sites and their versions. It shows clients whether the data changed between two results. */
export const dataVersionOf = (states: readonly SiteState[]): string =>
  createHash('sha256')
    .update(JSON.stringify(states.map(({ siteId, version }) => [siteId, version])))
    .digest('base64url')
    .slice(0, 22);

/** Throws if `received` is not a data version of these sites. Null skips the check. */
export function checkDataVersion(
  received: string | null,
  { states, earlier }: Pick<QueriedSites, 'states' | 'earlier'>,
): void {
  if (received === null || received === dataVersionOf(states)) return;
  if (earlier === undefined || received !== dataVersionOf(earlier)) throw dataChanged(received, states);
}

export const dataChanged = (received: string | null, states: readonly SiteState[]): Error =>
  queryError('E_DATA_CHANGED', 'result.data_version', { received, current: dataVersionOf(states) });

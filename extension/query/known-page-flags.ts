// Remembers which flags the pages of a site have, by data version.
import { LRUCache } from 'lru-cache';
import { type PageFlags, pageFlags } from '../data/storage/page-flags';
import type { SiteState } from '../language/types/resolved-query';
import type { ScopeContext } from './load-scope';

/** A version is never reused, so entries stay valid. */
const known = new LRUCache<string, PageFlags>({ max: 10_000 });

/** Returns the flags by site, omitting sites whose pages took too long to read. */
export async function knownPageFlags(
  states: readonly SiteState[],
  { database, manifest, signal }: Pick<ScopeContext, 'database' | 'manifest' | 'signal'>,
): Promise<ReadonlyMap<number, PageFlags>> {
  const unknown = states.filter(({ version }) => !known.has(version));
  if (unknown.length > 0) {
    const siteIds = unknown.map(({ siteId }) => siteId);
    const found = await pageFlags(database, siteIds, manifest, signal);
    for (const { siteId, version } of unknown) known.set(version, found.get(siteId));
  }
  return new Map(
    states.flatMap(({ siteId, version }) => {
      const flags = known.get(version);
      return flags === undefined ? [] : [[siteId, flags] as const];
    }),
  );
}

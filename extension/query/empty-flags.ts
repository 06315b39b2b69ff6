// Remembers which flags no page of a site has, by the version of its data.
import { LRUCache } from 'lru-cache';
import { flagsWithoutPages } from '../data/storage/flags-without-pages';
import type { SiteState } from '../language/types/resolved-query';
import type { ScopeContext } from './load-scope';

/** A version never comes again, so an entry never becomes wrong. */
const known = new LRUCache<string, ReadonlySet<string>>({ max: 1_000 });

export async function emptyFlags(
  { siteId, version }: SiteState,
  { database, manifest, signal }: Pick<ScopeContext, 'database' | 'manifest' | 'signal'>,
): Promise<ReadonlySet<string>> {
  const remembered = known.get(version);
  if (remembered !== undefined) return remembered;
  const found = (await flagsWithoutPages(database, [siteId], manifest, signal)).get(siteId);
  const flags = new Set(found);
  if (found !== undefined) known.set(version, flags);
  return flags;
}

// Caches results: an identical query over unchanged data is answered without running its statement. The least recently used results are
// evicted.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Answer, AnsweredResult, HeldRows, KeptRows } from '../../language/types/query-result';
import type { ResolvedQuery } from '../../language/types/resolved-query';
import type { QueryContext } from '../query-context';

export type HeldResult = AnsweredResult<HeldRows>;

/** The caller must release the rows. */
export type KeptResult = AnsweredResult<KeptRows> & Pick<Answer<KeptRows>, 'cached'>;

export interface CacheUse {
  readonly results: number;
  readonly bytes: number;
  readonly mostBytes: number;
  readonly asked: number;
  readonly found: number;
}

type Work = (signal: AbortSignal) => Promise<HeldResult>;

export interface ResultCache {
  /** The cached result of an identical query, or else that of `work`, which waits in the context's queue. */
  resultOf(
    query: ResolvedQuery,
    context: Pick<QueryContext, 'alwaysCount' | 'signal' | 'queue'>,
    work: Work,
  ): Promise<KeptResult>;
  use(): CacheUse;
}

/** A result larger than this fraction of the cache is not cached, because it would evict too many others. */
const LARGEST_PART = 8;

export const createResultCache = (mostBytes: number): ResultCache =>
  mostBytes === 0 ? NO_CACHE : cacheResults(mostBytes);

export const NO_CACHE: ResultCache = {
  async resultOf(_query, { queue, signal }, work) {
    return { ...(await queue.share(undefined, signal, work)), cached: false };
  },
  use: () => ({ results: 0, bytes: 0, mostBytes: 0, asked: 0, found: 0 }),
};

// Why no result is stale:
// - Every transaction that changes what a query of a site can see also changes the site's data version, a random token that is never
//   reused, not even after a rollback, restore, crash or failover. Values that all sites share (browsers, countries ...) may be
//   committed earlier, but no query sees them before a row of its site refers to them. Columns and materials are checked by
//   earlier phases, which run for every query.
// - A query reads the versions of its sites before it runs its statement. So its result includes all changes up to the versions in
//   its key, and possibly later ones.
// - A later query reads the versions too. If they are the same, no change is missing from the cached result.
// - The key contains the ids of the sites, so users who see different sites under `all` have different keys.
// - Errors are never cached.
// Identical queries at the same time share one statement, which is a job in the queue. A query may join after it has started.
// Both have read the same versions, so no change that was committed in between is missing.
function cacheResults(mostBytes: number): ResultCache {
  const largest = Math.floor(mostBytes / LARGEST_PART);
  const cache = new LRUCache<string, HeldResult>({
    maxSize: mostBytes,
    sizeCalculation: resultBytes,
    dispose: ({ rows }) => rows.release(),
  });
  let asked = 0;
  let found = 0;

  return {
    async resultOf(query, context, work) {
      const key = resultKey(query, context);
      asked += 1;
      const known = cache.get(key);
      if (known !== undefined && !known.rows.isGone) {
        found += 1;
        known.rows.hold();
        return { ...known, cached: true };
      }
      const result = await context.queue.share(key, context.signal, async (ending) => {
        const worked = await work(ending);
        if (resultBytes(worked) <= largest) {
          worked.rows.hold();
          cache.set(key, worked);
        }
        // Subscribers hold the rows before this runs.
        setImmediate(() => worked.rows.release());
        return worked;
      });
      result.rows.hold();
      return { ...result, cached: false };
    },
    use: () => ({ results: cache.size, bytes: cache.calculatedSize, mostBytes, asked, found }),
  };
}

const ENTRY = 512;

const resultBytes = ({ view, columns, rows }: HeldResult): number =>
  columns.reduce((sum, { name }) => sum + 2 * name.length, ENTRY + 2 * view.length) + rows.bytes;

/**
 * A digest of everything that affects the result, including the versions of the sites. Contracts affect it only through the resolved
 * query, so identical queries under different contracts share a key.
 */
function resultKey(
  { scope, use, ...asked }: ResolvedQuery,
  { alwaysCount }: Pick<QueryContext, 'alwaysCount'>,
): string {
  const { trackingId, all, states } = scope;
  const sites = states.map(({ siteId, version }) => [siteId, version]);
  const text = JSON.stringify([trackingId, all, sites, use.name, alwaysCount, asked]);
  return createHash('sha256').update(text).digest('base64url');
}

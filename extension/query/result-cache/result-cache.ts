// Caches results: an identical query is answered without running its statement if no change since then affects its result. The
// least recently used results are evicted.

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { versionsOf } from '../../data/storage/sites/site-states';
import type { CountOptions } from '../../language/plan/lower-query';
import type { Answer, AnsweredResult, HeldRows, KeptRows } from '../../language/types/query-result';
import type { ResolvedQuery, SiteState } from '../../language/types/resolved-query';
import type { Steps } from '../../language/types/steps';
import { inTurns } from '../in-turns';
import type { QueryContext } from '../query-context';

export type HeldResult = AnsweredResult<HeldRows>;

/** The caller must release the rows. */
export type KeptResult = AnsweredResult<KeptRows> & Pick<Answer<KeptRows>, 'cached'>;

export interface CacheUse {
  readonly results: number;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly requested: number;
  readonly found: number;
}

interface CacheContext extends Pick<QueryContext, 'alwaysCount' | 'signal' | 'queue'> {
  /** Whether a result for earlier versions of the sites is also correct for the query's versions. */
  isUnaffected?(before: readonly SiteState[]): Promise<boolean>;
}

interface Entry {
  readonly result: HeldResult;
  /** The newest versions for which the result is known to be correct. */
  states: readonly SiteState[];
}

type Work = (signal: AbortSignal) => Promise<HeldResult>;

export interface ResultCache {
  /** The cached result of an identical query, or else the result of `work`, which waits in the context's queue. */
  resultOf(query: ResolvedQuery, context: CacheContext, work: Work): Promise<KeptResult>;
  use(): CacheUse;
}

/** Results larger than 1/LARGEST_PART of the cache are not cached, because they would evict too many others. */
const LARGEST_PART = 8;

export const createResultCache = (maxBytes: number): ResultCache =>
  maxBytes === 0 ? NO_CACHE : cacheResults(maxBytes);

export const NO_CACHE: ResultCache = {
  async resultOf(_query, { queue, signal }, work) {
    return { ...(await queue.share(undefined, signal, work)), cached: false };
  },
  use: () => ({ results: 0, bytes: 0, maxBytes: 0, requested: 0, found: 0 }),
};

// Why no result is stale:
// - Every transaction that changes what a query on a site can see also changes the site's data version: a random token that is
//   never reused, not even after a rollback, restore, crash or failover. Values that all sites share (browsers, countries ...) may
//   be committed earlier, but no query sees them before a row of its site refers to them. Columns and materials are checked by
//   earlier phases, which run for every query.
// - A query reads the versions of its sites before it runs its statement. So its result includes all changes up to the versions in
//   its key, and possibly later ones.
// - A later query also reads the versions. If they are the same, no change is missing from the cached result. If they are later
//   versions in the same history, the changes in between are examined: none may affect a day or a dimension that the query reads.
// - The key contains the ids of the sites, so users who see different sites under `all` have different keys.
// - Errors are never cached.
// Concurrent identical queries share one statement, which is a job in the queue. A query may join a job that is already running.
// All of them have read the same versions, so no change that was committed in between is missing.
function cacheResults(maxBytes: number): ResultCache {
  const largest = Math.floor(maxBytes / LARGEST_PART);
  const cache = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ result }) => resultBytes(result),
    dispose: ({ result }) => result.rows.release(),
  });
  let requested = 0;
  let found = 0;

  /** The entry for these versions, with a hold on its rows. */
  async function heldEntry(
    key: string,
    states: readonly SiteState[],
    { isUnaffected }: CacheContext,
  ): Promise<Entry | undefined> {
    const entry = cache.get(key);
    if (entry === undefined) return undefined;
    if (versionsOf(entry.states) !== versionsOf(states)) {
      if ((await isUnaffected?.(entry.states)) !== true || cache.peek(key) !== entry) return undefined;
      entry.states = states;
    }
    // From here on, nothing else runs before the caller has the rows.
    if (entry.result.rows.isGone) return undefined;
    entry.result.rows.hold();
    return entry;
  }

  return {
    async resultOf(query, context, work) {
      const key = await inTurns(resultKey(query, context));
      const { states } = query.scope;
      requested += 1;
      const known = await heldEntry(key, states, context);
      if (known !== undefined) {
        found += 1;
        return { ...known.result, cached: true };
      }
      const result = await context.queue.share(key + versionsOf(states), context.signal, async (ending) => {
        const worked = await work(ending);
        if (resultBytes(worked) <= largest) {
          worked.rows.hold();
          cache.set(key, { result: worked, states });
        }
        // Subscribers hold the rows before this runs.
        setImmediate(() => worked.rows.release());
        return worked;
      });
      result.rows.hold();
      return { ...result, cached: false };
    },
    use: () => ({ results: cache.size, bytes: cache.calculatedSize, maxBytes, requested, found }),
  };
}

const ENTRY_BYTES = 512;

const resultBytes = ({ view, columns, rows }: HeldResult): number =>
  columns.reduce((sum, { name }) => sum + 2 * name.length, ENTRY_BYTES + 2 * view.length) + rows.bytes;

/**
 * A digest of everything that affects the result, except the versions of the sites. Contracts affect it only through the resolved
 * query, so identical queries under different contracts share a key.
 */
export function* resultKey(
  { scope, use, views, ...requested }: ResolvedQuery,
  { alwaysCount }: Pick<CountOptions, 'alwaysCount'>,
): Steps<string> {
  const { trackingId, all, siteIds } = scope;
  const hash = createHash('sha256');
  const add = (part: unknown) => hash.update(JSON.stringify(part));
  add([trackingId, all, siteIds, use.name, alwaysCount, requested]);
  for (const { calc, ...view } of views) {
    add([view, calc?.length]);
    for (const one of calc ?? []) {
      add(one);
      yield;
    }
    yield;
  }
  return hash.digest('base64url');
}

// Owns the results that are kept: an equal query over unchanged data is answered without running its statement.
// Resolved query + the work for it -> its result, and whether it was kept. Bounded in bytes; what was not asked longest goes first.
import { LRUCache } from 'lru-cache';
import type { QueryContext } from '../qal/types/query-context';
import type { QueryResult } from '../qal/types/query-result';
import type { ResolvedQuery } from '../qal/types/resolved-query';
import { resultBytes } from './result-bytes';
import { resultKey } from './result-key';
import { sharedWork } from './shared-work';

/** A result, and whether it was there before the query came. */
export interface GivenResult extends QueryResult {
  readonly cached: boolean;
}

export interface CacheUse {
  readonly results: number;
  /** At most `mostBytes`. */
  readonly bytes: number;
  readonly mostBytes: number;
  /** Queries that were answered, and those of them with a result that was kept. */
  readonly asked: number;
  readonly found: number;
}

type Work = (signal: AbortSignal) => Promise<QueryResult>;

export interface ResultCache {
  /** The result that is kept of an equal query; otherwise that of `work`, which is kept for the next. */
  resultOf(
    query: ResolvedQuery,
    context: Pick<QueryContext, 'alwaysCount' | 'rollups' | 'signal'>,
    work: Work,
  ): Promise<GivenResult>;
  use(): CacheUse;
}

/** Larger parts of the whole are not kept: one answer should not push out all others. */
const LARGEST_PART = 8;

/** A cache of so many bytes; 0: every query is worked out by itself, and nothing is kept. */
export const createResultCache = (mostBytes: number): ResultCache =>
  mostBytes === 0 ? NOTHING_KEPT : keepResults(mostBytes);

/** For those who want every query run. */
export const NOTHING_KEPT: ResultCache = {
  async resultOf(_query, { signal }, work) {
    return { ...(await work(signal)), cached: false };
  },
  use: () => ({ results: 0, bytes: 0, mostBytes: 0, asked: 0, found: 0 }),
};

// Why nobody can be given a stale result:
// - Every transaction that changes what a query of a site can see raises the site's data_version in the same transaction:
//   rows, dimensions, conversions and observed events with an import, goals, and the site's own fields. Versions never
//   come back: a transaction that is rolled back has shown its version to nobody. Texts that all sites share (browsers,
//   countries ...) may be committed earlier, but no query sees one before a row of its site refers to it. What is kept
//   beside rows to be read instead of them gives the same results, and which columns and materials there are is decided
//   before, by phases that run for every query.
// - A query first reads the versions of its sites, then runs its statement. The statement sees every change up to those
//   versions, for they were committed before, and maybe later ones. So a result is as new as its key says, or newer.
// - Whoever comes later reads the versions too. While they are the same nothing was committed in between that the kept
//   result lacks; a result that is newer than its key is one that this query, whose statement would run after it, could
//   have got itself. Once they are others the key is another, and nobody asks for the old one again.
// - The sites stand in the key by their numbers: who may see others, or no longer the same under `all`, has another key.
// - Errors, statements that ran out of time and those that were cancelled are never kept.
// Equal queries at the same time wait for one statement. It may have begun before a query that joins it: but that query
// read the same versions, so nothing was committed in between that the statement could lack.
function keepResults(mostBytes: number): ResultCache {
  const kept = new LRUCache<string, QueryResult>({
    maxSize: mostBytes,
    maxEntrySize: Math.floor(mostBytes / LARGEST_PART),
    sizeCalculation: resultBytes,
  });
  const running = sharedWork<QueryResult>();
  let asked = 0;
  let found = 0;

  return {
    async resultOf(query, { alwaysCount, rollups, signal }, work) {
      const key = resultKey(query, { alwaysCount });
      asked += 1;
      const known = kept.get(key);
      if (known !== undefined) {
        found += 1;
        return { ...known, cached: true };
      }
      // A statement that reads kept counts can fail where one that reads rows cannot: they are not waited for as one.
      const result = await running.join(`${key} ${rollups}`, signal, async (ending) => {
        const worked = await work(ending);
        kept.set(key, worked);
        return worked;
      });
      return { ...result, cached: false };
    },
    use: () => ({ results: kept.size, bytes: kept.calculatedSize, mostBytes, asked, found }),
  };
}

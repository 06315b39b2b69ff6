// Caches results: an equal query over unchanged data is answered without running its statement.
// Bounded in bytes; the least recently asked result goes first.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Answer, AnsweredResult, HeldRows, KeptRows } from '../../language/types/query-result';
import type { ResolvedQuery } from '../../language/types/resolved-query';
import type { QueryContext } from '../query-context';

/** A result whose rows several answers may share. */
export type HeldResult = AnsweredResult<HeldRows>;

/** The caller releases its rows. */
export type KeptResult = AnsweredResult<KeptRows> & Pick<Answer<KeptRows>, 'cached'>;

export interface CacheUse {
  readonly results: number;
  /** At most `mostBytes`. */
  readonly bytes: number;
  readonly mostBytes: number;
  /** Answered queries, and those of them that got a cached result. */
  readonly asked: number;
  readonly found: number;
}

type Work = (signal: AbortSignal) => Promise<HeldResult>;

export interface ResultCache {
  /**
   * The cached result of an equal query, or else the result of `work`, which is cached. It waits in the queue of the
   * context, and rejects as that and `work` do.
   */
  resultOf(
    query: ResolvedQuery,
    context: Pick<QueryContext, 'alwaysCount' | 'signal' | 'queue'>,
    work: Work,
  ): Promise<KeptResult>;
  use(): CacheUse;
}

/** A result larger than this part of the cache is not cached: it would push out all others. */
const LARGEST_PART = 8;

/** A cache of up to `mostBytes`; with 0 every query is run. */
export const createResultCache = (mostBytes: number): ResultCache =>
  mostBytes === 0 ? NO_CACHE : cacheResults(mostBytes);

/** Runs every query. */
export const NO_CACHE: ResultCache = {
  async resultOf(_query, { queue, signal }, work) {
    return { ...(await queue.share(undefined, signal, work)), cached: false };
  },
  use: () => ({ results: 0, bytes: 0, mostBytes: 0, asked: 0, found: 0 }),
};

// Why no result is stale:
// - Every transaction that changes what a query of a site can see also raises the site's data_version: rows, dimensions,
//   conversions and observed events of an import, goals, and the site's own fields. Versions never come back, since they are
//   random: not after a rollback, a restore, a crash or a failover. Texts that all sites share (browsers, countries ...) may be
//   committed earlier, but no query sees one before a row of its site refers to it. Columns and
//   materials are checked before, by phases that run for every query.
// - A query first reads the versions of its sites, then runs its statement. So the statement sees every change up to those
//   versions, and perhaps later ones (the column copy answers for exactly those): a result is as new as its key says, or
//   newer.
// - A later query reads the versions too. While they are the same, the cached result lacks no change; where it is newer than
//   its key, the later query could have got it itself. Once they differ the key is another one.
// - The key has the ids of the sites: users who may see different sites under `all` have different keys.
// - Errors are never cached, nor statements that timed out or were cancelled.
// Equal queries at the same time share one statement, which is a job of the queue. It may have started before a query that joins
// it; but both read the same versions, so the statement lacks no change that was committed in between.
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
        // Subscribers resume, and hold the rows, before the next turn of the event loop.
        setImmediate(() => worked.rows.release());
        return worked;
      });
      result.rows.hold();
      return { ...result, cached: false };
    },
    use: () => ({ results: cache.size, bytes: cache.calculatedSize, mostBytes, asked, found }),
  };
}

/** Bytes of the result object, its key, and the cache's entry for both. */
const ENTRY = 512;

/** The bytes of a cached result: its rows are text, and all but little of a large one is in a file. */
const resultBytes = ({ view, columns, rows }: HeldResult): number =>
  columns.reduce((sum, { name }) => sum + 2 * name.length, ENTRY + 2 * view.length) + rows.bytes;

/** The options that affect the result besides the query. How the query is planned does not. */
type ResultOptions = Pick<QueryContext, 'alwaysCount'>;

/**
 * A digest of everything that affects the rows: all input of the phases after resolve, with the versions of
 * the sites. A contract shows in the resolved query alone, so equal queries of two contracts share a key.
 */
function resultKey({ scope, use, ...asked }: ResolvedQuery, { alwaysCount }: ResultOptions): string {
  const { trackingId, all, states } = scope;
  const sites = states.map(({ siteId, version }) => [siteId, version]);
  const text = JSON.stringify([trackingId, all, sites, use.name, alwaysCount, asked]);
  return createHash('sha256').update(text).digest('base64url');
}

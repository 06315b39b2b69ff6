// The cache reuses results only for identical queries on unchanged data, and stays within its memory limit.

import type { ResolvedQuery } from '../../../extension/language/types/resolved-query';
import { NO_QUEUE, type UserQueue } from '../../../extension/query/query-context';
import { createQueryQueue } from '../../../extension/query/query-queue';
import {
  createResultCache,
  type HeldResult,
  type ResultCache,
} from '../../../extension/query/result-cache/result-cache';
import { promised, someQuery, someResult } from './some-query';

const MB = 2 ** 20;
const waiting = createQueryQueue<HeldResult>({
  atOnce: 2,
  perUser: 2,
  waiting: 0,
  timeoutMs: 1_000,
  random: Math.random,
});
const context = (changes: object = {}) => ({
  alwaysCount: false,
  queue: {
    ...NO_QUEUE,
    share: async (...[key, signal, work]: Parameters<UserQueue['share']>) =>
      (await waiting.join(key, { user: 1, signal }, work)).result,
  },
  signal: new AbortController().signal,
  ...changes,
});

const ask = (cache: ResultCache, query: ResolvedQuery, result: HeldResult, changes = {}) =>
  cache.resultOf(query, context(changes), async () => result);

const A = someResult(['a']);
const B = someResult(['b']);

test('an identical query gets the cached result', async () => {
  const cache = createResultCache(MB);
  expect(await ask(cache, someQuery(1), A)).toEqual({ ...A, cached: false });
  expect(await ask(cache, someQuery(1), B)).toEqual({ ...A, cached: true });
  expect(cache.use()).toMatchObject({ results: 1, requested: 2, found: 1 });
});

const two = [{ siteId: 1 }, { siteId: 2 }];
const query = someQuery(1);

test.each<[string, ResolvedQuery, object]>([
  ['a different limit', someQuery(2), {}],
  ['different data in its site', someQuery(1, { version: 'second' }), {}],
  ['a different site', someQuery(1, { siteId: 2 }), {}],
  ['an additional site', someQuery(1, ...two), {}],
  ['"all" instead of a site', { ...query, scope: { ...query.scope, all: true } }, {}],
  ['a different tracking id', { ...query, scope: { ...query.scope, trackingId: 'blog' } }, {}],
  ['a different range', { ...query, range: { ...query.range, end: 2 } }, {}],
  ['a different page', { ...query, offset: 1 }, {}],
  ['a different zone', { ...query, range: { ...query.range, zone: 'Etc/GMT' } }, {}],
  [
    'a different time in a view',
    { ...query, views: query.views.map((view) => ({ ...view, range: { ...view.range, end: 2 } })) },
    {},
  ],
  ['a count', { ...query, countOnly: true }, {}],
  ['a different view', { ...query, use: { ...query.use, name: 'w' } }, {}],
  ['alwaysCount', query, { alwaysCount: true }],
])('a query with %s is a different query', async (_what, other, changes) => {
  const cache = createResultCache(MB);
  await ask(cache, query, A);
  expect(await ask(cache, other, B, changes)).toEqual({ ...B, cached: false });
});

test('two sites with swapped versions are treated as different data', async () => {
  const cache = createResultCache(MB);
  const versions = (one: string, other: string) =>
    someQuery(1, { siteId: 1, version: one }, { siteId: 2, version: other });
  await ask(cache, versions('a', 'b'), A);
  expect(await ask(cache, versions('b', 'a'), B)).toEqual({ ...B, cached: false });
});

test('identical queries at the same time are run once, and none is reported as cached', async () => {
  const cache = createResultCache(MB);
  let runs = 0;
  let joined = 0;
  const { promise, resolve } = promised<HeldResult>();
  const { queue } = context();
  const share: UserQueue['share'] = (...request) => {
    joined += 1;
    if (joined === 3) resolve(A);
    return queue.share(...request);
  };
  const answers = [1, 2, 3].map(() =>
    cache.resultOf(query, context({ queue: { ...queue, share } }), () => {
      runs += 1;
      return promise;
    }),
  );
  expect(await Promise.all(answers)).toEqual(answers.map(() => ({ ...A, cached: false })));
  expect(runs).toBe(1);
});

test('a failure is not cached', async () => {
  const cache = createResultCache(MB);
  const failing = cache.resultOf(query, context(), () => Promise.reject(new Error('too slow')));
  await expect(failing).rejects.toThrow('too slow');
  expect(await ask(cache, query, A)).toEqual({ ...A, cached: false });
});

test('the result for a client that has disconnected is not cached', async () => {
  const cache = createResultCache(MB);
  const client = new AbortController();
  const left = cache.resultOf(
    query,
    context({ signal: client.signal }),
    (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
      ),
  );
  client.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(cache.use().results).toBe(0);
  expect(await ask(cache, query, A)).toEqual({ ...A, cached: false });
});

test('without memory, nothing is cached, and every query runs separately', async () => {
  const cache = createResultCache(0);
  await ask(cache, query, A);
  expect(await ask(cache, query, B)).toEqual({ ...B, cached: false });
  expect(cache.use()).toEqual({ results: 0, bytes: 0, maxBytes: 0, requested: 0, found: 0 });
});

describe('memory', () => {
  const wide = (rows: number, length: number) =>
    someResult(...Array.from({ length: rows }, (_, row) => ['x'.repeat(length), row, row / 3, null]));

  // conformance: beyond.results-kept-equal
  test('the results of many different queries stay within the memory limit', async () => {
    const cache = createResultCache(256 * 1024);
    for (let limit = 1; limit <= 2_000; limit += 1) {
      await ask(cache, someQuery(limit), wide(limit % 40, limit % 300));
      expect(cache.use().bytes).toBeLessThanOrEqual(256 * 1024);
    }
    const { results, bytes } = cache.use();
    expect(results).toBeGreaterThan(8);
    expect(bytes).toBeGreaterThan(128 * 1024);
    expect(await ask(cache, someQuery(2_000), B)).toMatchObject({ cached: true });
    expect(await ask(cache, someQuery(1), B)).toMatchObject({ cached: false });
  });

  test('the most recently used results are kept longest', async () => {
    const cache = createResultCache(64 * 1024);
    for (let limit = 1; limit <= 500; limit += 1) {
      await ask(cache, someQuery(limit), wide(3, 100));
      expect(await ask(cache, someQuery(1), B)).toMatchObject({ cached: true });
    }
  });

  test('a result larger than an eighth of the cache is returned but not cached', async () => {
    const cache = createResultCache(64 * 1024);
    await ask(cache, query, A);
    const large = wide(1, 8 * 1024);
    expect(await ask(cache, someQuery(2), large)).toEqual({ ...large, cached: false });
    expect(await ask(cache, someQuery(2), large)).toMatchObject({ cached: false });
    expect(await ask(cache, query, B)).toMatchObject({ cached: true });
  });

  test.each([
    ['a character', wide(1, 1_000), wide(1, 1_001), 1],
    ['a row', wide(10, 10), wide(11, 10), 10 + 4 * 2],
  ])('%s adds to the size of a result', async (_what, less, more, minIncrease) => {
    const bytesOf = async (result: HeldResult) => {
      const cache = createResultCache(MB);
      await ask(cache, query, result);
      return cache.use().bytes;
    };
    expect((await bytesOf(more)) - (await bytesOf(less))).toBeGreaterThanOrEqual(minIncrease);
  });
});

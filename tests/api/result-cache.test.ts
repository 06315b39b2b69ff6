// Cached results over HTTP: how responses and the System page show them, and which users share them.
import { logInAs } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const QUERY = '/wp-json/qa-platform/query';

const site = (tracking_id: string) => ({
  tracking_id,
  domain: `${tracking_id}.example`,
  name: tracking_id,
  timezone: 'UTC',
});

const VIEWS = (tracking_id: string) => ({
  tracking_id,
  materials: [{ name: 'allpv' }],
  time: { start: '2026-11-01T00:00:00', end: '2026-11-02T00:00:00', tz: 'UTC' },
  make: {
    top: { from: ['allpv'], keep: ['allpv.url'], calc: { views: 'COUNT(allpv.pv_id)' } },
  },
  result: { use: 'top' },
});

const view = (pv_id: number, url = '/') => ({ pv_id, url, access_time: '2026-11-01T10:00:00Z' });

const startHost = async (resultCacheMb: number): Promise<TestHost> => {
  const host = await startTestHost({
    sites: [site('shop'), site('blog')],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['blog'] },
      { login: 'eve', role: 'analyst', sites: ['blog'] },
    ],
    settings: { resultCacheMb },
  });
  await host.importRows('allpv', 'shop', [view(1), view(2, '/a')]);
  await host.importRows('allpv', 'blog', [view(1, '/post')]);
  return host;
};

const createAsk =
  (host: TestHost) =>
  async (login: string, body: object, search = '') =>
    (await host.request('POST', QUERY + search, { user: host.credentials(login), body })).body;

describe('with a cache', () => {
  let host: TestHost;
  let ask: ReturnType<typeof createAsk>;
  beforeAll(async () => {
    host = await startHost(1);
    ask = createAsk(host);
  });
  afterAll(() => host.stop());

  // conformance: response.meta-cached-beside
  test('an identical second query gets the same result from the cache', async () => {
    const first = await ask('ann', VIEWS('shop'));
    const second = await ask('ann', { qal: VIEWS('shop') });
    expect(first.meta.cached).toBe(false);
    expect(second).toEqual({
      ...first,
      query_time_ms: expect.any(Number),
      meta: { ...first.meta, cached: true },
    });
  });

  test('after an import of one row, the query runs again', async () => {
    await ask('ann', VIEWS('shop'));
    await host.importRows('allpv', 'shop', [view(3)]);
    const { meta, result } = await ask('ann', VIEWS('shop'));
    expect({ cached: meta.cached, rows: result.rows }).toEqual({
      cached: false,
      rows: [
        ['/', 2],
        ['/a', 1],
      ],
    });
  });

  test('users with the same sites share cached results, and users with different sites do not', async () => {
    const all = VIEWS('all');
    const ann = await ask('ann', all);
    const bob = await ask('bob', all);
    const eve = await ask('eve', all);
    expect(ann.result.rows).toEqual([
      ['/', 2],
      ['/a', 1],
      ['/post', 1],
    ]);
    expect([bob.result.rows, bob.meta.cached]).toEqual([[['/post', 1]], false]);
    expect([eve.result.rows, eve.meta.cached]).toEqual([[['/post', 1]], true]);
    await ask('ann', VIEWS('shop'));
    expect((await ask('bob', VIEWS('shop'))).error.code).toBe('E_UNKNOWN_TRACKING_ID');
  });

  test('the next query includes a newly granted site', async () => {
    const all = VIEWS('all');
    await ask('bob', all);
    const { user_id } = await host.database.write('host.users').where({ login: 'bob' }).first('user_id');
    await host.database.write('host.user_sites').insert({ user_id, tracking_id: 'shop' });
    expect((await ask('bob', all)).result.rows).toContainEqual(['/a', 1]);
    await host.database.write('host.user_sites').where({ user_id, tracking_id: 'shop' }).delete();
    expect((await ask('bob', all)).result.rows).toEqual([['/post', 1]]);
  });

  test('a cached result is formatted for each contract and envelope', async () => {
    const rows = {
      ...VIEWS('blog'),
      make: { rows: { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.url'] } },
      result: { use: 'rows', limit: 10 },
    };
    const bodies = [
      await ask('ann', rows, '?version=2025-10-20'),
      await ask('ann', rows),
      await ask('ann', rows, '?envelope=data'),
      await ask('ann', rows, '?envelope=data'),
    ];
    expect(bodies).toEqual([
      {
        data: [{ pv_id: 1, url: '/post' }],
        meta: { truncated: false, row_count: 1, limits: { row_limit: 5000 } },
      },
      expect.objectContaining({
        result: { view: 'rows', columns: ['pv_id', 'url'], rows: [[1, '/post']], row_count: 1 },
        meta: { total_count: 1, returned_count: 1, limit: 10, truncated: false, cached: true },
      }),
      {
        data: [{ pv_id: 1, url: '/post' }],
        meta: { total_count: 1, returned_count: 1, limit: 10, truncated: false, cached: false },
      },
      {
        data: [{ pv_id: 1, url: '/post' }],
        meta: { total_count: 1, returned_count: 1, limit: 10, truncated: false, cached: true },
      },
    ]);
  });

  test('a query that is answered from the cache is recorded like any other', async () => {
    const records = async () => {
      await host.rest.settle();
      return Number((await host.database.write('analytics.query_record').count()).at(0)?.count);
    };
    await ask('ann', VIEWS('blog'));
    const before = await records();
    expect((await ask('ann', VIEWS('blog'))).meta.cached).toBe(true);
    expect(await records()).toBe(before + 1);
  });

  test('the System page shows the size of the cache', async () => {
    const { text } = await (await logInAs(host, 'ann')).get('/wp-admin/system');
    expect(text).toMatch(/\d+ in 0\.\d of 1 MB; \d+ of \d+ queries answered from the cache/);
  });
});

// conformance: beyond.results-kept-equal
test('without a cache, every query runs', async () => {
  const host = await startHost(0);
  const ask = createAsk(host);
  const answers = [await ask('ann', VIEWS('shop')), await ask('ann', VIEWS('shop'))];
  expect(answers.map(({ meta }) => meta.cached)).toEqual([false, false]);
  await host.stop();
});

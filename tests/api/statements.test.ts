// The number of statements per query. Each statement is a round trip to the database.
import { Client } from 'pg';
import { CASE_DATA } from '../language/query-setup';
import { logInAs } from '../support/page-client';
import { startFilledHost, type TestHost } from '../support/test-host';

let host: TestHost;
let readQueries: jest.SpyInstance;

beforeAll(async () => {
  host = await startFilledHost(CASE_DATA, {
    users: [{ login: 'ann', role: 'administrator' }],
    rateLimits: { perMinute: 1_000_000, perHour: 1_000_000 },
  });
  await host.createUser({ login: 'bob', role: 'analyst', sites: ['shop'] });
  await host.createApplicationPassword('bob');
});
beforeEach(() => {
  readQueries = jest.spyOn(host.database.read, 'query');
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => host.stop());

const query = (login: string, trackingId: unknown, materials = ['allpv'], auth: object = { user: login }) => {
  const [material] = materials;
  return host.request('POST', '/wp-json/qa-platform/query', {
    ...auth,
    body: {
      tracking_id: trackingId,
      materials: materials.map((name) => ({ name })),
      time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
      make: { v: { from: [material], keep: [`${material}.pv_id`] } },
      result: { use: 'v' },
    },
  });
};

test.each([
  ['ann', 'shop'],
  ['bob', 'shop'],
])(
  '%s queries %s: the caller, rate limit, switches and site take only one statement',
  async (login, site) => {
    // The first use of a key updates it.
    for (let requests = 0; requests < 2; requests += 1) await query(login, site);
    // The record is written later, together with others.
    await host.rest.settle();
    jest.clearAllMocks();
    const statements = jest.spyOn(Client.prototype, 'query');
    expect(await query(login, site)).toMatchObject({ status: 200 });
    expect(readQueries).toHaveBeenCalledTimes(0);
    expect(statements.mock.calls).toMatchObject([[{ name: 'add-to-windows candidate query' }]]);
  },
);

test('a query with a session takes no additional statements', async () => {
  const page = await logInAs(host, 'ann');
  const auth = { headers: { Cookie: page.cookie, 'X-WP-Nonce': page.nonce } };
  await query('ann', 'shop', ['allpv'], auth);
  jest.clearAllMocks();
  expect(await query('ann', 'shop', ['allpv'], auth)).toMatchObject({ status: 200 });
  expect(readQueries).toHaveBeenCalledTimes(0);
});

test('a query on a site that was not queried recently takes two more statements', async () => {
  for (let i = 0; i < 9; i++) await query('ann', `other-${i}`);
  jest.clearAllMocks();
  expect(await query('ann', 'shop')).toMatchObject({ status: 200 });
  expect(readQueries).toHaveBeenCalledTimes(2);
});

test('a query on all sites takes one more statement', async () => {
  expect(await query('ann', 'all')).toMatchObject({ status: 200 });
  expect(readQueries).toHaveBeenCalledTimes(1);
});

test.each([
  ["another user's site", 'bob', 'blog'],
  ['a missing site', 'ann', 'nowhere'],
  ['a value that is not a string', 'ann', { a: 1 }],
  ['the name of an object property', 'ann', '__proto__'],
  ['the name of another object property', 'ann', 'constructor'],
])('%s is rejected as an unknown site', async (_name, login, trackingId) => {
  const { status, body } = await query(login, trackingId);
  expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'E_UNKNOWN_TRACKING_ID' });
});

test('a new site is found', async () => {
  expect((await query('ann', 'late')).body.error.code).toBe('E_UNKNOWN_TRACKING_ID');
  await host.database
    .write('analytics.site')
    .insert({ tracking_id: 'late', domain: 'late.example', name: 'Late', timezone: 'UTC' });
  expect((await query('ann', 'late')).status).toBe(200);
});

test('a recently queried site is still hidden from other users', async () => {
  expect((await query('ann', 'blog')).status).toBe(200);
  expect((await query('bob', 'blog')).body.error.code).toBe('E_UNKNOWN_TRACKING_ID');
});

test('a change to the data, a switch and a revoked password affect the next request', async () => {
  const count = async () => (await query('bob', 'shop')).body;
  const before = await count();
  expect((await count()).meta.cached).toBe(true);
  await host.database.write('analytics.site_version').increment('data_version');
  expect(await count()).toMatchObject({ result: before.result, meta: { cached: false } });
  const { uuid, ...second } = await host.createApplicationPassword('bob', 'second');
  const switches = host.database.write('analytics.feature_switch');
  await switches.clone().insert({ feature: 'filter', enabled: false, changed_at: new Date() });
  const filtered = {
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
    make: { v: { from: ['allpv'], keep: ['allpv.url'], filter: { utm_source: 'google' } } },
    result: { use: 'v' },
  };
  const ask = () => host.request('POST', '/wp-json/qa-platform/query', { user: second, body: filtered });
  expect((await ask()).body.error.code).toBe('E_FEATURE_DISABLED');
  await switches.clone().delete();
  expect((await ask()).status).toBe(200);
  await host.database.write('host.application_passwords').where({ uuid }).delete();
  expect((await ask()).status).toBe(401);
});

describe('after a request that took one statement, the next request notices', () => {
  let key: { readonly login: string; readonly secret: string; readonly uuid: string };
  const ask = (trackingId = 'shop') =>
    host.request('POST', '/wp-json/qa-platform/query', {
      user: key,
      body: {
        tracking_id: trackingId,
        materials: [{ name: 'allpv' }],
        time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
        make: { v: { from: ['allpv'], keep: ['allpv.pv_id'] } },
        result: { use: 'v' },
      },
    });
  const bob = () => host.database.write('host.users').where('login', 'bob');
  const keys = () => host.database.write('host.application_passwords').where('uuid', key.uuid);
  const windows = async () => {
    const [account] = await bob().select('user_id');
    return host.database.write('host.window_count').where('name', `user ${account.user_id}`);
  };
  const charged = async (): Promise<number[]> => (await windows()).map(({ count }) => count);

  beforeEach(async () => {
    key = await host.createApplicationPassword('bob', 'another');
    for (let requests = 0; requests < 3; requests += 1) expect((await ask()).status).toBe(200);
    await host.rest.settle();
    const statements = jest.spyOn(Client.prototype, 'query');
    expect((await ask()).status).toBe(200);
    expect(statements.mock.calls).toMatchObject([[{ name: 'add-to-windows candidate query' }]]);
  });

  test.each([
    ['a revoked key', 401, () => keys().delete()],
    ['a key that expired', 401, () => keys().update({ level: 'read', expires_at: new Date(0) })],
    [
      'a key that is restricted to other addresses',
      401,
      () => keys().update({ level: 'read', address_ranges: ['203.0.113.0/24'] }),
    ],
    ['a changed secret', 401, () => keys().update({ secret_hash: '$generic$other' })],
    ['a key for another site', 400, () => keys().update({ level: 'read', sites: ['blog'] })],
    ['a disabled account', 401, () => bob().update({ disabled: true })],
    ['a role that may not query', 403, () => bob().update({ role: 'viewer' })],
    ['a changed login', 401, () => bob().update({ login: 'robert' })],
  ])('%s', async (_name, status, change) => {
    const before = await charged();
    await change();
    expect((await ask()).status).toBe(status);
    await bob().update({ disabled: false, role: 'analyst' });
    await host.database.write('host.users').where('login', 'robert').update({ login: 'bob' });
    // A rejected call is not counted.
    expect(await charged()).toEqual(status === 400 ? before.map((calls) => calls + 1) : before);
  });

  test("a site that the key's owner may no longer see", async () => {
    const sites = () => host.database.write('host.user_sites').where('tracking_id', 'shop');
    const [{ user_id }] = await sites().clone();
    await sites().delete();
    expect((await ask()).body.error.code).toBe('E_UNKNOWN_TRACKING_ID');
    await host.database.write('host.user_sites').insert({ user_id, tracking_id: 'shop' });
    expect((await ask()).status).toBe(200);
  });

  test('an import, and revoked access to a site', async () => {
    const rows = async () => (await ask('short')).body.result.row_count;
    await host.database
      .write('analytics.site')
      .insert({ tracking_id: 'short', domain: 'short.example', name: 'Short', timezone: 'UTC' });
    await host.database
      .write('host.user_sites')
      .insert({ user_id: (await bob().first('user_id')).user_id, tracking_id: 'short' });
    for (let requests = 0; requests < 3; requests += 1) expect(await rows()).toBe(0);
    await host.importRows('allpv', 'short', [
      { pv_id: 1, url: 'https://short.example/', access_time: Date.parse('2026-05-02T00:00:00Z') / 1000 },
    ]);
    expect(await rows()).toBe(1);
    await host.database.write('host.user_sites').where('tracking_id', 'short').delete();
    expect((await ask('short')).body.error.code).toBe('E_UNKNOWN_TRACKING_ID');
  });

  test('that a window is full, and does not count the call', async () => {
    await host.database.write('host.window_count').where('seconds', 60).update({ count: 1_000_000 });
    const before = await charged();
    expect((await ask()).status).toBe(429);
    expect(await charged()).toEqual(before);
  });
});

// The number of statements per query: each is a round trip to the database.
import { Client } from 'pg';
import { loadCaseData } from '../language/query-setup';
import { logInAs } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

let host: TestHost;
let asked: jest.SpyInstance;

beforeAll(async () => {
  host = await startTestHost({
    users: [{ login: 'ann', role: 'administrator' }],
  });
  await loadCaseData(host.database.write);
  await host.createUser({ login: 'bob', role: 'analyst', sites: ['shop'] });
  await host.createApplicationPassword('bob');
});
beforeEach(() => {
  asked = jest.spyOn(host.database.read, 'query');
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => host.stop());

const query = (login: string, trackingId: unknown, materials = ['allpv'], own: object = { user: login }) => {
  const [material] = materials;
  return host.request('POST', '/wp-json/qa-platform/query', {
    ...own,
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
  '%s queries %s: the caller, switches and site take one statement before that of the query',
  async (login, site) => {
    await query(login, site);
    // The record is written later, with other statements.
    await host.rest.settle();
    jest.clearAllMocks();
    const statements = jest.spyOn(Client.prototype, 'query');
    expect(await query(login, site)).toMatchObject({ status: 200 });
    expect(asked).toHaveBeenCalledTimes(0);
    expect(statements.mock.calls).toMatchObject([[{ name: 'find-candidate query' }]]);
  },
);

test('a query in a session takes the same number of statements', async () => {
  const page = await logInAs(host, 'ann');
  const own = { headers: { Cookie: page.cookie, 'X-WP-Nonce': page.nonce } };
  await query('ann', 'shop', ['allpv'], own);
  jest.clearAllMocks();
  expect(await query('ann', 'shop', ['allpv'], own)).toMatchObject({ status: 200 });
  expect(asked).toHaveBeenCalledTimes(0);
});

test('a site that was not queried recently takes one more', async () => {
  for (let i = 0; i < 9; i++) await query('ann', `other-${i}`);
  jest.clearAllMocks();
  expect(await query('ann', 'shop')).toMatchObject({ status: 200 });
  expect(asked).toHaveBeenCalledTimes(1);
});

test('all sites take one more', async () => {
  expect(await query('ann', 'all')).toMatchObject({ status: 200 });
  expect(asked).toHaveBeenCalledTimes(1);
});

test.each([
  ['a site of other users', 'bob', 'blog'],
  ['a missing site', 'ann', 'nowhere'],
  ['a value that is not a string', 'ann', { a: 1 }],
  ['the name of an object property', 'ann', '__proto__'],
  ['the name of another object property', 'ann', 'constructor'],
])('%s is still unknown', async (_name, login, trackingId) => {
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

test('a change of the data, a switch and a revoked password affect the next request', async () => {
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

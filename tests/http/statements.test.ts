// How often a query asks the database: each time is a round trip that everybody waits for.
import { loadCaseData } from '../qal/query-setup';
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

const query = (login: string, trackingId: unknown, materials = ['allpv']) => {
  const [material] = materials;
  return host.request('POST', '/wp-json/qa-platform/query', {
    user: host.credentials(login),
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
])('%s asks %s: switches and site are one statement before that of the query', async (login, site) => {
  expect(await query(login, site)).toMatchObject({ status: 200 });
  expect(asked).toHaveBeenCalledTimes(1);
});

test('all sites take one more', async () => {
  expect(await query('ann', 'all')).toMatchObject({ status: 200 });
  expect(asked).toHaveBeenCalledTimes(2);
});

test.each([
  ['a site of others', 'bob', 'blog'],
  ['no site', 'ann', 'nowhere'],
  ['no text', 'ann', { a: 1 }],
])('%s is unknown all the same', async (_name, login, trackingId) => {
  const { status, body } = await query(login, trackingId);
  expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'E_UNKNOWN_TRACKING_ID' });
});

test('a site that was made a moment ago is found', async () => {
  expect((await query('ann', 'late')).body.error.code).toBe('E_UNKNOWN_TRACKING_ID');
  await host.database
    .write('analytics.site')
    .insert({ tracking_id: 'late', domain: 'late.example', name: 'Late', timezone: 'UTC' });
  expect((await query('ann', 'late')).status).toBe(200);
});

// Options and functions of a test host that the HTTP tests do not cover.
import { LOGIN_PASSWORD, startTestHost, type TestHost } from '../test-host';

const QUERY = '/wp-json/qa-platform/query';
const GUIDE = '/wp-json/qa-platform/guide';
const NOW = new Date('2026-06-01T00:00:00Z');
const AT = '2026-05-01T12:00:00+09:00';

const shop = { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'Asia/Tokyo' };
const goal = { id: 1, name: 'Thanks', type: 'gtype_page', condition: { url: '/thanks', match: 'prefix' } };

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    sites: [
      { ...shop, default: true, goals: [goal] },
      { ...shop, tracking_id: 'blog' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['blog'] },
    ],
    features: { join: false },
    clock: () => NOW,
  });
});
afterAll(() => host.stop());

const queryOf = (site: string, view: object = {}) => ({
  tracking_id: site,
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'], ...view } },
  result: { use: 'v', limit: 10 },
});

const urlsOf = async (site: string, user = 'ann') =>
  (await host.request('POST', QUERY, { user, body: queryOf(site) })).body.result?.rows.flat();

test('sites, users, clock and switches match the options', async () => {
  const { body } = await host.request('GET', GUIDE, { user: 'bob' });
  expect(body.sites.map((site: { tracking_id: string }) => site.tracking_id)).toEqual(['blog', 'all']);
  expect(body.timestamp).toMatch(/^2026-06-01T00:00:00/);
  expect(body.features).toMatchObject({ filter: true, join: false });
  const all = await host.request('GET', GUIDE, { user: 'ann' });
  expect(all.body.sites[0]).toMatchObject({ tracking_id: 'shop', default: true, goals: [{ id: 1 }] });
});

test('importing rows returns a report', async () => {
  const rows = [
    { url: 'https://shop.example/', access_time: AT },
    { url: 'https://shop.example/sale', access_time: AT },
  ];
  expect(await host.importRows('allpv', 'shop', rows)).toEqual({
    read: 2,
    added: 2,
    updated: 0,
    unchanged: 0,
    waiting: 0,
  });
  expect(await host.importRows('allpv', 'shop', rows)).toMatchObject({ added: 0, unchanged: 2 });
  expect(await urlsOf('shop')).toEqual(rows.map(({ url }) => url));
});

test('an invalid row stops the import, and the first errors are listed', async () => {
  const rows = [
    { url: '/right', access_time: AT },
    { url: '/', access_time: 'noon' },
    { urll: '/', access_time: AT },
    { url: '/right-too', access_time: AT },
  ];
  await expect(host.importRows('allpv', 'blog', rows)).rejects.toThrow(
    /^Nothing was imported: 2 of the allpv rows .*\n {2}row 2, column access_time, value "noon": .+\n {2}row 3, column urll, value "\/": .+ url$/,
  );
  expect(await urlsOf('blog')).toEqual([]);
});

test('an error that only the database detects is also reported', async () => {
  await host.importRows('allpv', 'shop', [{ pv_id: 1, session_id: 1, url: '/', access_time: AT }]);
  const click = { pv_id: 1, session_id: 987_654, event_sec: 1, selector: 'a' };
  await expect(host.importRows('click_event', 'shop', [click])).rejects.toThrow(/\n {2}row 1, .*987654/);
});

test('a click waits if its page view has not been imported', async () => {
  const click = { pv_id: 987_654, event_sec: 1, selector: 'a' };
  expect(await host.importRows('click_event', 'shop', [click])).toMatchObject({ added: 0, waiting: 1 });
});

test('if there are many errors, only the first ones are listed', async () => {
  const rows = Array.from({ length: 100 }, () => ({ url: '/' }));
  await expect(host.importRows('allpv', 'blog', rows)).rejects.toThrow(/\n {2}row 20, .*\n {2}and 80 more$/);
});

test.each([
  ['a user', () => host.createUser({ login: 'eve', role: 'analyst', sites: ['shop', 'shpo'] })],
  ['a password', () => host.createApplicationPassword('ann', 'n', { sites: ['shpo'] })],
  ['an import', () => host.importRows('allpv', 'shpo', [])],
])('%s for an unknown site: the error lists the known sites', async (_label, act) => {
  await expect(act()).rejects.toThrow('There is no site shpo: this test host has the sites blog, shop');
});

test.each([
  ['a site', { sites: [{ ...shop, timezone: 'JST' }] }, /sites\[0\]\.timezone: must be the full name/],
  ['a feature', { features: { joins: false } }, /^There is no feature joins\. Features: .*\bjoin\b/],
  ['a user', { users: [{ login: 'a b', role: 'analyst' }] }, /^A login must have 1 to 60 characters/],
  [
    "a user's site",
    { users: [{ login: 'a', role: 'analyst', sites: ['x'] }] },
    /^There is no site x: .* no sites /,
  ],
] as const)('%s that is invalid is rejected, and nothing is left open', async (_label, options, message) => {
  await expect(startTestHost(options)).rejects.toThrow(message);
});

test('users that are created later can also send requests', async () => {
  await host.createUser({ login: 'carol', role: 'analyst', sites: ['shop'] });
  expect(() => host.credentials('carol')).toThrow('no application password for carol');
  const { login, secret } = await host.createApplicationPassword('carol', 'laptop');
  expect(host.credentials('carol')).toEqual({ login, secret });
  expect((await host.request('GET', GUIDE, { user: 'carol' })).status).toBe(200);
});

test('a password that is created later can be restricted', async () => {
  const ended = await host.createApplicationPassword('ann', 'old', {
    expiresAt: new Date('2020-01-01T00:00:00Z'),
  });
  expect((await host.request('GET', GUIDE, { user: ended })).status).toBe(401);
});

test('a request is sent with exactly the given headers', async () => {
  const refused = await host.request('GET', GUIDE);
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    expect.stringMatching(/^Basic/),
  ]);
  const body = queryOf('shop');
  const typed = await host.request('POST', QUERY, {
    user: 'ann',
    body,
    headers: { 'content-type': 'text/plain' },
  });
  expect(typed.status).toBe(400);
});

test('api is a supertest agent for this host that keeps cookies', async () => {
  await host.api.get(GUIDE).expect(401);
  await host.api
    .post('/wp-login.php')
    .set('Content-Type', 'application/x-www-form-urlencoded')
    .send(new URLSearchParams({ log: 'ann', pwd: LOGIN_PASSWORD }).toString())
    .expect(303);
  await host.api.get('/wp-admin/profile').expect(200);
});

test("a user's agent authenticates every request", async () => {
  const ann = host.apiAs('ann');
  const answer = await ann.post(QUERY).send(queryOf('shop')).expect(200);
  expect(answer.body.ok).toBe(true);
  await ann.get(GUIDE).expect(200);
  await host.apiAs({ login: 'ann', secret: 'wrong' }).get(GUIDE).expect(401);
});

test('hosts do not share any state, and can be stopped twice', async () => {
  const other = await startTestHost({ sites: [shop], users: [{ login: 'ann', role: 'administrator' }] });
  await other.importRows('allpv', 'shop', [{ url: '/other', access_time: AT }]);
  expect(await urlsOf('shop')).not.toContain('/other');
  expect((await other.request('GET', GUIDE, { user: host.credentials('ann') })).status).toBe(401);
  await Promise.all([other.stop(), other.stop()]);
  await expect(other.request('GET', GUIDE)).rejects.toThrow('ECONNREFUSED');
});

// Links to the dashboard: what someone with a link can and cannot request.
import { randomUUID } from 'node:crypto';
import { poolOf } from '../../host-shim/extension-api';
import { logInAs, markIn, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';
import { until } from '../support/until';

const ROUTE = '/wp-json/qa-platform-pages/dashboard';
const FORM = '/wp-admin/application-passwords/link';
const LIMIT = 12;

let now = new Date('2026-11-20T12:00:00Z');
let host: TestHost;
let ann: PageClient;
let bob: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    clock: () => now,
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['blog'] },
    ],
    rateLimits: { pagesPerMinute: LIMIT },
    trustProxy: ['loopback'],
    embedOrigins: ['https://www.example.com', 'http://localhost:3000'],
  });
  await host.importRows('allpv', 'blog', [
    { url: 'https://blog.example/', access_time: '2026-11-19T10:00:00Z' },
  ]);
  ann = await logInAs(host, 'ann');
  bob = await logInAs(host, 'bob');
});
afterAll(() => host.stop());

const request = { period: '7d', compare: 'none', filters: [], parts: [{ id: 'total visits' }] };

/** Creates a link through the form, and returns its key. */
async function share(who: PageClient, site: string, expires = '2026-12-31'): Promise<string> {
  const { status, text } = await who.post(FORM, { page: 'dashboard', name: `of ${site}`, site, expires });
  const key = /\/link\/dashboard#([\w.-]+)</.exec(text)?.[1];
  expect([status, typeof key]).toEqual([200, 'string']);
  return key ?? '';
}

const askWith = (key: string, body: object = request, path = ROUTE, more: object = {}) =>
  host.request('POST', path, { headers: { 'X-Link-Key': key, ...more }, body });

const lines = ({ text }: { readonly text: string }) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('only shared pages can be embedded, and only by websites in the settings', async () => {
  const headersOf = async (path: string) => {
    const { headers } = await host.request('GET', path, { headers: { Cookie: ann.cookie } });
    const [ancestors] = /frame-ancestors [^;]*/.exec(headers['content-security-policy'] ?? '') ?? [];
    return [ancestors, headers['x-frame-options']];
  };
  for (const page of ['dashboard', 'funnels', 'retention'])
    expect([page, ...(await headersOf(`/link/${page}`))]).toEqual([
      page,
      'frame-ancestors https://www.example.com http://localhost:3000',
      undefined,
    ]);
  for (const path of ['/wp-admin/dashboard', '/wp-login.php', '/link/nothing'])
    expect([path, (await headersOf(path))[0]]).toEqual([path, "frame-ancestors 'none'"]);
});

// conformance: beyond.dashboard-site-shared
test('a link shows the dashboard of its site', async () => {
  const key = await share(ann, 'blog');
  const response = await askWith(key);
  const [head, part] = lines(response);
  expect([response.status, head.site.trackingId, part.rows[0][0]]).toEqual([200, 'blog', 1]);
  expect((await askWith(key, { ...request, site: 'blog' })).status).toBe(200);
  expect((await askWith(key, { ...request, site: 'shop' })).status).toBe(404);
  expect((await askWith(key, { ...request, site: 'all' })).status).toBe(404);
});

// conformance: beyond.dashboard-site-shared
test('a list on the dashboard can be downloaded through a link', async () => {
  const file = await askWith(await share(ann, 'blog'), { ...request, parts: [{ id: 'page' }], file: true });
  expect([file.status, file.headers['content-type']]).toEqual([200, expect.stringContaining('text/csv')]);
  expect(file.text).toContain('https://blog.example/');
});

// conformance: beyond.dashboard-site-shared
// attack: key-application-password-application
test('a link does not give access to anything else: no other route, query or page', async () => {
  const key = await share(ann, 'blog');
  const [uuid = '', secret = ''] = key.split('.');
  const headers = { 'X-Link-Key': key };
  for (const [path, status] of [
    ['qa-platform/guide', 403],
    ['wp/v2/users/me', 401],
    ['wp/v2/users/me/application-passwords', 403],
    ['qa-platform-pages/catalogue?tracking_id=blog', 403],
  ])
    expect([path, (await host.request('GET', `/wp-json/${path}`, { headers })).status]).toEqual([
      path,
      status,
    ]);
  for (const path of [
    'qa-platform/query',
    'qa-platform-pages/explain',
    'wp/v2/users/me/application-passwords',
  ])
    expect([path, (await askWith(key, {}, `/wp-json/${path}`)).status]).toEqual([path, 403]);
  const options = await host.request('OPTIONS', '/wp-json/qa-platform/query', { headers });
  expect(options.headers.allow).toBeUndefined();
  for (const login of ['ann', uuid]) {
    const basic = `Basic ${Buffer.from(`${login}:${secret}`).toString('base64')}`;
    expect(
      (await host.request('GET', '/wp-json/qa-platform/guide', { headers: { Authorization: basic } })).status,
    ).toBe(401);
  }
  const page = await host.request('GET', '/wp-admin/dashboard', { headers });
  expect(page.status).toBe(303);
});

test.each(['', 'none', 'x.y', '00000000-0000-4000-8000-000000000000.AAAA', "' OR 1=1 --", '.'])(
  'the key %j is rejected like any other wrong key',
  async (key) => {
    const [uuid] = (await share(bob, 'blog')).split('.');
    for (const wrong of [key, `${uuid}.${key}`]) {
      const { status, body } = await askWith(wrong);
      expect([status, body.error.message, body.error.hint]).toEqual([
        401,
        expect.stringContaining('expired or was revoked'),
        'Ask the person who shared the link for a new one.',
      ]);
    }
  },
);

// conformance: beyond.dashboard-site-shared
test('a link stops working after its last day, when it is revoked, and when its owner may no longer see the site', async () => {
  const [short, revoked, granted] = [
    await share(bob, 'blog', '2026-11-21'),
    await share(bob, 'blog'),
    await share(bob, 'blog'),
  ];
  const [uuid] = revoked.split('.');
  const list = await bob.get('/wp-admin/links');
  expect(list.text).toContain('link to the dashboard; expires after 2026-11-21');
  expect((await bob.get('/wp-admin/application-passwords')).text).not.toContain('link to the dashboard');
  const form = await bob.get(`${FORM}?page=dashboard&site=blog`);
  expect(form.text).toContain(`href="/wp-admin/links/${uuid}/revoke"`);
  await bob.post(`/wp-admin/links/${uuid}/revoke`, {});
  expect((await askWith(revoked)).status).toBe(401);
  const before = now;
  now = new Date('2026-11-22T00:00:01Z');
  expect((await askWith(short)).status).toBe(401);
  now = before;
  expect((await askWith(short)).status).toBe(200);
  const grants = host.database.write.withSchema('host').from('user_sites');
  await grants.clone().where({ tracking_id: 'blog' }).delete();
  expect((await askWith(granted)).status).toBe(401);
  const [{ user_id }] = await host.database.write.withSchema('host').from('users').where({ login: 'bob' });
  await grants.clone().insert({ user_id, tracking_id: 'blog' });
  expect((await askWith(granted)).status).toBe(200);
});

test('revoking all application passwords keeps the shared links, which their page does not list', async () => {
  const key = await share(bob, 'blog');
  await bob.post('/wp-admin/application-passwords', { name: 'laptop' });
  const address = '/wp-admin/application-passwords/revoke-all';
  const confirmation = await bob.get(address);
  expect([confirmation.text.includes('<dt>laptop</dt>'), confirmation.text.includes('of blog')]).toEqual([
    true,
    false,
  ]);
  expect((await bob.follow(await bob.post(address, { mark: markIn(confirmation) }))).text).toContain(
    'You have none yet.',
  );
  expect((await askWith(key)).status).toBe(200);
});

test('the REST routes for application passwords neither show nor change nor revoke shared links', async () => {
  const key = await share(bob, 'blog');
  const user = await host.createApplicationPassword('bob', 'script');
  const own = '/wp-json/wp/v2/users/me/application-passwords';
  const { body: listed } = await host.request('GET', own, { user });
  expect(listed.map(({ name }: { readonly name: string }) => name)).not.toContain('of blog');
  const one = `${own}/${key.split('.')[0]}`;
  for (const method of ['GET', 'PUT', 'DELETE'] as const)
    expect([method, (await host.request(method, one, { user })).status]).toEqual([method, 404]);
  const { body: deleted } = await host.request('DELETE', own, { user });
  expect(deleted).toEqual({ deleted: true, count: listed.length });
  expect((await askWith(key)).status).toBe(200);
});

// attack: requests-use-up-owner
test("calls through a link count toward the link's limit instead of its owner's, and are not recorded", async () => {
  const records = host.database.write.withSchema('analytics').from('query_record');
  const [{ count: recorded }] = await records.clone().count();
  const [key, other] = [await share(ann, 'blog'), await share(ann, 'blog')];
  let last = await askWith(key);
  expect(last.headers['x-ratelimit-limit']).toBe(String(LIMIT));
  for (let calls = 1; calls <= LIMIT; calls++) last = await askWith(key);
  expect([last.status, last.body.error.code]).toEqual([429, 'E_RATE_LIMITED']);
  const second = await askWith(other);
  expect([second.status, second.headers['x-ratelimit-remaining']]).toEqual([200, String(LIMIT - 1)]);
  await host.rest.settle();
  expect(await records.clone().count()).toEqual([{ count: recorded }]);
});

// attack: visitor-uses-up-link
test('a visitor who uses a link too often does not lock out others; addresses in the same IPv6 network count as one visitor', async () => {
  const key = await share(ann, 'blog');
  const from = (address: string) => askWith(key, request, ROUTE, { 'X-Forwarded-For': address });
  for (let calls = 1; calls <= LIMIT; calls++) await from('2001:db8:0:1::1');
  const refused = await from('2001:db8:0:2::2');
  expect([refused.status, refused.body.error.hint]).toEqual([
    429,
    expect.stringMatching(/Try again in \d+ seconds/),
  ]);
  const other = await from('192.0.2.1');
  expect([other.status, other.headers['x-ratelimit-remaining']]).toEqual([200, String(LIMIT - 1)]);
  const counts = host.database.write.from('host.window_count').where('name', 'like', 'link %');
  const names: string[] = await counts.pluck('name');
  expect(names.some((name) => name.endsWith(' 192.0.2.1'))).toBe(true);
});

test('calls with wrong keys from one address take turns, so they occupy a single connection', async () => {
  const { write } = host.database;
  const inUse = () => poolOf(write).use().inUse;
  const responses = await write.transaction(async (lock) => {
    await lock.raw('LOCK TABLE host.application_passwords IN ACCESS EXCLUSIVE MODE');
    const sent = Array.from({ length: 5 }, () => askWith(`${randomUUID()}.wrong`));
    await until(() => inUse() > 1);
    for (let count = 0; count < 3; count++) await host.request('GET', '/healthz');
    expect(inUse()).toBe(2);
    return sent;
  });
  expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
});

test("a link's page contains no personal data and forbids indexing", async () => {
  const page = await host.request('GET', '/link/dashboard', {});
  expect(page.status).toBe(200);
  expect(page.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' });
  expect(page.text).not.toMatch(/shop|blog|rest-nonce|wp-login/i);
  expect((await host.request('GET', '/link/users', {})).status).toBe(404);
  expect((await host.request('GET', '/link/playground', {})).status).toBe(404);
});

test.each([
  [{ site: 'shop' }, 'This account has no access to shop;'],
  [{ site: '' }, 'One of the site ids is empty'],
  [{ expires: '' }, 'A link needs a last day'],
  [{ expires: '2026-11-01' }, 'is in the past'],
  [{ name: '' }, 'name'],
])('a link with %j is rejected, and the error is shown next to the field', async (wrong, message) => {
  const fields = { page: 'dashboard', name: 'x', site: 'blog', expires: '2026-12-31', ...wrong };
  const response = await bob.post(FORM, fields);
  expect([response.status, response.text]).toEqual([400, expect.stringContaining(message)]);
  expect(response.text).toContain('aria-invalid="true"');
});

test('only pages that can be shared have a form for creating links', async () => {
  expect((await bob.get(`${FORM}?page=playground&site=blog`)).status).toBe(404);
  expect(
    (await bob.post(FORM, { page: 'users', name: 'x', site: 'blog', expires: '2026-12-31' })).status,
  ).toBe(404);
  const form = await bob.get(`${FORM}?page=dashboard&site=blog`);
  expect(form.text).toContain('value="2027-02-18"');
});

// The "System" page, and "Test my connection": what it reports for each way in which credentials arrive or get lost.
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { clockDifference } from '../../host-shim/admin/pages/system-page';
import { PRODUCT } from '../../host-shim/main';
import { configure, listSettings } from '../../host-shim/server/config';
import { logInAs } from '../support/page-client';
import { startTestHost, type TestHost, type TestHostOptions } from '../support/test-host';

const migrationsOf = (folder: string) => readdirSync(join(__dirname, '../..', folder)).sort();
const HOST_MIGRATIONS = migrationsOf('db/migrations');
const ANALYTICS_MIGRATIONS = migrationsOf('extension/data/storage/migrations');
const PATH = '/wp-admin/test-connection';
const users = [
  { login: 'root', role: 'administrator' },
  { login: 'ann', role: 'analyst', sites: ['demo'] },
] as const;
const sites = [{ tracking_id: 'demo', domain: 'demo.example', name: 'Demo', timezone: 'UTC' }];

const hosts: TestHost[] = [];
async function start(options: TestHostOptions = {}): Promise<TestHost> {
  const host = await startTestHost({ users, sites, ...options });
  hosts.push(host);
  return host;
}
let local: TestHost;
let production: TestHost;
beforeAll(async () => {
  local = await start();
  production = await start({ environment: 'production', trustProxy: 1 });
});
afterAll(() => Promise.all(hosts.map((host) => host.stop())));

describe('the page', () => {
  test('shows versions, limits, routes, settings and facts from extensions', async () => {
    const { status, text } = await (await logInAs(local, 'root')).get('/wp-admin/system');
    expect(status).toBe(200);
    for (const expected of [
      process.versions.node,
      `${HOST_MIGRATIONS.length + ANALYTICS_MIGRATIONS.length}, the last is analytics/${basename(ANALYTICS_MIGRATIONS.at(-1) ?? '', '.sql')}`,
      '100 per user per hour',
      '256 KiB',
      '50 per address in 5 minutes',
      '100 from all addresses in 60 minutes',
      '/qa-platform/query',
      '<td data-label="Methods">POST</td><td data-label="Access">some users</td><td data-label="Rate limit">per user</td>',
      'QAL_RATE_PER_HOUR',
      'Analytics version',
      'Column store</h2>',
      '<dt>State</dt><dd>off</dd>',
      '1, used by 1 person',
    ])
      expect(text).toContain(expected);
  });

  test('cannot be opened by analysts', async () => {
    expect((await (await logInAs(local, 'ann')).get('/wp-admin/system')).status).toBe(403);
  });

  test('has a row for every setting, and hides the address of the database', () => {
    const environment = {
      DATABASE_URL: 'postgresql://me:secret@host/name',
      TRUST_PROXY: 'loopback, 10.0.0.0/8',
      QAL_COLUMNS: 'off',
    };
    const shown = configure(PRODUCT.extensions, environment).config.settings;
    const all = listSettings(PRODUCT.extensions).map(({ variable }) => variable);
    expect(shown.map(({ variable }) => variable)).toEqual(all);
    const shownOf = (name: string) => shown.find(({ variable }) => variable === name)?.value;
    expect(shownOf('TRUST_PROXY')).toBe('loopback, 10.0.0.0/8');
    expect(shownOf('QAL_COLUMNS')).toBe('off');
    expect(shownOf('PG_BINDIR')).toBeNull();
    expect(JSON.stringify(shown)).not.toContain('secret');
  });

  test.each([
    ['2026-01-01T00:00:01Z', 'no difference'],
    ['2026-01-01T00:01:30Z', '90 s ahead of this program'],
    ['2025-12-31T23:59:00Z', '60 s behind this program'],
  ])('a database clock at %s is reported as "%s"', (database, words) => {
    expect(clockDifference(new Date('2026-01-01T00:00:00Z'), new Date(database))).toBe(words);
  });
});

describe('test my connection', () => {
  test('the page can be opened by everyone, and sends nothing by itself', async () => {
    const page = await logInAs(local, 'ann');
    const { status, text } = await page.get('/wp-admin/connection');
    expect(status).toBe(200);
    expect(text).toContain(`curl -s -u &#39;ann:APPLICATION PASSWORD&#39; &#39;${local.url}${PATH}&#39;`);
  });

  test('an accepted password: the response contains the user and the name of the application password', async () => {
    const { status, headers, body } = await local.request('GET', PATH, { user: 'ann' });
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      header: { arrived: true, scheme: 'Basic' },
      connection: { protocol: 'http', forwarded: [], credentialsAccepted: true },
      outcome: 'accepted',
      user: { login: 'ann', sites: ['demo'] },
      applicationPassword: 'test',
      message: 'Accepted as ann, with the application password "test".',
    });
  });

  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  test.each([
    ['nothing', {}, 'nothing-sent', /^No Authorization header arrived\. .*curl: -u USER/],
    ['nothing, through a proxy', { 'X-Forwarded-For': '203.0.113.9' }, 'nothing-sent', /CGIPassAuth On/],
    ['another scheme', { Authorization: 'Bearer abc' }, 'refused', /the scheme Bearer; only Basic/],
    ['an invalid scheme', { Authorization: 'hunter2' }, 'refused', /with an unknown scheme/],
    ['no colon', { Authorization: basic('ann') }, 'refused', /cannot be read: .*no colon/],
    ['an unknown user', { Authorization: basic('eve:x') }, 'refused', /There is no user "eve" here\./],
    ['a wrong password', { Authorization: basic('ann:x') }, 'refused', /application password is wrong/],
  ])('%s: status 200, no challenge, and advice on what to do', async (_what, headers, outcome, message) => {
    const answer = await local.request('GET', PATH, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers['www-authenticate']).toBeUndefined();
    expect(answer.body).toMatchObject({ outcome, user: null, message: expect.stringMatching(message) });
  });

  test.each([
    [
      'has expired',
      { expiresAt: new Date('2026-01-01T00:00:00Z') },
      /expired at 2026-01-01T00:00:00Z; create another/,
    ],
    ['is for other addresses', { addressRanges: ['203.0.113.0/24'] }, /not accepted from the address/],
  ])(
    'a password that %s: the reason is reported even in production, because the secret is correct',
    async (_what, restrictions, message) => {
      const user = await production.createApplicationPassword('ann', 'restricted', restrictions);
      const { body } = await production.request('GET', PATH, { user });
      expect(body).toMatchObject({ outcome: 'refused', message: expect.stringMatching(message) });
    },
  );

  test('a password that is restricted to sites: the response lists them', async () => {
    const user = await local.createApplicationPassword('root', 'for one site', { sites: ['demo'] });
    const { body } = await local.request('GET', PATH, { user });
    expect(body).toMatchObject({ outcome: 'accepted', user: { login: 'root', sites: ['demo'] } });
  });

  test('the response never repeats the header', async () => {
    const { text } = await local.request('GET', PATH, { headers: { Authorization: 'hunter2' } });
    expect(text).not.toContain('hunter2');
  });

  test('in production, an unknown user and a wrong password get the same message', async () => {
    const answers = await Promise.all(
      ['eve:x', 'ann:x'].map((text) =>
        production.request('GET', PATH, { headers: { Authorization: basic(text) } }),
      ),
    );
    const messages = answers.map(({ body }) => body.message);
    expect(messages[0]).toMatch(/Unknown user or wrong application password/);
    expect(messages[1]).toBe(messages[0]);
  });

  test('over plain HTTP through a trusted proxy, the password is refused', async () => {
    const { body } = await production.request('GET', PATH, {
      user: 'ann',
      headers: { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'http' },
    });
    expect(body).toMatchObject({
      connection: {
        protocol: 'http',
        address: null,
        forwarded: ['x-forwarded-for', 'x-forwarded-proto'],
        proxyTrusted: true,
        credentialsAccepted: false,
      },
      outcome: 'refused',
      message: expect.stringMatching(/proxy reports that its caller used plain HTTP/),
    });
  });

  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['a wrong password', { Authorization: basic('ann:x') }],
  ])('without a login, the advice is general and contains no address: %s', async (_what, sent) => {
    const host = await start({ environment: 'production' });
    const headers = { ...sent, 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' };
    const { body, text } = await host.request('GET', PATH, { headers });
    expect(body.connection).toMatchObject({ address: null, peer: null, proxyTrusted: false });
    expect(text).not.toMatch(/127\.0\.0\.1"|TRUST_PROXY=|203\.0\.113\.9/);
    const accepted = await host.request('GET', PATH, { user: 'ann' });
    expect(accepted.body.connection).toMatchObject({ address: '127.0.0.1', peer: '127.0.0.1' });
  });

  test('users who are logged in see the address of a proxy that is not configured', async () => {
    const host = await start({ environment: 'production', trustProxy: ['192.0.2.1'] });
    const { cookie } = await logInAs(host, 'ann');
    const headers = { 'X-Forwarded-For': '203.0.113.9', Authorization: basic('ann:x') };
    const stranger = await host.request('GET', PATH, { headers });
    expect(stranger.body.message).toMatch(/start this program with its address in TRUST_PROXY/);
    const withPassword = await host.request('GET', PATH, { headers: { ...headers, Cookie: cookie } });
    expect(withPassword.body.connection).toMatchObject({ peer: null });
    const withoutPassword = await host.request('GET', PATH, { headers: { Cookie: cookie } });
    expect(withoutPassword.body).toMatchObject({
      outcome: 'nothing-sent',
      connection: { peer: '127.0.0.1' },
    });
  });

  test('over HTTPS through a trusted proxy, the password is accepted', async () => {
    const { body } = await production.request('GET', PATH, {
      user: 'ann',
      headers: { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' },
    });
    expect(body).toMatchObject({ connection: { protocol: 'https' }, outcome: 'accepted' });
  });

  test('headers from an untrusted proxy are reported but have no effect', async () => {
    const { body } = await local.request('GET', PATH, {
      user: 'ann',
      headers: { 'X-Forwarded-For': '203.0.113.9', 'X-Forwarded-Proto': 'https' },
    });
    expect(body).toMatchObject({
      connection: { protocol: 'http', address: expect.stringContaining('127.0.0.1'), proxyTrusted: false },
      outcome: 'accepted',
    });
  });

  test('failures count toward the same limit as in the REST API', async () => {
    const host = await start({ loginGuard: { failures: 2, windowSeconds: 60 } });
    const wrong = { headers: { Authorization: basic('ann:x') } };
    await host.request('GET', PATH, wrong);
    await host.request('GET', '/wp-json/qa-platform/guide', wrong);
    const { body } = await host.request('GET', PATH, wrong);
    expect(body).toMatchObject({
      outcome: 'refused',
      message: expect.stringMatching(/2 wrong application passwords within 60 s/),
    });
  });

  test('a cookie does not count as a login here', async () => {
    const page = await logInAs(local, 'ann');
    const { text } = await page.send(PATH, { headers: { 'X-WP-Nonce': page.nonce } });
    expect(JSON.parse(text)).toMatchObject({ outcome: 'nothing-sent', user: null });
  });
});

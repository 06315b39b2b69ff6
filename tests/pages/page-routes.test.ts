// Access to the pages' routes: a session is required, and the pages' rate limit applies.
import { logInAs } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const ROUTES: readonly (readonly ['GET' | 'POST', string])[] = [
  ['GET', 'catalogue?tracking_id=shop'],
  ['POST', 'dashboard'],
  ['POST', 'explain'],
  ['POST', 'funnels'],
  ['POST', 'notes'],
  ['POST', 'retention'],
  ['POST', 'saved-queries'],
  ['GET', 'segments?tracking_id=shop'],
];
const BASE = '/wp-json/qa-platform-pages/';
const LIMIT = 5;

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
    ],
    rateLimits: { pagesPerMinute: LIMIT },
  });
});
afterAll(() => host.stop());

const bodyFor = (method: string) => (method === 'POST' ? { body: {} } : {});

describe.each(ROUTES)('%s %s', (method, route) => {
  test("does not accept application passwords, not even an administrator's", async () => {
    const response = await host.request(method, BASE + route, { user: 'root', ...bodyFor(method) });
    expect(response).toMatchObject({
      status: 403,
      body: {
        code: 'rest_forbidden',
        message: expect.stringContaining('does not accept application passwords'),
      },
    });
    expect(response.headers['x-ratelimit-limit']).toBeUndefined();
  });

  test('rejects requests without a session', async () => {
    const { status, body } = await host.request(method, BASE + route, bodyFor(method));
    expect([status, body.error.code, body.error.hint]).toEqual([
      401,
      'E_UNAUTHORIZED',
      'Log in, then open the page again.',
    ]);
  });

  test("counts toward the pages' rate limit", async () => {
    const login = `fresh-${route.replace(/\W.*/, '')}`;
    await host.createUser({ login, role: 'administrator' });
    const fresh = await logInAs(host, login);
    const ask = () =>
      host.request(method, BASE + route, {
        headers: { Cookie: fresh.cookie, 'X-WP-Nonce': fresh.nonce },
        ...bodyFor(method),
      });
    const first = await ask();
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit': String(LIMIT),
      'x-ratelimit-remaining': String(LIMIT - 1),
    });
    for (let count = 1; count < LIMIT; count++) await ask();
    expect(await ask()).toMatchObject({ status: 429, body: { error: { code: 'E_RATE_LIMITED' } } });
  });
});

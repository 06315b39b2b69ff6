// Rate limits from the client's point of view: three headers, and the error.
import { startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';

let now = new Date('2026-05-01T10:00:00Z');
const toy = createToy();
let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [toy.extension],
    clock: () => now,
    rateLimits: { perHour: 100, perMinute: 3 },
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst' },
    ],
  });
});
afterAll(() => host.stop());
beforeEach(() => {
  // An hour later, the previous test's requests no longer count.
  now = new Date(now.getTime() + 3_600_000);
});

/** The end of the one-minute window that starts with the test. */
const endOfMinute = () => String(now.getTime() / 1000 + 60);

const ask = (login: string, path = '/echo') =>
  host.request('GET', `/wp-json/toy/v1${path}`, { user: host.credentials(login) });
const limitHeaders = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) =>
  ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);

// conformance: limit.x-ratelimit-limit, limit.status-above-rate, host.429-e-rate, host.three-headers-every
test('every response describes the tighter window, and a request that exceeds it is rejected', async () => {
  expect(limitHeaders(await ask('ann'))).toEqual(['3', '2', endOfMinute()]);
  expect(limitHeaders(await ask('ann')).slice(0, 2)).toEqual(['3', '1']);
  expect(limitHeaders(await ask('ann')).slice(0, 2)).toEqual(['3', '0']);
  const handled = toy.calls.length;
  const refused = await ask('ann');
  expect(refused.status).toBe(429);
  expect(limitHeaders(refused).slice(0, 2)).toEqual(['3', '0']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect(refused.body).toMatchObject({ toy: { kind: 'rate-limited', limit: 3, windowSeconds: 60 } });
  expect(toy.calls.length).toBe(handled);
  expect((await ask('bob')).status).toBe(200);
});

// conformance: limit.x-ratelimit-limit, host.three-headers-every
test('failed requests of all kinds also have the headers', async () => {
  const broken = await ask('ann', '/broken');
  expect([broken.status, ...limitHeaders(broken).slice(0, 2)]).toEqual([500, '3', '2']);
  const large = await host.request('POST', '/wp-json/toy/v1/echo', {
    user: host.credentials('ann'),
    body: 'x'.repeat(300_000),
  });
  expect([large.status, ...limitHeaders(large).slice(0, 2)]).toEqual([413, '3', '1']);
});

const UNCHARGED: readonly (readonly ['GET' | 'POST' | 'OPTIONS', string, number])[] = [
  ['GET', '/wp-json/', 200],
  ['GET', '/wp-json/toy/v1', 200],
  ['GET', '/wp-json/toy/v1/open', 200],
  ['OPTIONS', '/wp-json/toy/v1/echo', 200],
  ['GET', '/wp-json/wp/v2/users/me', 200],
  ['GET', '/wp-json/wp/v2/users/me/application-passwords', 200],
  ['GET', '/wp-json/wp/v2/users?page=x', 403],
  ['GET', '/wp-json/wp/v2/users/me?context=x', 400],
  ['POST', '/wp-json/toy/v1/admins', 403],
  ['GET', '/wp-json/none', 404],
];

// conformance: limit.x-ratelimit-limit, host.three-headers-every
test.each(UNCHARGED)('%s %s (%i) reports the budget and does not use it', async (method, path, status) => {
  await ask('bob');
  const answer = await host.request(method, path, { user: 'bob' });
  expect([answer.status, ...limitHeaders(answer)]).toEqual([status, '3', '2', endOfMinute()]);
  expect(limitHeaders(await ask('bob')).slice(0, 2)).toEqual(['3', '1']);
});

// conformance: host.three-headers-every
test('an anonymous caller has no budget and gets no headers', async () => {
  const open = await host.request('GET', '/wp-json/toy/v1/open');
  expect([open.status, ...limitHeaders(open)]).toEqual([200, undefined, undefined, undefined]);
});

// conformance: limit.x-ratelimit-limit
test("after too many wrong passwords, the headers describe the address's window", async () => {
  const guarded = await startTestHost({
    extensions: [createToy().extension],
    clock: () => now,
    loginGuard: { failures: 2, windowSeconds: 60 },
  });
  try {
    const guess = (path: string) => guarded.request('GET', path, { user: { login: 'ann', secret: 'wrong' } });
    await guess('/wp-json/');
    await guess('/wp-json/');
    for (const path of ['/wp-json/', '/wp-json/toy/v1/echo']) {
      const answer = await guess(path);
      const wait = Number(answer.headers['retry-after']);
      expect([answer.status, ...limitHeaders(answer)]).toEqual([
        429,
        '2',
        '0',
        String(now.getTime() / 1000 + wait),
      ]);
    }
  } finally {
    await guarded.stop();
  }
});

test('a rejected login does not count against the rate limit', async () => {
  await host.request('GET', '/wp-json/toy/v1/echo', { user: { login: 'ann', secret: 'wrong' } });
  expect(limitHeaders(await ask('ann')).slice(0, 2)).toEqual(['3', '2']);
});

// Rate limits as a client sees them: the three headers, and the refusal.
import { startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';

const now = new Date('2026-05-01T10:00:00Z');
const toy = createToy();
let host: TestHost;
beforeEach(async () => {
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
afterEach(() => host.stop());

const ask = (login: string, path = '/echo') =>
  host.request('GET', `/wp-json/toy/v1${path}`, { user: host.credentials(login) });
const told = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) =>
  ['limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);

test('every answer tells the tighter window; the one above it is refused', async () => {
  expect(told(await ask('ann'))).toEqual(['3', '2', String(Date.parse('2026-05-01T10:01:00Z') / 1000)]);
  expect(told(await ask('ann')).slice(0, 2)).toEqual(['3', '1']);
  expect(told(await ask('ann')).slice(0, 2)).toEqual(['3', '0']);
  const handled = toy.calls.length;
  const refused = await ask('ann');
  expect(refused.status).toBe(429);
  expect(told(refused).slice(0, 2)).toEqual(['3', '0']);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect(refused.body).toMatchObject({ toy: { kind: 'rate-limited', limit: 3, windowSeconds: 60 } });
  expect(toy.calls.length).toBe(handled);
  expect((await ask('bob')).status).toBe(200);
});

test('failures of every kind tell it too', async () => {
  const broken = await ask('ann', '/broken');
  expect([broken.status, ...told(broken).slice(0, 2)]).toEqual([500, '3', '2']);
  const large = await host.request('POST', '/wp-json/toy/v1/echo', {
    user: host.credentials('ann'),
    body: 'x'.repeat(300_000),
  });
  expect([large.status, ...told(large).slice(0, 2)]).toEqual([413, '3', '1']);
});

test('a route without a limit tells nothing and costs nothing', async () => {
  const open = await ask('ann', '/open');
  expect(told(open)).toEqual([undefined, undefined, undefined]);
  expect(told(await ask('ann')).slice(0, 2)).toEqual(['3', '2']);
});

test('a refused login costs nothing', async () => {
  await host.request('GET', '/wp-json/toy/v1/echo', { user: { login: 'ann', secret: 'wrong' } });
  expect(told(await ask('ann')).slice(0, 2)).toEqual(['3', '2']);
});

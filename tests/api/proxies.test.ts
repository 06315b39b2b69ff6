// The effects of a proxy: which client address is used, how credentials may be sent, and which host name appears in responses.
import { logInAs, sendPageRequest } from '../support/page-client';
import { LOGIN_PASSWORD, startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';

const ECHO = '/wp-json/toy/v1/echo';
const FROM_ELSEWHERE = { 'X-Forwarded-For': '203.0.113.9' };

let untrusted: TestHost;
let trusted: TestHost;
beforeAll(async () => {
  const start = (trustProxy: readonly string[] | undefined) =>
    startTestHost({
      extensions: [createToy().extension],
      users: [{ login: 'ann', role: 'administrator' }],
      environment: 'production',
      loginGuard: { failures: 2, windowSeconds: 60 },
      ...(trustProxy && { trustProxy }),
    });
  [untrusted, trusted] = await Promise.all([start(undefined), start(['loopback'])]);
});
afterAll(() => Promise.all([untrusted.stop(), trusted.stop()]));

describe('a proxy on the same machine that TRUST_PROXY does not name', () => {
  test.each<[string, Record<string, string>]>([
    ['X-Forwarded-For', FROM_ELSEWHERE],
    ['a client that claims to be this machine', { 'X-Forwarded-For': '127.0.0.1' }],
    ['X-Forwarded-Proto', { 'X-Forwarded-Proto': 'https' }],
    ['X-Forwarded-Host', { 'X-Forwarded-Host': 'stats.example' }],
    ['Forwarded', { Forwarded: 'for=203.0.113.9;proto=http' }],
    // attack: forged-addresses-without-trusted
  ])('does not make any caller local: %s', async (_what, headers) => {
    const { status, body } = await untrusted.request('GET', ECHO, { user: 'ann', headers });
    expect([status, body.toy.reason]).toEqual([401, expect.stringContaining('TRUST_PROXY')]);
    const fields = { log: 'ann', pwd: LOGIN_PASSWORD };
    expect((await sendPageRequest(untrusted, '/wp-login.php', { headers, fields })).status).toBe(403);
  });

  test('does not affect callers on the same machine', async () => {
    expect((await untrusted.request('GET', ECHO, { user: 'ann' })).status).toBe(200);
    await logInAs(untrusted, 'ann');
  });
});

test('the port in an address is ignored in login guards, address ranges, the log and the record of the last use', async () => {
  const from = (port: number, address = '203.0.113.9') => ({
    'X-Forwarded-For': `${address}:${port}`,
    'X-Forwarded-Proto': 'https',
  });
  const { uuid, ...key } = await trusted.createApplicationPassword('ann', 'ranged', {
    addressRanges: ['203.0.113.9'],
  });
  const ask = (port: number, secret = key.secret, address?: string) =>
    trusted.request('GET', ECHO, { user: { login: 'ann', secret }, headers: from(port, address) });
  expect((await ask(1)).status).toBe(200);
  await trusted.rest.settle();
  const row = await trusted.database.write('host.application_passwords').where({ uuid }).first();
  expect(row.last_ip).toBe('203.0.113.9');
  expect(trusted.logged).toContainEqual(
    expect.objectContaining({ req: expect.objectContaining({ address: '203.0.113.9' }) }),
  );
  for (const port of [2, 3]) expect((await ask(port, 'wrong')).status).toBe(401);
  expect((await ask(4, 'wrong')).status).toBe(429);
  expect((await ask(4)).status).toBe(200);
  expect((await ask(5, host().secret, '203.0.113.10')).status).toBe(200);
});
const host = () => trusted.credentials('ann');

describe("the host's address in a response", () => {
  test.each([
    ['a trusted proxy', () => trusted, 'http://stats.example'],
    ['a proxy that TRUST_PROXY does not name', () => untrusted, undefined],
  ] as const)('is the X-Forwarded-Host sent by %s', async (_what, target, home) => {
    const { body } = await target().request('GET', '/wp-json/', {
      headers: { 'X-Forwarded-Host': 'stats.example' },
    });
    expect(body.home).toBe(home ?? target().url);
  });

  test.each(['/wp-json/', '/wp-json/toy/v1', '/wp-json/toy/v1/open', '/wp-json/none', '/', '/nowhere'])(
    'is not cacheable: %s',
    async (path) => {
      const { headers } = await trusted.request('GET', path);
      expect(headers['cache-control']).toBe('no-store');
    },
  );
});

test("pages call the address in the browser's address bar, even if a proxy drops the port", async () => {
  const ann = await logInAs(trusted, 'ann');
  const headers = {
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': 'stats.example',
    'X-Forwarded-For': '203.0.113.9',
  };
  const { status, text } = await ann.send('/wp-admin/profile', { headers });
  expect(status).toBe(200);
  expect(text).toContain('<meta name="rest-root" content="/wp-json/">');
});

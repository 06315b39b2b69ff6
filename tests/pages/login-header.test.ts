// Logins through a proxy that sends the account's name in a header.
import { setDisabled } from '../../host-shim/accounts/users';
import { cookieOf, sendPageRequest } from '../support/page-client';
import { startTestHost, type TestAnswer, type TestHost } from '../support/test-host';

const HEADER = 'X-Forwarded-User';
const USERS = [
  { login: 'Ann', role: 'administrator', email: 'ann@example.org' },
  { login: 'bob', role: 'analyst' },
] as const;

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    users: USERS,
    adminSecondFactor: true,
    loginHeader: { name: HEADER, from: ['10.0.0.0/8', '127.0.0.1'] },
  });
});
afterAll(() => host.stop());

const get = (path: string, account?: string, cookie?: string, on = host): Promise<TestAnswer> =>
  sendPageRequest(on, path, {
    headers: {
      ...(account !== undefined && { [HEADER]: account }),
      ...(cookie !== undefined && { Cookie: cookie }),
    },
  });

async function cookieFor(account: string): Promise<string> {
  return cookieOf(await get('/wp-login.php', account)) ?? '';
}

// conformance: beyond.login-header
test.each(['Ann', 'ANN', ' ann '])('%j is logged in and sees the requested page', async (account) => {
  const response = await get('/wp-login.php?redirect_to=%2Fwp-admin%2Fprofile', account);
  expect([response.status, response.headers.location]).toEqual([303, '/wp-admin/profile']);
  const shown = await get('/wp-admin/profile', account, cookieOf(response));
  expect(shown.status).toBe(200);
  expect(shown.text).toContain('<code>Ann</code>');
});

// attack: login-header-elsewhere
test.each([
  ['without the header', undefined],
  ['with the name of another account', 'bob'],
  ['with an unknown name', 'nobody'],
])('a session is not valid %s', async (_what, account) => {
  const cookie = await cookieFor('Ann');
  expect((await get('/wp-admin/users', account, cookie)).headers.location).toMatch(/^\/wp-login\.php/);
});

// attack: login-header-elsewhere
test.each(['nobody', 'ann@example.org', 'Ann, bob', "' OR ''='", '<script>'])(
  '%j does not log anyone in, and the page explains why',
  async (account) => {
    const { status, headers, text } = await get('/wp-login.php', account);
    expect([status, headers['set-cookie']]).toEqual([403, undefined]);
    expect(text).toContain('which does not exist here or is disabled.');
    expect(text).not.toContain('<script>');
  },
);

test("no second factor is required, because that is the proxy's responsibility", async () => {
  const shown = await get('/wp-admin/profile/second-factor', 'Ann', await cookieFor('Ann'));
  expect(shown.status).toBe(200);
  expect(shown.text).not.toContain('Administrators of this installation need');
});

test('a disabled account is not logged in', async () => {
  const { id } = await host.createUser({ login: 'gone', role: 'analyst' });
  const cookie = await cookieFor('gone');
  await setDisabled(host.database.write, id, true);
  expect((await get('/wp-admin/profile', 'gone', cookie)).status).toBe(303);
  expect((await get('/wp-login.php', 'gone')).status).toBe(403);
});

test('after a logout, the page confirms it instead of logging the user in again', async () => {
  const { status, text } = await get('/wp-login.php?loggedout=true', 'Ann');
  expect(status).toBe(200);
  expect(text).toContain('You have been logged out.');
});

// attack: login-header-rest
test('the header does not authenticate REST requests', async () => {
  const { status } = await host.request('GET', '/wp-json/wp/v2/users/me', { headers: { [HEADER]: 'Ann' } });
  expect(status).toBe(401);
});

test('the login form still works, and its session does not need the header', async () => {
  const fields = { log: 'bob', pwd: 'login password for tests' };
  const form = await sendPageRequest(host, '/wp-login.php', { fields, headers: { [HEADER]: 'Ann' } });
  const bob = { get: (path: string) => get(path, undefined, cookieOf(form)) };
  expect((await bob.get('/wp-admin/profile')).text).toContain('<code>bob</code>');
});

// attack: login-header-elsewhere
test.each([
  ['from another address', { name: HEADER, from: ['10.0.0.0/8'] }],
  ['without the setting', undefined],
])('%s, the header is ignored, and so is a forged forwarding header', async (_what, loginHeader) => {
  const otherHost = await startTestHost({
    users: USERS,
    extensions: [],
    trustProxy: ['loopback'],
    ...(loginHeader && { loginHeader }),
  });
  try {
    for (const more of [{}, { 'X-Forwarded-For': '10.0.0.1' }]) {
      const response = await sendPageRequest(otherHost, '/wp-login.php', {
        headers: { [HEADER]: 'Ann', ...more },
      });
      expect([response.status, cookieOf(response)]).toEqual([200, undefined]);
      expect(response.text).not.toContain('does not exist here');
    }
  } finally {
    await otherHost.stop();
  }
});

// Logging in with the login password over HTTP: who can log in, which page opens next, the messages, and logging out.
import { request as httpRequest } from 'node:http';
import { setDisabled } from '../../host-shim/accounts/users';
import { cookieOf, logInAs, type PageRequest, sendPageRequest } from '../support/page-client';
import { pageExtension } from '../support/page-extension';
import { LOGIN_PASSWORD, startTestHost, type TestHost } from '../support/test-host';

let host: TestHost;

beforeAll(async () => {
  host = await startTestHost({
    users: [
      { login: 'Ann', role: 'administrator', email: 'ann@example.org' },
      { login: 'gone', role: 'analyst' },
    ],
    extensions: [
      pageExtension([], ({ addAction }) =>
        addAction('user_logged_in', () => {
          throw new Error('this extension fails during logins');
        }),
      ),
    ],
  });
});
afterAll(() => host.stop());

const logIn = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  sendPageRequest(host, '/wp-login.php', { fields, headers });

test('the page asks for a login and a login password, without a menu', async () => {
  const { status, text } = await sendPageRequest(host, '/wp-login.php');
  expect(status).toBe(200);
  expect(text).toMatch(/<input [^>]*name="log"[^>]*autocomplete="username"/);
  expect(text).toMatch(/<input [^>]*name="pwd" type="password"[^>]*autocomplete="current-password"/);
  expect(text).not.toContain('<nav');
});

test.each(['Ann', 'ann', 'ANN@example.org'])(
  '%s can log in, although an extension fails during logins',
  async (log) => {
    const response = await logIn({ log, pwd: LOGIN_PASSWORD });
    expect(response.status).toBe(303);
    expect(response.headers.location).toBe('/wp-admin/');
    expect(response.headers['cache-control']).toContain('no-store');
    expect(response.headers['set-cookie']).not.toMatch(/Expires|Max-Age/i);
  },
);

test('the option to stay logged in sets a cookie for two weeks', async () => {
  const { headers } = await logIn({ log: 'Ann', pwd: LOGIN_PASSWORD, rememberme: 'forever' });
  const expires = /Expires=([^;]+)/i.exec(headers['set-cookie'] ?? '')?.[1] ?? '';
  const days = (Date.parse(expires) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(13.9);
  expect(days).toBeLessThan(14.1);
});

test('a wrong password and an unknown user get the same message, and the form keeps everything except the password', async () => {
  const wrong = await logIn({ log: 'Ann', pwd: 'not the password', rememberme: 'forever' });
  const unknown = await logIn({ log: 'Bea', pwd: 'not the password', rememberme: 'forever' });
  expect([wrong.status, unknown.status]).toEqual([401, 401]);
  const styleNonce = /nonce="[^"]*"/;
  expect(wrong.text.replace(styleNonce, '')).toBe(
    unknown.text.replace(styleNonce, '').replaceAll('"Bea"', '"Ann"'),
  );
  expect(wrong.text).toContain('Unknown user or wrong password.');
  expect(wrong.text).toMatch(/name="log" type="text" value="Ann"/);
  expect(wrong.text).toMatch(/value="forever" checked/);
  expect(wrong.text).not.toContain('not the password');
  expect(wrong.headers['set-cookie']).toBeUndefined();
});

test('an application password is rejected', async () => {
  const { status, text } = await logIn({ log: 'Ann', pwd: host.credentials('Ann').secret });
  expect(status).toBe(401);
  expect(text).toContain('An application password is not accepted here.');
});

test('a disabled account cannot log in', async () => {
  const { id } = await host.createUser({ login: 'dora', role: 'analyst' });
  await setDisabled(host.database.write, id, true);
  expect((await logIn({ log: 'dora', pwd: LOGIN_PASSWORD })).status).toBe(401);
});

describe('the page after login', () => {
  test.each([
    ['/wp-admin/goals/demo?x=1&y=%2F', '/wp-admin/goals/demo?x=1&y=%2F'],
    ['', '/wp-admin/'],
    ['https://evil.example/', '/wp-admin/'],
    ['//evil.example/', '/wp-admin/'],
    ['/\\evil.example/', '/wp-admin/'],
    ['/\t/evil.example/', '/wp-admin/'],
    ['\\\\evil.example', '/wp-admin/'],
    ['javascript:alert(1)', '/wp-admin/'],
    ['evil.example', '/wp-admin/'],
    ['/wp-admin/\r\nSet-Cookie: a=b', '/wp-admin/'],
  ])('redirect_to %j leads to %s', async (redirectTo, target) => {
    const shown = await sendPageRequest(host, `/wp-login.php?redirect_to=${encodeURIComponent(redirectTo)}`);
    expect(shown.text).toContain(`name="redirect_to" value="${target.replaceAll('&', '&amp;')}"`);
    const { headers } = await logIn({ log: 'Ann', pwd: LOGIN_PASSWORD, redirect_to: redirectTo });
    expect(headers.location).toBe(target);
  });

  test('a page requested without a session is shown after login', async () => {
    const response = await sendPageRequest(host, '/wp-admin/profile?x=1');
    expect(response.status).toBe(303);
    expect(response.headers.location).toBe('/wp-login.php?redirect_to=%2Fwp-admin%2Fprofile%3Fx%3D1');
  });

  test('after a form is sent without a session, its page opens again after login', async () => {
    const sent = await sendPageRequest(host, '/wp-admin/profile', { fields: { action: 'details' } });
    expect(sent.headers.location).toBe('/wp-login.php?redirect_to=%2Fwp-admin%2Fprofile');
  });

  test('a user who is already logged in is redirected', async () => {
    const ann = await logInAs(host, 'Ann');
    const { status, headers } = await ann.get('/wp-login.php?redirect_to=%2Fwp-admin%2Fprofile');
    expect([status, headers.location]).toEqual([303, '/wp-admin/profile']);
  });
});

describe('logging out', () => {
  test('ends the session and is confirmed', async () => {
    const ann = await logInAs(host, 'Ann');
    const out = await ann.post('/wp-login.php?action=logout', {});
    expect(out.headers.location).toBe('/wp-login.php?loggedout=true');
    expect((await ann.get('/wp-login.php?loggedout=true')).text).toContain('You have been logged out.');
    expect((await ann.get('/wp-admin/profile')).status).toBe(303);
  });

  test.each<[string, PageRequest, number]>([
    ['an old nonce', { fields: { _wpnonce: 'old' } }, 403],
    ['no nonce', { fields: {} }, 403],
    ['a GET request', {}, 200],
  ])('%s: the page asks for confirmation, and its form logs the user out', async (_what, request, status) => {
    const ann = await logInAs(host, 'Ann');
    const response = await ann.send('/wp-login.php?action=logout', request);
    expect(response.status).toBe(status);
    expect(response.text).toContain('You are still logged in. Do you want to log out?');
    expect((await ann.get('/wp-admin/profile')).status).toBe(200);
    const [, page = ''] = response.text.split('<main');
    expect(page).toContain('<form method="post">');
    const [, nonce = ''] = /name="_wpnonce" value="([^"]+)"/.exec(page) ?? [];
    const out = await ann.send('/wp-login.php?action=logout', { fields: { _wpnonce: nonce } });
    expect(out.headers.location).toBe('/wp-login.php?loggedout=true');
    expect((await ann.get('/wp-admin/profile')).status).toBe(303);
  });

  test('without a session is treated as successful', async () => {
    const ann = await logInAs(host, 'Ann');
    await ann.post('/wp-login.php?action=logout', {});
    const again = await ann.post('/wp-login.php?action=logout', {});
    expect(again.headers.location).toBe('/wp-login.php?loggedout=true');
  });

  test('cannot be triggered by another site', async () => {
    const ann = await logInAs(host, 'Ann');
    const { status } = await ann.send('/wp-login.php?action=logout', {
      headers: { 'Sec-Fetch-Site': 'cross-site' },
      fields: { _wpnonce: ann.nonce },
    });
    expect(status).toBe(403);
    expect((await ann.get('/wp-admin/profile')).status).toBe(200);
  });

  test.each(['constructor', '__proto__', '<b>'])('?loggedout=%s shows no message', async (word) => {
    const { status, text } = await sendPageRequest(
      host,
      `/wp-login.php?loggedout=${encodeURIComponent(word)}`,
    );
    expect(status).toBe(200);
    expect(text).not.toContain('role="status"');
  });
});

describe('a client that sends Expect: 100-continue with its form', () => {
  /** Whether the host wanted the form, and the status of its response. The form is sent only after a 100 Continue. */
  function send(length: number, form: string): Promise<{ wanted: boolean; status: number | undefined }> {
    return new Promise((resolve, reject) => {
      let wanted = false;
      const request = httpRequest(`${host.url}/wp-login.php`, {
        method: 'POST',
        headers: {
          Expect: '100-continue',
          'Content-Type': 'application/x-www-form-urlencoded',
          'Content-Length': length,
        },
      });
      request.on('continue', () => {
        wanted = true;
        request.end(form);
      });
      request.on('response', (response) => {
        response.resume();
        resolve({ wanted, status: response.statusCode });
        request.destroy();
      });
      request.on('error', reject);
      request.flushHeaders();
    });
  }

  test('receives 100 Continue', async () => {
    const form = new URLSearchParams({ log: 'Ann', pwd: LOGIN_PASSWORD }).toString();
    expect(await send(form.length, form)).toEqual({ wanted: true, status: 303 });
  });

  test('is rejected immediately if the form is too large', async () => {
    expect(await send(600_000, '')).toEqual({ wanted: false, status: 413 });
  });
});

describe('forms that cannot be read', () => {
  test('a form that is too large is rejected with a message', async () => {
    const { status, text } = await logIn({ log: 'Ann', pwd: 'x'.repeat(600_000) });
    expect(status).toBe(413);
    expect(text).toBe('A form may be at most 512 kB; this one is larger. Nothing was changed.\n');
  });

  test('a form in an encoding other than UTF-8 is rejected with a message', async () => {
    const { status, text } = await logIn(
      { log: 'Ann' },
      { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-99' },
    );
    expect(status).toBe(415);
    expect(text).toContain('sent as UTF-8');
  });

  test('another media type is treated as an empty form', async () => {
    const { status } = await logIn(
      { log: 'Ann', pwd: LOGIN_PASSWORD },
      { 'Content-Type': 'application/json' },
    );
    expect(status).toBe(401);
  });
});

test('logins over plain HTTP from another machine are rejected with an explanation', async () => {
  const remoteHost = await startTestHost({
    users: [{ login: 'ann', role: 'administrator' }],
    extensions: [],
    environment: 'production',
    trustProxy: ['loopback'],
  });
  try {
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    const shown = await sendPageRequest(remoteHost, '/wp-login.php', { headers });
    expect(shown.text).toContain('You cannot log in over plain HTTP from another machine');
    const fields = { log: 'ann', pwd: LOGIN_PASSWORD };
    const refused = await sendPageRequest(remoteHost, '/wp-login.php', { headers, fields });
    expect([refused.status, cookieOf(refused)]).toEqual([403, undefined]);
    const secure = await sendPageRequest(remoteHost, '/wp-login.php', {
      headers: { ...headers, 'X-Forwarded-Proto': 'https' },
      fields,
    });
    expect(secure.status).toBe(303);
    expect(secure.headers['set-cookie']).toMatch(/; Secure/i);
  } finally {
    await remoteHost.stop();
  }
});

test('after too many wrong passwords, the correct one is also rejected', async () => {
  const guarded = await startTestHost({
    users: [{ login: 'ann', role: 'administrator' }],
    extensions: [],
    pageLoginGuard: { failures: 2, windowSeconds: 60 },
  });
  try {
    const attempt = (pwd: string) =>
      sendPageRequest(guarded, '/wp-login.php', { fields: { log: 'ann', pwd } });
    await attempt('wrong');
    await attempt('wrong again');
    const { status, text, headers } = await attempt(LOGIN_PASSWORD);
    expect(status).toBe(429);
    expect(text).toMatch(/Too many failed logins from this address; try again in \d+ s\./);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  } finally {
    await guarded.stop();
  }
});

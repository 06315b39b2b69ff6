// A second factor: setting it up, logging in with it, limits on guesses, the setting that requires it, and removing it.
import { setLoginPassword } from '../../host-shim/accounts/users';
import { SessionStore } from '../../host-shim/sessions/session-store';
import { codeAt, SECOND_FACTOR, setUpFactor } from '../support/authenticator';
import { cookieOf, logInAs, sendPageRequest } from '../support/page-client';
import { LOGIN_PASSWORD, startTestHost, type TestHost } from '../support/test-host';

const STEP_MS = 30_000;
let now = new Date('2026-05-01T12:00:00Z');
const clock = () => now;
/** Moves the clock to the next code. */
const wait = (steps = 1) => {
  now = new Date(now.getTime() + steps * STEP_MS);
};

let host: TestHost;
let created = 0;
beforeAll(async () => {
  host = await startTestHost({ clock, users: [{ login: 'ann', role: 'administrator' }] });
});
afterAll(() => host.stop());
beforeEach(() => host.database.write('host.window_count').delete());

async function addWithFactor() {
  created += 1;
  const login = `user${created}`;
  const { id } = await host.createUser({ login, role: 'analyst' });
  const client = await logInAs(host, login);
  const { secret, codes } = await setUpFactor(client, now);
  wait();
  return { id, login, client, secret, codes };
}

const firstStep = (log: string, more: Readonly<Record<string, string>> = {}, on = host) =>
  sendPageRequest(on, '/wp-login.php', { fields: { log, pwd: LOGIN_PASSWORD, ...more } });
const tokenIn = (text: string): string => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
const secondStep = (token: string, code: string, more: Readonly<Record<string, string>> = {}) =>
  sendPageRequest(host, '/wp-login.php', { fields: { token, code, ...more } });
const loggedOf = (login: string) => host.logged.filter((line) => line.login === login).map(({ msg }) => msg);

describe('setting up a second factor', () => {
  // conformance: beyond.second-factor
  test('requires the password and a code for the key, and shows the recovery codes once', async () => {
    const { login, client, codes } = await addWithFactor();
    expect(codes).toHaveLength(10);
    expect(loggedOf(login)).toEqual(['A second factor was set up.']);
    const shown = await client.get(SECOND_FACTOR);
    expect(shown.text).toContain('10 left');
    for (const code of codes) expect(shown.text).not.toContain(code);
    expect((await client.get('/wp-admin/profile')).text).toMatch(/<dt>Second factor<\/dt><dd>on since/);
  });

  // attack: second-factor-skipped
  test("ends the account's other sessions, and a login that was checked without a code gets no session", async () => {
    created += 1;
    const login = `user${created}`;
    const { id } = await host.createUser({ login, role: 'analyst' });
    const [client, other] = [await logInAs(host, login), await logInAs(host, login)];
    await setUpFactor(client, now);
    expect((await client.get('/wp-admin/profile')).status).toBe(200);
    expect((await other.get('/wp-admin/profile')).headers.location).toMatch(/^\/wp-login\.php/);
    const account = await host.database.write('host.users').where('user_id', id).first();
    const checked = { userId: id, passwordHash: account.password_hash, endsAt: '2026-06-01T00:00:00Z' };
    const store = new SessionStore(host.database.write, clock);
    expect(await store.create('late', {}, { ...checked, by: 'password' })).toBe(false);
    expect(await store.create('late', {}, { ...checked, by: 'second factor' })).toBe(true);
  });

  test.each([
    ['a wrong code', { code: '000000' }, 'code', 'That code does not match this key.'],
    ['a wrong password', { password: 'wrong' }, 'password', 'That is not your login password.'],
  ])('%s is rejected, and the key is kept', async (_what, wrong, field, fault) => {
    created += 1;
    await host.createUser({ login: `user${created}`, role: 'analyst' });
    const client = await logInAs(host, `user${created}`);
    const { text } = await client.get(SECOND_FACTOR);
    const secret = /name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1] ?? '';
    const right = { code: codeAt(secret, now), password: LOGIN_PASSWORD };
    const refused = await client.post(SECOND_FACTOR, { action: 'set-up', secret, ...right, ...wrong });
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(new RegExp(`id="field-${field}-fault" class="fault">${fault}`));
    expect(refused.text).toContain(`value="${secret}"`);
    expect(refused.text).toContain('data:image/svg+xml');
    expect((await firstStep(`user${created}`)).status).toBe(303);
  });

  test('is rejected without a key, a second time, and with an unknown path', async () => {
    const { client } = await addWithFactor();
    const again = { action: 'set-up', secret: 'A'.repeat(32), code: '123456', password: LOGIN_PASSWORD };
    expect((await client.post(SECOND_FACTOR, again)).status).toBe(409);
    expect((await client.post(SECOND_FACTOR, { ...again, secret: 'short' })).status).toBe(400);
    expect((await client.post(SECOND_FACTOR, { action: 'other' })).status).toBe(400);
    expect((await client.get('/wp-admin/profile/other')).status).toBe(404);
  });
});

describe('the login', () => {
  // conformance: beyond.second-factor
  test('requires the code in addition to the password, and then shows the requested page', async () => {
    const { login, secret } = await addWithFactor();
    const response = await firstStep(login, { redirect_to: '/wp-admin/profile', rememberme: 'forever' });
    expect([response.status, cookieOf(response)]).toEqual([200, undefined]);
    expect(response.text).toMatch(/<input [^>]*name="code"[^>]*autocomplete="one-time-code"/);
    expect(response.text).toContain('name="redirect_to" value="/wp-admin/profile"');
    const done = await secondStep(tokenIn(response.text), codeAt(secret, now), {
      redirect_to: '/wp-admin/profile',
    });
    expect([done.status, done.headers.location]).toEqual([303, '/wp-admin/profile']);
    expect(done.headers['set-cookie']).toMatch(/Expires/i);
  });

  // attack: second-factor-replay
  test('accepts neither a code nor a recovery code twice', async () => {
    const { login, secret, codes } = await addWithFactor();
    for (const code of [codeAt(secret, now), codes[0] ?? '']) {
      const token = tokenIn((await firstStep(login)).text);
      expect((await secondStep(token, code)).status).toBe(303);
      const again = await secondStep(token, code);
      expect([again.status, cookieOf(again)]).toEqual([401, undefined]);
      expect(again.text).toContain('That code is wrong, was already used, or is too old.');
    }
    expect(loggedOf(login)).toEqual([
      'A second factor was set up.',
      'A second factor was refused.',
      'A recovery code was used.',
      'A second factor was refused.',
    ]);
  });

  // attack: second-factor-replay
  test.each(['code', 'recovery code'])(
    'rejects one of two concurrent attempts with the same %s',
    async (kind) => {
      const { login, secret, codes } = await addWithFactor();
      const token = tokenIn((await firstStep(login)).text);
      const code = kind === 'code' ? codeAt(secret, now) : (codes[0] ?? '');
      const responses = await Promise.all([secondStep(token, code), secondStep(token, code)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([303, 401]);
      expect(responses.filter((one) => cookieOf(one) !== undefined)).toHaveLength(1);
    },
  );

  // attack: second-factor-skipped
  test('cannot be completed without the password: the token is signed, expires, and is invalid once the password changes', async () => {
    const { id, login, secret } = await addWithFactor();
    const other = await addWithFactor();
    const token = tokenIn((await firstStep(login)).text);
    const [text = '', signature = ''] = token.split('.');
    const forged = Buffer.from(
      Buffer.from(text, 'base64url').toString().replace(String(id), String(other.id)),
    ).toString('base64url');
    for (const wrong of ['', 'x', 'x.y', `${text}.`, `${forged}.${signature}`]) {
      const refused = await secondStep(wrong, codeAt(other.secret, now));
      expect([refused.status, cookieOf(refused)]).toEqual([401, undefined]);
      expect(refused.text).toContain('That took too long. Log in again.');
    }
    await setLoginPassword(host.database.write, id, LOGIN_PASSWORD, {
      randomBytes: () => Buffer.alloc(16, 7),
    });
    expect((await secondStep(token, codeAt(secret, now))).status).toBe(401);
    const late = tokenIn((await firstStep(login)).text);
    wait(21);
    expect((await secondStep(late, codeAt(secret, now))).text).toContain('That took too long.');
  });

  // attack: second-factor-skipped
  test('still requires the code after the login password was changed', async () => {
    const { id, login } = await addWithFactor();
    const ann = await logInAs(host, 'ann');
    const reset = await ann.post(`/wp-admin/users/${id}/new-password`, {});
    const pwd = /id="login-password"[^>]*>([^<]+)</.exec(reset.text)?.[1] ?? '';
    const response = await firstStep(login, { pwd });
    expect([response.status, cookieOf(response)]).toEqual([200, undefined]);
    expect(tokenIn(response.text)).not.toBe('');
  });

  // attack: second-factor-guessed
  test('allows ten wrong codes per hour for an account, across all addresses', async () => {
    const { login, secret } = await addWithFactor();
    const token = tokenIn((await firstStep(login)).text);
    for (let count = 0; count < 10; count += 1)
      expect((await secondStep(token, codeAt(secret, new Date(0)))).status).toBe(401);
    const refused = await secondStep(token, codeAt(secret, now));
    expect(refused.status).toBe(429);
    expect(refused.text).toMatch(/Too many failed logins for this account; try again in \d+ s\./);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  // attack: second-factor-guessed
  test('counts wrong codes and wrong passwords from an address together', async () => {
    const guarded = await startTestHost({
      clock,
      users: [{ login: 'eve', role: 'analyst' }],
      extensions: [],
      pageLoginGuard: { failures: 2, windowSeconds: 300 },
    });
    try {
      await setUpFactor(await logInAs(guarded, 'eve'), now);
      const token = tokenIn((await firstStep('eve', {}, guarded)).text);
      const attempt = () => sendPageRequest(guarded, '/wp-login.php', { fields: { token, code: '000000' } });
      await attempt();
      await attempt();
      const refused = await attempt();
      expect(refused.status).toBe(429);
      expect(refused.text).toContain('Too many failed logins from this address');
    } finally {
      await guarded.stop();
    }
  });

  test('does not affect application passwords', async () => {
    const { login } = await addWithFactor();
    await host.createApplicationPassword(login);
    expect((await host.request('GET', '/wp-json/wp/v2/users/me', { user: login })).status).toBe(200);
  });
});

describe('changing a second factor', () => {
  const change = (action: string, code: string, password = LOGIN_PASSWORD) => ({ action, code, password });

  test('new recovery codes replace the old ones', async () => {
    const { login, client, secret, codes } = await addWithFactor();
    const renewed = await client.post(SECOND_FACTOR, change('renew', codeAt(secret, now)));
    expect(renewed.text).toContain('Your new recovery codes');
    const token = tokenIn((await firstStep(login)).text);
    expect((await secondStep(token, codes[0] ?? '')).status).toBe(401);
    const [first = ''] = (/id="recovery-codes"[^>]*>([^<]+)</.exec(renewed.text)?.[1] ?? '')
      .trim()
      .split('\n');
    expect((await secondStep(token, first)).status).toBe(303);
  });

  test('turning it off needs both the password and a code', async () => {
    const { login, client, codes } = await addWithFactor();
    const [code = '', other = ''] = codes;
    expect((await client.post(SECOND_FACTOR, change('turn-off', code, 'wrong'))).status).toBe(400);
    expect((await client.post(SECOND_FACTOR, change('turn-off', 'wrong'))).status).toBe(400);
    const off = await client.post(SECOND_FACTOR, change('turn-off', other));
    expect(off.headers.location).toBe('/wp-admin/profile');
    expect((await client.follow(off)).text).toContain('Your second factor is off.');
    expect((await firstStep(login)).status).toBe(303);
    expect(loggedOf(login)).toContain('A second factor was turned off.');
  });

  // attack: second-factor-guessed
  test('wrong codes on the page count like wrong codes at login', async () => {
    const { login, client, secret } = await addWithFactor();
    const token = tokenIn((await firstStep(login)).text);
    for (let count = 0; count < 5; count += 1) {
      expect((await client.post(SECOND_FACTOR, change('renew', '000000'))).status).toBe(400);
      expect((await secondStep(token, '000000')).status).toBe(401);
    }
    // Counts are cached for a second.
    wait();
    const refused = await client.post(SECOND_FACTOR, change('renew', codeAt(secret, now)));
    expect(refused.text).toMatch(/Too many wrong codes; try again in \d+ s\./);
    expect((await secondStep(token, codeAt(secret, now))).status).toBe(429);
  });

  test("an administrator can remove another user's second factor after a confirmation, and this is logged", async () => {
    const { id, login } = await addWithFactor();
    const ann = await logInAs(host, 'ann');
    const address = `/wp-admin/users/${id}/second-factor`;
    expect((await ann.get(`/wp-admin/users/${id}`)).text).toContain(address);
    expect((await ann.get(address)).text).toContain(`Remove ${login}’s second factor`);
    const removed = await ann.post(address, {});
    expect((await ann.follow(removed)).text).toContain('The second factor was removed.');
    expect((await ann.follow(await ann.post(address, {}))).text).toContain('There was no second factor.');
    expect((await firstStep(login)).status).toBe(303);
    expect(host.logged).toContainEqual(
      expect.objectContaining({ msg: 'A second factor was removed.', login, by: 'ann' }),
    );
    const own = await ann.post('/wp-admin/users/1/second-factor', {});
    expect(own.text).toContain('Turn off your own second factor on your profile page');
  });

  test("an analyst cannot remove another user's second factor", async () => {
    const { client } = await addWithFactor();
    const { id } = await addWithFactor();
    expect((await client.post(`/wp-admin/users/${id}/second-factor`, {})).status).toBe(403);
  });
});

describe('if a second factor is required for administrators', () => {
  let strict: TestHost;
  beforeAll(async () => {
    strict = await startTestHost({
      clock,
      adminSecondFactor: true,
      users: [
        { login: 'ann', role: 'administrator' },
        { login: 'bob', role: 'analyst' },
      ],
    });
  });
  afterAll(() => strict.stop());

  // attack: second-factor-skipped
  test('administrators can only set it up or log out until they have one', async () => {
    const ann = await logInAs(strict, 'ann');
    for (const path of ['/wp-admin/', '/wp-admin/dashboard', '/wp-admin/users', '/wp-admin/profile']) {
      const { status, headers } = await ann.get(path);
      expect([path, status, headers.location]).toEqual([path, 303, SECOND_FACTOR]);
    }
    const rest = await ann.send('/wp-json/wp/v2/users/me', { headers: { 'X-WP-Nonce': ann.nonce } });
    expect(rest.status).toBe(401);
    expect((await ann.get(SECOND_FACTOR)).text).toContain('Administrators of this installation need');
    const { codes } = await setUpFactor(ann, now);
    expect((await ann.get('/wp-admin/users')).status).toBe(200);
    const off = { action: 'turn-off', code: codes[0] ?? '', password: LOGIN_PASSWORD };
    expect((await ann.post(SECOND_FACTOR, off)).headers.location).toBe(SECOND_FACTOR);
    expect((await ann.get('/wp-admin/users')).headers.location).toBe(SECOND_FACTOR);
    expect((await ann.post('/wp-login.php?action=logout', {})).status).toBe(303);
  });

  test('other users do not have to set one up', async () => {
    const bob = await logInAs(strict, 'bob');
    expect((await bob.get('/wp-admin/dashboard')).status).toBe(200);
  });
});

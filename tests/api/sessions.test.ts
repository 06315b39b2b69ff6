// Page sessions over HTTP: how they begin, how long they last, what ends them, and how REST uses them.
import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { findAccountByLogin } from '../../host-shim/accounts/accounts';
import { changeUser, setDisabled, setLoginPassword } from '../../host-shim/accounts/users';
import { countSessions, endSessions } from '../../host-shim/sessions/session-store';
import { SESSION_COOKIE } from '../../host-shim/sessions/sessions';
import { cookieOf, logInAs, type PageClient, sendPageRequest } from '../support/page-client';
import { pageExtension, testPage } from '../support/page-extension';
import { basicHeader, LOGIN_PASSWORD, startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';
import { until } from '../support/until';

const ECHO = '/wp-json/toy/v1/echo';
/** A public route without a rate limit. */
const OPEN = '/wp-json/toy/v1/open';
const HOUR_MS = 3_600_000;
const START = new Date('2026-05-01T00:00:00Z');

/** Ends all of the caller's sessions, and leaves a notice in the current one. */
const outEverywhere = testPage('out', async ({ user }) => {
  await endSessions(host.database.write, user.id);
  return { kind: 'redirect', to: '/wp-admin/profile', notice: 'You are logged out. \0' };
});

let now = START;
let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [createToy().extension, pageExtension([outEverywhere])],
    clock: () => now,
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst' },
    ],
    rateLimits: { perMinute: 2, pagesPerMinute: 20 },
  });
});
afterAll(() => host.stop());
beforeEach(async () => {
  now = START;
  await host.database.write('host.session').delete();
});

const rows = () => host.database.write('host.session').orderBy('created_at');
const idOf = async (login: string) => (await findAccountByLogin(host.database.write, login))?.id ?? 0;
/** Returns whether the pages accept a cookie. */
const isOpen = async (cookie: string) =>
  (await sendPageRequest(host, '/wp-admin/profile', { headers: { Cookie: cookie } })).status === 200;
const rest = (headers: Record<string, string>, path = ECHO) => host.request('GET', path, { headers });
const withNonce = ({ cookie, nonce }: Pick<PageClient, 'cookie' | 'nonce'>) => ({
  Cookie: cookie,
  'X-WP-Nonce': nonce,
});

async function queriesDuring(work: () => Promise<unknown>): Promise<number> {
  let queries = 0;
  const count = () => {
    queries += 1;
  };
  host.database.write.on('query', count);
  await work();
  host.database.write.off('query', count);
  return queries;
}

const logIn = (headers: Record<string, string> = {}, more: Record<string, string> = {}) =>
  sendPageRequest(host, '/wp-login.php', {
    fields: { log: 'ann', pwd: LOGIN_PASSWORD, ...more },
    headers,
  });

describe('a login', () => {
  test('creates a session with a new id, and stores only the hash of the id', async () => {
    const cookie = cookieOf(await logIn()) ?? '';
    const id = /=s%3A([\w-]+)\./.exec(cookie)?.[1] ?? '';
    expect(id).toMatch(/^[\w-]{32}$/);
    const [row, ...others] = await rows();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      session_key: createHash('sha256').update(id).digest('hex'),
      user_id: await idOf('ann'),
      created_at: START,
    });
    expect(JSON.stringify(row)).not.toContain(id);
    expect(await isOpen(cookie)).toBe(true);
  });

  test('sets a cookie that is not available to scripts or other sites', async () => {
    const flags = (await logIn()).headers['set-cookie']?.split('; ').slice(1);
    expect(flags?.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax']);
  });

  test("ends the previous session, even another user's", async () => {
    const old = await logInAs(host, 'bob');
    const fresh = cookieOf(await logIn({ Cookie: old.cookie })) ?? '';
    expect(fresh).not.toBe(old.cookie);
    expect(await isOpen(old.cookie)).toBe(false);
    expect(await isOpen(fresh)).toBe(true);
    expect(await rows()).toHaveLength(1);
  });

  test('does not accept a session id that was planted in advance', async () => {
    const planted = `${SESSION_COOKIE}=s%3A${'p'.repeat(32)}.${'x'.repeat(43)}`;
    const fresh = cookieOf(await logIn({ Cookie: planted })) ?? '';
    expect(fresh).not.toContain('pppp');
    expect(await isOpen(planted)).toBe(false);
  });

  test('does not accept the signed id of an ended session', async () => {
    const { cookie } = await logInAs(host, 'bob');
    await host.database.write('host.session').delete();
    expect(cookieOf(await logIn({ Cookie: cookie }))).not.toBe(cookie);
    expect(await isOpen(cookie)).toBe(false);
  });

  test('that fails creates no session and sets no cookie', async () => {
    const failed = await logIn({}, { pwd: 'wrong' });
    expect(failed.headers['set-cookie']).toBeUndefined();
    expect(await rows()).toEqual([]);
  });

  test('removes expired sessions', async () => {
    await logInAs(host, 'bob');
    now = new Date(START.getTime() + 48 * HOUR_MS);
    await logInAs(host, 'ann');
    expect((await rows()).map((row) => row.user_id)).toEqual([await idOf('ann')]);
  });
});

test.each([
  ['two days', {}, 48],
  ['two weeks', { rememberme: 'forever' }, 14 * 24],
])("a session lasts %s by the host's clock, whether it is used or not", async (_label, more, hours) => {
  const cookie = cookieOf(await logIn({}, more)) ?? '';
  const at = (milliseconds: number) => {
    now = new Date(START.getTime() + milliseconds);
  };
  at(hours * HOUR_MS - 1);
  expect(await isOpen(cookie)).toBe(true);
  expect(await countSessions(host.database.write, await idOf('ann'), now)).toBe(1);
  at(hours * HOUR_MS);
  expect(await isOpen(cookie)).toBe(false);
  expect(await countSessions(host.database.write, await idOf('ann'), now)).toBe(0);
});

describe('a session ends', () => {
  let ann: PageClient;
  let bob: PageClient;
  beforeEach(async () => {
    ann = await logInAs(host, 'ann');
    bob = await logInAs(host, 'bob');
  });
  const expectBobOut = async () => {
    expect([await isOpen(ann.cookie), await isOpen(bob.cookie)]).toEqual([true, false]);
    expect((await rest(withNonce(bob))).status).toBe(403);
  };

  test('when its row is deleted', async () => {
    await host.database
      .write('host.session')
      .where({ user_id: await idOf('bob') })
      .delete();
    await expectBobOut();
  });

  test('when all sessions of the account are ended', async () => {
    await logInAs(host, 'bob');
    expect(await endSessions(host.database.write, await idOf('bob'))).toBe(2);
    await expectBobOut();
  });

  test('when its login password is changed', async () => {
    await setLoginPassword(host.database.write, await idOf('bob'), LOGIN_PASSWORD, {
      randomBytes: (size) => new Uint8Array(size),
    });
    await expectBobOut();
  });

  test('when its account is disabled, even if it is enabled again', async () => {
    await setDisabled(host.database.write, await idOf('bob'), true);
    await expectBobOut();
    await setDisabled(host.database.write, await idOf('bob'), false);
    await expectBobOut();
  });

  test('when its account is disabled directly in the database', async () => {
    const disable = (disabled: boolean) =>
      host.database.write('host.users').where({ login: 'bob' }).update({ disabled });
    await disable(true);
    await expectBobOut();
    await disable(false);
  });

  test('and is not restored by an in-flight request', async () => {
    expect((await bob.post('/wp-admin/out', {})).status).toBe(303);
    expect(await isOpen(bob.cookie)).toBe(false);
    expect((await rows()).map((row) => row.user_id)).toEqual([await idOf('ann')]);
  });
});

describe('a login in progress', () => {
  /** Waits until a database session is waiting for a lock in this database, or until `done`. */
  const untilBlocked = (done: () => boolean): Promise<void> =>
    until(async () => {
      const rows = await host.database.read.query({
        text: 'SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.datname = current_database() AND NOT l.granted',
      });
      return rows.length > 0 || done();
    });

  test.each<[string, (trx: Knex, id: number) => Promise<void>]>([
    [
      'a new login password',
      (trx, id) =>
        setLoginPassword(trx, id, 'another password', { randomBytes: (size) => new Uint8Array(size) }),
    ],
    ['disabling the account', (trx, id) => setDisabled(trx, id, true)],
  ])('is rejected after %s', async (what, change) => {
    const login = `late-${what.length}`;
    const { id } = await host.createUser({ login, role: 'analyst' });
    const [answered] = await host.database.write.transaction(async (trx) => {
      await change(trx, id);
      let isDone = false;
      const answering = sendPageRequest(host, '/wp-login.php', {
        fields: { log: login, pwd: LOGIN_PASSWORD },
      }).finally(() => {
        isDone = true;
      });
      await untilBlocked(() => isDone);
      return [answering];
    });
    const answer = await answered;
    expect([answer.status, cookieOf(answer)]).toEqual([401, undefined]);
    expect(answer.text).toContain('Unknown user or wrong password.');
    await setDisabled(host.database.write, id, false);
    expect(await countSessions(host.database.write, id, now)).toBe(0);
  });
});

test('a changed role applies from the next request', async () => {
  await host.createUser({ login: 'cleo', role: 'administrator' });
  const cleo = await logInAs(host, 'cleo');
  expect((await rest(withNonce(cleo))).body.user.role).toBe('administrator');
  await changeUser(host.database.write, await idOf('cleo'), { role: 'analyst' });
  expect((await rest(withNonce(cleo))).body.user).toMatchObject({ role: 'analyst', capabilities: ['read'] });
});

describe('a cookie', () => {
  test('with a wrong or missing signature is ignored, and not looked up', async () => {
    const { cookie } = await logInAs(host, 'ann');
    const unsigned = cookie.replace(/\.[^.]*$/, '');
    const forged = [`${cookie.slice(0, -6)}AAAAAA`, unsigned, unsigned.replace('s%3A', ''), `x${cookie}`];
    const queries = await queriesDuring(async () => {
      for (const one of forged) expect(await isOpen(one)).toBe(false);
    });
    expect(queries).toBe(0);
  });

  test("with another session's signature is not accepted", async () => {
    const [one, two] = [await logInAs(host, 'ann'), await logInAs(host, 'bob')];
    const signature = two.cookie.slice(two.cookie.lastIndexOf('.'));
    expect(await isOpen(one.cookie.replace(/\.[^.]*$/, signature))).toBe(false);
  });

  test('that is missing does not cause a database query', async () => {
    const queries = await queriesDuring(async () => {
      await sendPageRequest(host, '/wp-login.php');
      await sendPageRequest(host, '/wp-admin/profile');
      await rest({}, '/wp-json/toy/v1/open');
      await rest({ 'X-WP-Nonce': 'x' }, '/wp-json/toy/v1/open');
      await rest({ Cookie: 'other=1', 'X-WP-Nonce': 'x' }, '/wp-json/toy/v1/open');
    });
    expect(queries).toBe(0);
    expect(await rows()).toEqual([]);
  });
});

describe('over REST', () => {
  let ann: PageClient;
  beforeEach(async () => {
    ann = await logInAs(host, 'ann');
  });

  test('a cookie and a nonce identify the user, and the response contains a nonce for the next call', async () => {
    const { status, body, headers } = await rest(withNonce(ann));
    expect(status).toBe(200);
    expect(body.user).toMatchObject({ login: 'ann', key: null });
    expect(headers['cache-control']).toContain('no-store');
    expect(headers['x-wp-nonce']).toBe(ann.nonce);
    now = new Date(START.getTime() + 13 * HOUR_MS);
    const later = await rest(withNonce(ann));
    const fresh = later.headers['x-wp-nonce'] ?? '';
    expect([later.status, fresh === ann.nonce]).toEqual([200, false]);
    now = new Date(START.getTime() + 25 * HOUR_MS);
    expect((await rest(withNonce(ann))).body.code).toBe('rest_cookie_invalid_nonce');
    expect((await rest(withNonce({ ...ann, nonce: fresh }))).status).toBe(200);
  });

  test('a request with only a cookie is anonymous, no matter which method it uses', async () => {
    expect((await rest({ Cookie: ann.cookie })).status).toBe(401);
    const post = await host.request('POST', ECHO, { headers: { Cookie: ann.cookie }, body: {} });
    expect(post.status).toBe(401);
    expect((await rest({ Cookie: ann.cookie }, '/wp-json/toy/v1/open')).body.user).toBeNull();
  });

  test('a nonce from another session is rejected, whether it belongs to another user or the same one', async () => {
    for (const login of ['bob', 'ann']) {
      const other = await logInAs(host, login);
      const { status, body, headers } = await rest(withNonce({ cookie: ann.cookie, nonce: other.nonce }));
      expect([status, body.code, headers['x-wp-nonce']]).toEqual([
        403,
        'rest_cookie_invalid_nonce',
        undefined,
      ]);
    }
  });

  const FOREIGN = [
    ["someone's correct credentials", () => basicHeader(host.credentials('bob'))],
    [
      'wrong credentials, sent by a proxy in front of the server',
      () => `Basic ${Buffer.from('gate:secret').toString('base64')}`,
    ],
    ["a gateway's token", () => 'Bearer abc'],
  ] as const;

  test.each(FOREIGN)('a cookie and a nonce take precedence over the header: %s', async (_what, header) => {
    const { status, body } = await rest({ ...withNonce(ann), Authorization: header() }, OPEN);
    expect([status, body.user?.login]).toEqual([200, 'ann']);
  });

  test('with a session, an invalid nonce is rejected, no matter what the header contains', async () => {
    for (const [, header] of FOREIGN) {
      const { status, body } = await rest({
        ...withNonce({ ...ann, nonce: 'old' }),
        Authorization: header(),
      });
      expect([status, body.code]).toEqual([403, 'rest_cookie_invalid_nonce']);
    }
  });

  test.each<[string, () => Record<string, string>]>([
    ['a cookie without a nonce', () => ({ Cookie: ann.cookie })],
    ['a nonce without a cookie', () => ({ 'X-WP-Nonce': ann.nonce })],
    ['a nonce from a session that has ended', () => ({ ...withNonce(ann), Cookie: 'qal_session=s%3Ax.y' })],
  ])('with %s, the header decides', async (_what, headers) => {
    const ask = (secret: string) =>
      host.request('GET', OPEN, { user: { login: 'bob', secret }, headers: headers() });
    const { body } = await ask(host.credentials('bob').secret);
    expect(body.user).toMatchObject({ login: 'bob', key: { name: 'test' } });
    expect((await ask('wrong')).status).toBe(401);
  });

  test('a nonce without a session or a header is invalid', async () => {
    for (const path of [ECHO, OPEN]) {
      const { status, body } = await rest({ 'X-WP-Nonce': ann.nonce }, path);
      expect([status, body.code]).toEqual([403, 'rest_cookie_invalid_nonce']);
    }
  });

  test.each([
    `${OPEN}?_wpnonce=`,
    '/?rest_route=/toy/v1/open&_wpnonce=',
    '/?rest_route=/toy/v1/open/?_wpnonce=',
    '/?rest_route=/toy/v1/open/%3F_wpnonce=',
  ])('the nonce is read from the parsed URL: %s', async (address) => {
    const { body } = await rest({ Cookie: ann.cookie }, address + ann.nonce);
    expect(body.user).toMatchObject({ login: 'ann' });
    const wrong = await rest({ Cookie: ann.cookie }, `${address}x`);
    expect(wrong.body.code).toBe('rest_cookie_invalid_nonce');
  });

  test('a list of nonces is invalid, and a nonce in a form is ignored', async () => {
    const { body } = await rest({ Cookie: ann.cookie }, `${OPEN}?_wpnonce[]=${ann.nonce}`);
    expect(body.code).toBe('rest_cookie_invalid_nonce');
    const form = await host.request('POST', ECHO, {
      headers: { Cookie: ann.cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: `_wpnonce=${ann.nonce}`,
    });
    expect(form.status).toBe(401);
  });

  test('requests from the pages do not count against the rate limit for programs', async () => {
    for (let call = 0; call < 8; call += 1) expect((await rest(withNonce(ann))).status).toBe(200);
    const { headers } = await rest(withNonce(ann));
    expect(headers['x-ratelimit-limit']).toBe('20');
    const program = await host.request('GET', ECHO, { user: 'ann' });
    expect([program.status, program.headers['x-ratelimit-limit']]).toEqual([200, '2']);
  });
});

describe('behind a proxy', () => {
  let proxied: TestHost;
  beforeAll(async () => {
    proxied = await startTestHost({
      extensions: [],
      environment: 'production',
      trustProxy: 1,
      users: [{ login: 'ann', role: 'administrator' }],
      loginGuard: { failures: 2, windowSeconds: 60 },
    });
  });
  afterAll(() => proxied.stop());
  beforeEach(() => proxied.database.write('host.session').delete());

  test('that adds its own credentials, the session is used, and those credentials do not count as a login attempt', async () => {
    const { cookie, nonce } = await logInAs(proxied, 'ann');
    const me = (headers: Record<string, string>) =>
      proxied.request('GET', '/wp-json/wp/v2/users/me', { headers });
    const header = basicHeader({ login: 'gate', secret: 'for the proxy' });
    for (let call = 0; call < 3; call += 1)
      expect((await me({ Cookie: cookie, 'X-WP-Nonce': nonce, Authorization: header })).status).toBe(200);
    expect((await me({ Authorization: basicHeader(proxied.credentials('ann')) })).status).toBe(200);
  });

  test('that uses HTTPS, the cookie is only for HTTPS, and is removed at logout', async () => {
    const headers = { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'https' };
    const fields = { log: 'ann', pwd: LOGIN_PASSWORD };
    const answer = await sendPageRequest(proxied, '/wp-login.php', { fields, headers });
    expect(answer.headers['set-cookie']?.split('; ')).toContain('Secure');
    const cookie = cookieOf(answer) ?? '';
    const page = await sendPageRequest(proxied, '/wp-admin/profile', {
      headers: { ...headers, Cookie: cookie },
    });
    const nonce = /<meta name="rest-nonce" content="([^"]+)">/.exec(page.text)?.[1] ?? '';
    const out = await sendPageRequest(proxied, '/wp-login.php?action=logout', {
      fields: { _wpnonce: nonce },
      headers: { ...headers, Cookie: cookie },
    });
    expect(out.headers['set-cookie']).toMatch(/^qal_session=;.*Expires=Thu, 01 Jan 1970/);
    expect(await proxied.database.write('host.session')).toEqual([]);
  });

  test('a session over plain HTTP is rejected on pages and by REST, and the reason is shown', async () => {
    const from = { 'X-Forwarded-For': '192.0.2.1' };
    const secure = { ...from, 'X-Forwarded-Proto': 'https' };
    const fields = { log: 'ann', pwd: LOGIN_PASSWORD };
    const Cookie =
      cookieOf(await sendPageRequest(proxied, '/wp-login.php', { fields, headers: secure })) ?? '';
    const profile = (headers: Record<string, string>) =>
      sendPageRequest(proxied, '/wp-admin/profile', { headers: { ...headers, Cookie } });
    const nonce = /<meta name="rest-nonce" content="([^"]+)">/.exec((await profile(secure)).text)?.[1] ?? '';
    const me = (headers: Record<string, string>) =>
      proxied.request('GET', '/wp-json/wp/v2/users/me', {
        headers: { ...headers, Cookie, 'X-WP-Nonce': nonce },
      });
    expect((await me(secure)).status).toBe(200);
    const refused = await me(from);
    expect([refused.status, refused.body.message]).toEqual([
      401,
      expect.stringContaining('You cannot log in over plain HTTP from another machine'),
    ]);
    const redirected = await profile(from);
    expect(redirected.status).toBe(303);
    const login = await sendPageRequest(proxied, redirected.headers.location ?? '', {
      headers: { ...from, Cookie },
    });
    expect([login.status, login.text]).toEqual([
      200,
      expect.stringContaining('You cannot log in over plain HTTP'),
    ]);
    await sendPageRequest(proxied, '/wp-admin/profile', {
      headers: { ...from, Cookie },
      fields: { _wpnonce: nonce, action: 'log-out-everywhere' },
    });
    expect((await profile(secure)).status).toBe(200);
  });

  test('that uses plain HTTP, users do not get a session', async () => {
    const answer = await sendPageRequest(proxied, '/wp-login.php', {
      fields: { log: 'ann', pwd: LOGIN_PASSWORD },
      headers: { 'X-Forwarded-For': '192.0.2.1', 'X-Forwarded-Proto': 'http' },
    });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
    expect(await proxied.database.write('host.session')).toEqual([]);
  });
});

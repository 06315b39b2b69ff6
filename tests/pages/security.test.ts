// Attacks on the pages: session fixation, forms from other sites, names that contain code, and leftover secrets.

import { findAccountByLogin } from '../../host-shim/accounts/accounts';
import { changeUser } from '../../host-shim/accounts/users';
import { listApplicationPasswords } from '../../host-shim/auth/application-password-store';
import {
  cookieOf,
  type FormFields,
  logInAs,
  type PageClient,
  type PageRequest,
  sendPageRequest,
} from '../support/page-client';
import { LOGIN_PASSWORD, startTestHost, type TestAnswer, type TestHost } from '../support/test-host';

const CODE = `"'></title></textarea><img src=x onerror=alert(1)>`;
const PROFILE = '/wp-admin/profile';
const PASSWORDS = '/wp-admin/application-passwords';

let host: TestHost;
let ann: PageClient;
let annId: number;

beforeAll(async () => {
  host = await startTestHost({
    sites: [
      {
        tracking_id: 'shop',
        domain: 'shop.example',
        name: `Shop ${CODE}`,
        timezone: 'Asia/Tokyo',
        default: true,
        goals: [
          { id: 1, name: `Goal ${CODE}`, type: 'gtype_page', condition: { match: 'prefix', url: '/<img>' } },
        ],
      },
    ],
    users: [],
  });
  annId = (await host.createUser({ login: 'ann', role: 'administrator' })).id;
  await host.createUser({ login: 'bob', role: 'analyst', sites: ['shop'] });
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

const nameOf = async (login: string) => (await findAccountByLogin(host.database.write, login))?.displayName;
const rename = (displayName: string) => ({ action: 'details', displayName, email: '', timezone: 'UTC' });
/** A page as Ann sees it, after following a redirect. */
async function shownAt(path: string, request: PageRequest = {}): Promise<TestAnswer> {
  const response = await ann.send(path, request);
  return response.status === 303 ? ann.send(response.headers.location ?? '', request) : response;
}
/** The paths of all pages in a user's menu. */
async function menuOf(page: PageClient): Promise<string[]> {
  const { text } = await page.get(PROFILE);
  return [...new Set([...text.matchAll(/<li><a href="(\/wp-admin\/[^"]+)"/g)].map(([, path = '']) => path))];
}

describe('a session that was planted before login', () => {
  const planted = async (cookie: string) => {
    const response = await sendPageRequest(host, '/wp-login.php', {
      headers: { Cookie: cookie },
      fields: { log: 'bob', pwd: LOGIN_PASSWORD },
    });
    expect(response.status).toBe(303);
    return cookieOf(response);
  };

  test('is useless both before and after login if an attacker made it up', async () => {
    const cookie = 'qal_session=s%3Aplanted.c2lnbmF0dXJl';
    const fresh = await planted(cookie);
    expect(fresh).not.toBe(cookie);
    expect((await sendPageRequest(host, PROFILE, { headers: { Cookie: cookie } })).status).toBe(303);
  });

  test('ends if it belongs to the attacker’s account, and does not become the victim’s', async () => {
    const attacker = await logInAs(host, 'ann');
    const fresh = await planted(attacker.cookie);
    expect(fresh).not.toBe(attacker.cookie);
    expect((await attacker.get(PROFILE)).status).toBe(303);
  });

  test('cannot have come from our pages, which create no session before login', async () => {
    const shown = await sendPageRequest(host, '/wp-login.php');
    const wrong = await sendPageRequest(host, '/wp-login.php', {
      fields: { log: 'bob', pwd: 'wrong wrong' },
    });
    const redirect = await sendPageRequest(host, PROFILE);
    expect([shown, wrong, redirect].map(cookieOf)).toEqual([undefined, undefined, undefined]);
  });
});

describe('a form that was not sent from our pages', () => {
  const others: [string, (other: PageClient) => { headers?: Record<string, string>; fields?: FormFields }][] =
    [
      ['without a nonce', () => ({ fields: { _wpnonce: '' } })],
      ['with a wrong nonce', () => ({ fields: { _wpnonce: 'A'.repeat(27) } })],
      [
        'with a nonce from another session of the same person',
        (other) => ({ fields: { _wpnonce: other.nonce } }),
      ],
      ['from another site', () => ({ headers: { 'Sec-Fetch-Site': 'cross-site' } })],
      ['from another host on the same site', () => ({ headers: { 'Sec-Fetch-Site': 'same-site' } })],
      ['with a foreign origin', () => ({ headers: { Origin: 'https://evil.example' } })],
      ['with an opaque origin', () => ({ headers: { Origin: 'null' } })],
      ['with an origin on another port', () => ({ headers: { Origin: 'http://127.0.0.1:1' } })],
    ];

  test.each(others)('%s changes nothing', async (_what, differ) => {
    const { headers = {}, fields = {} } = differ(await logInAs(host, 'ann'));
    const before = await nameOf('ann');
    const response = await ann.send(PROFILE, {
      headers,
      fields: { _wpnonce: ann.nonce, ...rename('Mallory'), ...fields },
    });
    expect(response.status).toBe(403);
    expect(response.text).toContain('nothing was changed');
    expect(await nameOf('ann')).toBe(before);
    expect(response.text).not.toContain('Mallory');
  });

  test('for comparison, forms from our pages are accepted', async () => {
    const fields = { _wpnonce: ann.nonce, ...rename('Ann') };
    const fromHere = [{ 'Sec-Fetch-Site': 'same-origin' }, { Origin: host.url }, {}];
    for (const headers of fromHere) expect((await ann.send(PROFILE, { headers, fields })).status).toBe(303);
    expect(await nameOf('ann')).toBe('Ann');
  });

  test('a GET with the parameters of a form changes nothing', async () => {
    const query = new URLSearchParams({ _wpnonce: ann.nonce, ...rename('Mallory') });
    expect((await ann.get(`${PROFILE}?${query}`)).status).toBe(200);
    await ann.get(`${PASSWORDS}/revoke-all?_wpnonce=${ann.nonce}`);
    await ann.send(PROFILE, { fields: rename('Mallory'), headers: { 'X-WP-Nonce': ann.nonce } });
    expect(await nameOf('ann')).toBe('Ann');
  });

  test.each([
    ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['a foreign origin', { Origin: 'https://evil.example' }],
  ])('cannot log the victim in as the attacker: %s', async (_what, headers: Record<string, string>) => {
    const fields = { log: 'bob', pwd: LOGIN_PASSWORD };
    const response = await sendPageRequest(host, '/wp-login.php', { headers, fields });
    expect([response.status, cookieOf(response)]).toEqual([403, undefined]);
    expect(response.text).toContain('The form was sent from another site');
  });
});

describe('text with markup', () => {
  beforeAll(async () => {
    await changeUser(host.database.write, annId, { displayName: `Ann ${CODE}` });
    await ann.post(PASSWORDS, { name: `Key ${CODE}` });
  });

  /** Expects that no part of the text has become an element or broken out of its attribute. */
  function expectNoCode(text: string): void {
    expect(text).not.toContain('<img');
    expect(text).not.toContain(`"'>`);
  }

  test('in names is escaped on every page', async () => {
    const paths = await menuOf(ann);
    expect(paths.length).toBeGreaterThan(8);
    for (const path of paths) {
      const { status, text } = await shownAt(path);
      expect([path, status]).toEqual([path, 200]);
      expectNoCode(text);
      expect(text).toContain('Ann &quot;&#39;&gt;');
    }
    expect((await ann.get(PASSWORDS)).text).toContain('Key &quot;&#39;&gt;');
  });

  test('in the name of an application password is escaped where it is renamed and revoked', async () => {
    const [{ uuid = '' } = {}] = await listApplicationPasswords(host.database.write, annId);
    for (const path of [uuid, `${uuid}/revoke`, 'revoke-all']) {
      const { status, text } = await ann.get(`${PASSWORDS}/${path}`);
      expect(status).toBe(200);
      expectNoCode(text);
      expect(text).toContain('&lt;img src=x');
    }
  });

  const code = encodeURIComponent(CODE);
  test.each([
    `/wp-admin/authorize-application.php?app_name=${code}&success_url=${encodeURIComponent(`https://a.example/?${CODE}`)}`,
    `/wp-admin/authorize-application.php?app_name=x&app_id=${code}`,
    `/wp-admin/authorize-application.php?app_name=x&success_url=${code}`,
    `/wp-admin/${code}`,
    `/wp-admin/application-passwords/${code}`,
    `/wp-admin/profile?${code}=${code}`,
    `/wp-admin/goals/${code}`,
    `/wp-admin/dashboard?site=${code}&from=${code}&to=${code}`,
    `/wp-admin/queries?by=${code}`,
  ])('in the URL %s is shown as text', async (path) => {
    const { text, headers } = await ann.get(path);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expectNoCode(text);
  });

  test.each([
    `/wp-login.php?redirect_to=${code}`,
    `/wp-login.php?redirect_to=/${code}`,
    `/wp-login.php?loggedout=${code}`,
  ])('in %s is shown as text', async (path) => {
    const { status, text } = await sendPageRequest(host, path);
    expect(status).toBe(200);
    expectNoCode(text);
  });

  test.each<[string, FormFields]>([
    ['/wp-login.php', { log: CODE, pwd: 'x', redirect_to: `/${CODE}` }],
    [PROFILE, { action: 'details', displayName: CODE.repeat(9), email: CODE, timezone: CODE }],
    [PASSWORDS, { name: CODE.repeat(9), expires: CODE, sites: CODE, addresses: CODE, share: CODE }],
  ])('in a form that %s shows again is shown as text', async (path, fields) => {
    const { text } =
      path === '/wp-login.php' ? await sendPageRequest(host, path, { fields }) : await ann.post(path, fields);
    expectNoCode(text);
    expect(text).toContain('&lt;img src=x');
  });

  test('in the Host header is escaped', async () => {
    const { text } = await ann.send(PROFILE, { headers: { Host: `a.example"><img>` } });
    expectNoCode(text);
  });
});

describe('headers', () => {
  const expectGuarded = (path: string, headers: Readonly<Record<string, string | undefined>>) => {
    const policy = headers['content-security-policy'] ?? '';
    expect([path, policy]).toEqual([path, expect.stringContaining("default-src 'none'; script-src 'self';")]);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).toMatch(/form-action 'self'(;|$)/);
    expect(policy).not.toMatch(/unsafe|\*|http|data: .*script/);
    expect(policy).toMatch(/style-src 'self' 'nonce-[\w-]{22}'/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': expect.stringContaining('no-store'),
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-robots-tag': 'noindex',
    });
    expect(headers['access-control-allow-origin']).toBeUndefined();
  };

  test('forbid inline code, frames, caching and sniffing on every page', async () => {
    for (const path of [...(await menuOf(ann)), '/wp-admin/nowhere']) {
      const { headers, text } = await shownAt(path, { headers: { Origin: 'https://evil.example' } });
      expectGuarded(path, headers);
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle="|\son[a-z]+="|javascript:/i);
      expect(text).not.toMatch(/(?:\ssrc|<link [^>]*href)="(?:https?:)?\/\//i);
    }
  });

  test('are the same on the login page', async () => {
    expectGuarded('/wp-login.php', (await sendPageRequest(host, '/wp-login.php')).headers);
  });

  test('contain a different style nonce in every response', async () => {
    const [one, other] = [await ann.get(PROFILE), await ann.get(PROFILE)];
    expect(one.headers['content-security-policy']).not.toBe(other.headers['content-security-policy']);
  });

  test('prevent redirects from being cached', async () => {
    const redirect = await sendPageRequest(host, PROFILE);
    expect(redirect.headers['cache-control']).toContain('no-store');
  });
});

describe('secrets', () => {
  test('an application password is not stored anywhere after it has been shown', async () => {
    const created = await ann.post(PASSWORDS, { name: 'once' });
    const shown = /<pre class="secret"[^>]*>([^<]*)</.exec(created.text)?.[1] ?? '';
    const secret = shown.replaceAll(' ', '');
    expect(secret).toHaveLength(24);
    await host.request('GET', '/wp-json/wp/v2/users/me', { user: { login: 'ann', secret } });
    await host.rest.settle();
    const traces: unknown[] = [host.logged];
    for (const path of await menuOf(ann)) traces.push((await shownAt(path)).text);
    for (const table of ['session', 'users', 'application_passwords', 'secret', 'extension'])
      traces.push(await host.database.write(`host.${table}`).select());
    traces.push(await host.database.write('analytics.query_record').select());
    const text = JSON.stringify(traces);
    expect(text).toContain('once');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(shown);
  });

  test('login passwords and login names typed by strangers are not logged', async () => {
    await sendPageRequest(host, '/wp-login.php', {
      fields: { log: 'my-password-as-a-name', pwd: 'wrong-password' },
    });
    await ann.post(PROFILE, {
      action: 'password',
      oldPassword: 'old-guess',
      newPassword: 'new-one-typed',
      repeated: 'x',
    });
    const text = JSON.stringify(host.logged);
    expect(text).toContain('/wp-login.php');
    for (const word of [
      LOGIN_PASSWORD,
      'my-password-as-a-name',
      'wrong-password',
      'old-guess',
      'new-one-typed',
    ])
      expect(text).not.toContain(word);
  });

  // attack: same-cookie-nonce-session
  test('cookies and nonces cannot be derived from what is stored or logged', async () => {
    const id = decodeURIComponent(ann.cookie).split(/[=:.]/)[2] ?? '';
    expect(id.length).toBeGreaterThan(20);
    const traces = JSON.stringify([host.logged, await host.database.write('host.session').select()]);
    expect(traces).not.toContain(id);
    expect(traces).not.toContain(ann.nonce);
  });

  test('the cookie is HttpOnly and SameSite', async () => {
    const response = await sendPageRequest(host, '/wp-login.php', {
      fields: { log: 'ann', pwd: LOGIN_PASSWORD },
    });
    expect(response.headers['set-cookie']).toMatch(/; HttpOnly/i);
    expect(response.headers['set-cookie']).toMatch(/; SameSite=Lax/i);
  });
});

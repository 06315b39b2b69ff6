// The authorize flow over HTTP: a program asks for a password, the user approves or rejects, and the browser is sent back. Also
// tests which addresses may receive an application password.
import { readReturnAddress, withQuery } from '../../host-shim/admin/pages/return-address';
import { listApplicationPasswords } from '../../host-shim/auth/application-password-store';
import { UNRESTRICTED } from '../../host-shim/auth/key-restrictions';
import { logInAs, type PageClient } from '../support/page-client';
import { pageExtension } from '../support/page-extension';
import { startTestHost, type TestHost } from '../support/test-host';

const PAGE = '/wp-admin/authorize-application.php';
const ME = '/wp-json/wp/v2/users/me';
const APP_ID = '3b3f1d0e-5f5c-4f3e-9a52-0c7f0b1f6f01';
const SUCCESS = 'https://app.example/back?state=a%20b&x=1#done';

let host: TestHost;
let bob: PageClient;
let bobId: number;

beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'お店', timezone: 'Asia/Tokyo' }],
    users: [],
    environment: 'production',
  });
  bobId = (await host.createUser({ login: 'bob', role: 'analyst', sites: ['shop'] })).id;
  bob = await logInAs(host, 'bob');
});
afterAll(() => host.stop());

const APPROVED = { app_name: 'R', name: 'R', decision: 'approve' };
let created = 0;

function createUserWithoutSites() {
  created += 1;
  return host.createUser({ login: `new${created}`, role: 'analyst', sites: [] });
}

const openPage = (parameters: Record<string, string>) =>
  bob.get(`${PAGE}?${new URLSearchParams(parameters)}`);
const decide = (decision: string, fields: Record<string, string>) =>
  bob.post(PAGE, {
    app_name: 'Report',
    app_id: '',
    success_url: '',
    reject_url: '',
    name: 'Report',
    decision,
    ...fields,
  });
const passwords = () => listApplicationPasswords(host.database.write, bobId);
const newest = async (name: string) => (await passwords()).find((password) => password.name === name);

test('the page shows the program, the requested rights and the address that will receive the password, and form-action permits that address', async () => {
  const { status, text, headers } = await openPage({
    app_name: 'Rapport <b>',
    app_id: APP_ID,
    success_url: SUCCESS,
    reject_url: 'myapp://no',
  });
  expect(status).toBe(200);
  expect(text).toContain('<strong>Rapport &lt;b&gt;</strong> asks for access as you, <strong>bob</strong>');
  expect(text).toContain('name="level" value="read" checked> <span><strong>Read analytics</strong>: ');
  expect(text).not.toContain('value="import"');
  expect(text).toContain(
    '<strong>Everything this account may do (as in WordPress)</strong>: read the data of every site that you can see now or later; create, rename and revoke your own application passwords.',
  );
  expect(text).toContain('is sent to <strong>https://app.example</strong>');
  expect(text).toContain('name="name" type="text" value="Rapport &lt;b&gt;"');
  expect(headers['content-security-policy']).toContain("form-action 'self' https: myapp:;");
});

test('after login, the page opens with the same parameters', async () => {
  const address = `${PAGE}?app_name=A%26B&success_url=https%3A%2F%2Fapp.example%2F%3Fa%3Db`;
  const { headers } = await host.request('GET', address);
  const back = new URL(headers.location ?? '', host.url).searchParams.get('redirect_to');
  expect(back).toBe(address);
});

describe('approving', () => {
  test('sends the browser back with site_url, user_login and a password that works', async () => {
    const response = await decide('approve', { success_url: SUCCESS, app_id: APP_ID, name: 'Mein Bericht' });
    expect(response.status).toBe(303);
    const to = new URL(response.headers.location ?? '');
    expect(to.href).toMatch(/^https:\/\/app\.example\/back\?state=a%20b&x=1&site_url=/);
    expect(to.hash).toBe('#done');
    expect(to.searchParams.get('site_url')).toBe(host.url);
    expect(to.searchParams.get('user_login')).toBe('bob');
    const secret = to.searchParams.get('password') ?? '';
    expect(secret).toMatch(/^[A-Za-z0-9]{24}$/);
    expect((await host.request('GET', ME, { user: { login: 'bob', secret } })).status).toBe(200);
    expect(await newest('Mein Bericht')).toMatchObject({ appId: APP_ID });
  });

  test('the response is not cached, sends no referrer and has no body, and the secret is not logged', async () => {
    const { headers, text } = await decide('approve', { success_url: SUCCESS, name: 'unseen' });
    expect(headers['cache-control']).toContain('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(text).toBe('');
    const secret = new URL(headers.location ?? '').searchParams.get('password') ?? '';
    expect(secret).toHaveLength(24);
    expect(JSON.stringify(host.logged)).not.toContain(secret);
    const sessions = await host.database.write('host.session').select();
    expect(JSON.stringify(sessions)).not.toContain(secret);
  });

  test('creates a password that can only read the sites that the user currently sees', async () => {
    await decide('approve', { success_url: SUCCESS, name: 'reads' });
    expect((await newest('reads'))?.restrictions).toEqual({
      expiresAt: null,
      sites: ['shop'],
      addressRanges: null,
      rateShare: null,
      level: 'read',
    });
  });

  test('creates an unrestricted password if the user chooses that', async () => {
    await decide('approve', { success_url: SUCCESS, name: 'everything', level: 'all' });
    expect(await newest('everything')).toMatchObject({ restrictions: UNRESTRICTED });
  });

  test.each([{ share: '10' }, { sites: 'shop' }, { expires: '2999-01-01' }])(
    'cannot combine full access with a restriction: %j',
    async (restriction: Record<string, string>) => {
      const before = (await passwords()).length;
      const { status, text } = await decide('approve', { level: 'all', ...restriction });
      expect(status).toBe(400);
      expect(text).toContain(
        'id="field-level-fault" class="fault">A restricted password cannot do everything.',
      );
      expect(text).toContain('name="level" value="all" checked');
      expect(await passwords()).toHaveLength(before);
    },
  );

  test.each([{}, { share: '50' }, { expires: '2999-01-01' }, { addresses: '192.0.2.7' }])(
    'for a user without sites does not grant all sites: %j',
    async (restriction: Record<string, string>) => {
      const { id, login } = await createUserWithoutSites();
      const { status, text } = await (await logInAs(host, login)).post(PAGE, { ...APPROVED, ...restriction });
      expect([status, text]).toEqual([
        400,
        expect.stringContaining('You do not have access to any sites that the program could read.'),
      ]);
      expect(await listApplicationPasswords(host.database.write, id)).toEqual([]);
    },
  );

  test('for a user without sites can allow everything that the user may do', async () => {
    const { id, login } = await createUserWithoutSites();
    const response = await (await logInAs(host, login)).post(PAGE, { ...APPROVED, level: 'all' });
    expect(response.status).toBe(200);
    expect(await listApplicationPasswords(host.database.write, id)).toMatchObject([
      { restrictions: UNRESTRICTED },
    ]);
  });

  test('does not grant all sites if the sites are unknown', async () => {
    const broken = await startTestHost({
      sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
      users: [],
      extensions: [
        pageExtension([], ({ addFilter }) =>
          addFilter('known_sites', () => {
            throw new Error('no table');
          }),
        ),
      ],
    });
    try {
      const { id } = await broken.createUser({ login: 'bob', role: 'analyst', sites: ['shop'] });
      const { status } = await (await logInAs(broken, 'bob')).post(PAGE, { ...APPROVED, share: '50' });
      expect(status).toBe(400);
      expect(await listApplicationPasswords(broken.database.write, id)).toEqual([]);
    } finally {
      await broken.stop();
    }
  });

  test('shows an administrator what an unrestricted password could do', async () => {
    await host.createUser({ login: 'root', role: 'administrator' });
    const { text } = await (await logInAs(host, 'root')).get(`${PAGE}?app_name=R`);
    for (const words of [
      'read all accounts',
      'other people’s application passwords, and so act as any of them',
      'turn extensions on and off',
    ])
      expect(text).toContain(words);
  });

  test('can restrict the password', async () => {
    await decide('approve', { success_url: 'myapp:/back', name: 'weaker', sites: 'shop', share: '10' });
    expect((await newest('weaker'))?.restrictions).toMatchObject({ sites: ['shop'], rateShare: 10 });
  });

  test('without success_url, the password is shown once', async () => {
    const { status, text } = await decide('approve', { name: 'by hand' });
    expect(status).toBe(200);
    const secret = /<pre class="secret"[^>]*>([^<]*)</.exec(text)?.[1] ?? '';
    expect((await host.request('GET', ME, { user: { login: 'bob', secret } })).status).toBe(200);
  });

  test('an error in the form is shown next to its field, and the request parameters are kept', async () => {
    const before = (await passwords()).length;
    const { status, text, headers } = await decide('approve', {
      success_url: SUCCESS,
      name: ' ',
      share: '0',
    });
    expect(status).toBe(400);
    expect(text).toContain('id="field-name-fault"');
    expect(text).toContain('id="field-share-fault"');
    expect(text).toContain(`name="success_url" value="${SUCCESS.replaceAll('&', '&amp;')}"`);
    expect(headers['content-security-policy']).toContain("form-action 'self' https:;");
    expect(await passwords()).toHaveLength(before);
  });
});

describe('rejecting', () => {
  test.each([
    [{ success_url: SUCCESS, reject_url: 'https://app.example/no?x=1' }, 'https://app.example/no?x=1'],
    [{ success_url: SUCCESS }, 'https://app.example/back?state=a%20b&x=1&success=false#done'],
    [{ success_url: 'myapp://back' }, 'myapp://back?success=false'],
    [{}, '/wp-admin/'],
  ])('%j redirects to %s, and no password is created', async (parameters: Record<string, string>, to) => {
    const before = (await passwords()).length;
    const { status, headers } = await decide('reject', parameters);
    expect([status, headers.location]).toEqual([303, to]);
    expect(await passwords()).toHaveLength(before);
  });
});

describe('an invalid request is rejected with an explanation, when the page is opened and when the form is submitted', () => {
  const NO_WAY_BACK = 'There is no safe way back to the program: ';
  test.each([
    [{ app_name: '' }, 'The program did not send its name: app_name is missing from the address.'],
    [{ app_name: 'x'.repeat(101) }, 'app_name is not allowed:'],
    [{ app_id: 'seven' }, 'app_id is not allowed: The application id must be a UUID or empty.'],
    [{ success_url: 'javascript:alert(1)' }, `${NO_WAY_BACK}success_url is a javascript: address`],
    [{ reject_url: 'data:text/html,x' }, `${NO_WAY_BACK}reject_url is a data: address`],
    [{ success_url: 'http://app.example/' }, `${NO_WAY_BACK}success_url is plain http: to another machine`],
    [{ success_url: '/wp-admin/' }, `${NO_WAY_BACK}success_url is not a complete address`],
  ])('%j', async (parameters: Record<string, string>, words) => {
    const shown = await openPage({ app_name: 'Report', ...parameters });
    expect(shown.status).toBe(400);
    expect(shown.text).toContain(words);
    expect(shown.text).not.toContain('value="approve"');
    const before = (await passwords()).length;
    const sent = await decide('approve', parameters);
    expect([sent.status, sent.headers.location]).toEqual([400, undefined]);
    expect(await passwords()).toHaveLength(before);
  });

  test('a form without a decision is rejected', async () => {
    const { status, text } = await decide('', {});
    expect(status).toBe(400);
    expect(text).toContain('must contain the decision: approve or reject');
  });
});

describe('return addresses', () => {
  const read = (text: string, mayBeHttp = false) => readReturnAddress('success_url', text, mayBeHttp);
  const placeOf = (text: string, mayBeHttp = false) => {
    const outcome = read(text, mayBeHttp);
    return outcome.ok ? outcome.address?.place : outcome.fault;
  };

  test.each([
    ['https://app.example', 'https://app.example', ['https:']],
    ['HTTPS://App.Example:8443/x', 'https://app.example:8443', ['https:']],
    ['https://例え.example/', 'https://xn--r8jz45g.example', ['https:']],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1:3000', ['http:', 'https:']],
    ['http://localhost/cb', 'http://localhost', ['http:', 'https:']],
    ['http://[::1]:3000/cb', 'http://[::1]:3000', ['http:', 'https:']],
    ['myapp://callback', 'myapp:', ['myapp:']],
    ['com.example.app:/oauth', 'com.example.app:', ['com.example.app:']],
    ['web+report://x', 'web+report:', ['web+report:']],
  ])('%s is accepted', (text, place, formTargets) => {
    expect(read(text)).toMatchObject({ ok: true, address: { place, formTargets } });
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt://app.example/%0aalert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html;base64,PHNjcmlwdD4=',
    'vbscript:msgbox(1)',
    'blob:https://app.example/1',
    'file:///etc/passwd',
    'filesystem:https://app.example/x',
    'about:blank',
    'view-source:https://app.example/',
    'intent://x#Intent;scheme=http;end',
    'mailto:a@example.org',
    'ms-msdt:/id',
    'search-ms:query=x',
    'chrome-extension://abc/page.html',
    'ftp://app.example/',
    'wss://app.example/',
    'http://app.example/',
    'http://localhost.app.example/',
    'http://127.0.0.1.app.example/',
    'https://user:word@app.example/',
    'https://app.example@evil.example/',
    'https://a;script-src/',
    "https://a'b.example/",
    'https://a,b.example/',
    'https://',
    'myapp:words',
    'app.example/back',
    '//app.example/back',
    `https://app.example/${'x'.repeat(2000)}`,
  ])('%j is rejected with an error message', (text) => {
    const outcome = read(text);
    expect(outcome).toEqual({ ok: false, fault: expect.stringMatching(/^success_url [a-z].*\S$/) });
  });

  test('a local installation may redirect to plain HTTP', () => {
    expect(placeOf('http://nas.local/back', true)).toBe('http://nas.local');
    expect(read('javascript:alert(1)', true).ok).toBe(false);
  });

  test.each(['', '  '])('%j means that there is no return address', (text) => {
    expect(read(text)).toEqual({ ok: true, address: null });
  });

  test.each([
    ['https://a.example/', 'https://a.example/?user_login=b%26b%2B%20%C3%A4'],
    ['https://a.example/?', 'https://a.example/?user_login=b%26b%2B%20%C3%A4'],
    [
      'https://a.example/?q=%zz+?&&r#f?g#h',
      'https://a.example/?q=%zz+?&r&user_login=b%26b%2B%20%C3%A4#f?g#h',
    ],
    ['https://a.example/?user%5Flogin=x&b=1', 'https://a.example/?b=1&user_login=b%26b%2B%20%C3%A4'],
    ['myapp://x', 'myapp://x?user_login=b%26b%2B%20%C3%A4'],
  ])('the query string of %s keeps its parameters', (href, expected) => {
    expect(withQuery({ href, place: '', formTargets: [] }, { user_login: 'b&b+ ä' })).toBe(expected);
  });
});

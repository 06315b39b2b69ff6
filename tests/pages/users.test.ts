// The "Users" page over HTTP: what an administrator can do with accounts, and the errors for changes that are not allowed.
import { analyticsExtension } from '../../extension/index';
import { type Extension, HOST_API } from '../../host-shim/extension-api';
import { logInAs, markIn, type PageClient } from '../support/page-client';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';

const site = (tracking_id: string, name: string) => ({
  tracking_id,
  domain: `${tracking_id}.example`,
  name,
  timezone: 'UTC',
});

/** The hook calls that an extension has received. */
const revoked: object[] = [];
const listener: Extension = {
  name: 'listener',
  version: '1.0.0',
  description: 'Listens.',
  requires: { hostApi: HOST_API },
  commands: [],
  register: async (host) =>
    host.addAction('application_password_revoked', (event) => void revoked.push(event)),
};

let host: TestHost;
let page: PageClient;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [analyticsExtension({ ...SETTINGS, docsUrl: '' }), listener],
    sites: [site('shop', 'Shop <i>&</i> Co'), site('blog', 'ブログ')],
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ann', role: 'analyst', sites: ['shop'], email: 'ann@example.org' },
    ],
  });
  page = await logInAs(host, 'root');
});
afterAll(() => host.stop());

async function idOf(login: string): Promise<number> {
  const row = await host.database.write('host.users').where({ login }).first<{ user_id: number }>('user_id');
  return row.user_id;
}

let created = 0;
/** Creates a separate account for a test, with one application password. */
async function newAnalyst(): Promise<{ login: string; id: number }> {
  created += 1;
  const login = `analyst-${created}`;
  const { id } = await host.createUser({ login, role: 'analyst', sites: ['shop'] });
  await host.createApplicationPassword(login, 'report');
  return { login, id };
}

const sitesOf = (id: number) =>
  host.database.write('host.user_sites').where('user_id', id).orderBy('tracking_id').pluck('tracking_id');
const guideStatus = async (login: string) =>
  (await host.request('GET', '/wp-json/qa-platform/guide', { user: login })).status;
const secretIn = (text: string) => /<pre class="secret"[^>]*>([^<]+)<\/pre>/.exec(text)?.[1] ?? '';
const add = (fields: Readonly<Record<string, string | readonly string[]>>) =>
  page.post('/wp-admin/users/add', { displayName: '', email: '', role: 'analyst', password: '', ...fields });
const change = (
  id: number,
  action: string,
  fields: Readonly<Record<string, string | readonly string[]>> = {},
) => page.post(`/wp-admin/users/${id}`, { action, ...fields });
/** Presses the button on a confirmation page. */
const confirmAction = (id: number, ...words: readonly string[]) =>
  page.post(`/wp-admin/users/${[id, ...words].join('/')}`, {});
/** Opens the form and saves it with these fields. */
const save = async (id: number, fields: Readonly<Record<string, string | readonly string[]>>) => {
  const mark = markIn(await page.get(`/wp-admin/users/${id}`));
  return change(id, 'save', { displayName: '', email: '', role: 'analyst', mark, ...fields });
};

describe('the list', () => {
  test('lists every account with the sites that it can see', async () => {
    const { status, text } = await page.get('/wp-admin/users');
    expect(status).toBe(200);
    expect(text).toMatch(/<a href="\/wp-admin\/users\/\d+">ann<\/a>/);
    expect(text).toContain('ann@example.org');
    expect(text).toContain('all sites');
    expect(text).toContain('<td class="text" data-label="Sites">shop</td>');
  });

  test.each(['/wp-admin/users', '/wp-admin/users/add', '/wp-admin/users/1'])(
    '%s cannot be opened by analysts',
    async (path) => {
      expect((await (await logInAs(host, 'ann')).get(path)).status).toBe(403);
    },
  );

  test.each([
    '/wp-admin/users/0',
    '/wp-admin/users/999999',
    '/wp-admin/users/x',
    '/wp-admin/users/1/x',
    '/wp-admin/users/1/revoke',
    '/wp-admin/users/1/disable/x',
  ])('%s does not exist', async (path) => {
    expect((await page.get(path)).status).toBe(404);
  });
});

describe('adding', () => {
  test('the form lists the sites by name, and escapes the names', async () => {
    const { text } = await page.get('/wp-admin/users/add');
    expect(text).toContain('Shop &lt;i&gt;&amp;&lt;/i&gt; Co');
    expect(text).toContain('ブログ');
  });

  test('generates a login password, which is shown once and works', async () => {
    const { status, headers, text } = await add({
      login: 'bea',
      displayName: 'Bea Müller',
      sites: ['shop', 'blog'],
    });
    expect(status).toBe(200);
    expect(headers['cache-control']).toContain('no-store');
    const password = secretIn(text);
    expect(password.length).toBeGreaterThanOrEqual(16);
    const id = await idOf('bea');
    expect(await sitesOf(id)).toEqual(['blog', 'shop']);
    for (const path of ['/wp-admin/users', `/wp-admin/users/${id}`])
      expect((await page.get(path)).text).not.toContain(password);
    expect(JSON.stringify(host.logged)).not.toContain(password);
    const bea = await logInAs(host, 'bea', { password });
    expect((await bea.get('/wp-admin/profile')).text).toContain('Bea Müller');
  });

  test('accepts a typed login password', async () => {
    const answer = await add({ login: 'cem', email: 'cem@example.org', password: 'typed by somebody' });
    expect(answer.status).toBe(303);
    expect((await page.follow(answer)).text).toContain('cem was added.');
    await expect(logInAs(host, 'cem', { password: 'typed by somebody' })).resolves.toBeDefined();
  });

  test('sites chosen for an administrator are ignored', async () => {
    await add({ login: 'dan', role: 'administrator', sites: ['shop'] });
    expect(await sitesOf(await idOf('dan'))).toEqual([]);
  });

  test.each([
    ['login', { login: 'not this' }, 'A login must have 1 to 60 characters'],
    ['login', { login: 'ANN' }, 'is taken'],
    ['email', { login: 'new', email: 'nowhere' }, 'This is not an e-mail address.'],
    ['password', { login: 'new', password: 'short' }, 'A login password must have at least 8 characters.'],
    ['role', { login: 'new', role: 'owner' }, 'The role must be one of administrator, analyst, viewer.'],
    ['sites', { login: 'new', sites: ['shop', 'nowhere'] }, 'There is no site nowhere.'],
  ])(
    'an error is shown next to its field (%s), the form keeps its values, and no account is created',
    async (field, fields, sentence) => {
      const before = await host.database.write('host.users').count();
      const { status, text } = await add({ displayName: 'Typed "name"', ...fields });
      expect(status).toBe(400);
      expect(text).toContain('value="Typed &quot;name&quot;"');
      expect(text).toMatch(
        new RegExp(`id="(?:field-|about-)${field}[^"]*"[^>]*class="fault"[^>]*>[^<]*${sentence}`),
      );
      expect(text).toContain('aria-invalid="true"');
      expect(await host.database.write('host.users').count()).toEqual(before);
    },
  );

  test('the form does not repeat a typed login password', async () => {
    const { text } = await add({ login: 'not this', password: 'typed and wrong' });
    expect(text).not.toContain('typed and wrong');
  });
});

describe('changing', () => {
  test('saves the name, e-mail, role and sites', async () => {
    const { id, login } = await newAnalyst();
    const answer = await save(id, {
      displayName: '<script>alert(1)</script>',
      email: `${login}@example.org`,
      role: 'analyst',
      sites: ['blog'],
    });
    expect(answer.headers.location).toBe(`/wp-admin/users/${id}`);
    const { text } = await page.follow(answer);
    expect(text).toContain('Saved.');
    expect(text).toContain(`value="${login}@example.org"`);
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toContain('<script>alert(1)');
    expect(await sitesOf(id)).toEqual(['blog']);
  });

  test('saving an unchanged form keeps access to a site that no longer exists', async () => {
    const { id } = await newAnalyst();
    await host.database.write('host.user_sites').insert({ user_id: id, tracking_id: 'old-shop' });
    expect((await page.get(`/wp-admin/users/${id}`)).text).toContain('not available');
    await save(id, { sites: ['old-shop', 'shop'] });
    expect(await sitesOf(id)).toEqual(['old-shop', 'shop']);
  });

  test('after an error, nothing is changed and the form keeps its values', async () => {
    const { id } = await newAnalyst();
    const { status, text } = await save(id, {
      displayName: 'Somebody',
      email: 'ANN@example.org',
      role: 'analyst',
      sites: [],
    });
    expect(status).toBe(400);
    expect(text).toContain('Another account has that e-mail address');
    expect(text).toContain('value="Somebody"');
    expect(await sitesOf(id)).toEqual(['shop']);
  });

  test('the last administrator stays an administrator', async () => {
    const alone = await startTestHost({ users: [{ login: 'root', role: 'administrator' }] });
    try {
      const root = await logInAs(alone, 'root');
      const mark = markIn(await root.get('/wp-admin/users/1'));
      const fields = { action: 'save', displayName: '', email: '', role: 'analyst', mark };
      const { status, text } = await root.post('/wp-admin/users/1', fields);
      expect(status).toBe(400);
      expect(text).toMatch(/class="fault"[^>]*>This is the last administrator/);
    } finally {
      await alone.stop();
    }
  });

  test('a concurrent change by another user is reported instead of overwritten', async () => {
    const { id } = await newAnalyst();
    const opened = markIn(await page.get(`/wp-admin/users/${id}`));
    await save(id, { displayName: 'Faster', sites: [] });
    const late = { displayName: 'Later', email: '', role: 'analyst', sites: ['shop', 'blog'] };
    for (const mark of [opened, '']) {
      const { status, text } = await change(id, 'save', { ...late, mark });
      expect(status).toBe(409);
      expect(text).toContain('Another user changed this account after you opened it, so nothing was saved.');
      expect(text).toContain('value="Faster"');
      expect(await sitesOf(id)).toEqual([]);
    }
    const { text } = await change(id, 'save', { ...late, mark: opened });
    expect((await change(id, 'save', { ...late, mark: markIn({ text }) })).status).toBe(303);
    expect(await sitesOf(id)).toEqual(['blog', 'shop']);
  });

  test('one of two concurrent saves is rejected', async () => {
    const { id } = await newAnalyst();
    const mark = markIn(await page.get(`/wp-admin/users/${id}`));
    const answers = await Promise.all(
      ['One', 'Two'].map((displayName) =>
        change(id, 'save', { displayName, email: '', role: 'analyst', sites: [], mark }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
  });

  test('a concurrent change is reported even if the form has an error', async () => {
    const { id } = await newAnalyst();
    const faulty = await save(id, { email: 'nowhere' });
    expect(faulty.status).toBe(400);
    const mark = markIn(faulty);
    await save(id, { displayName: 'Faster', sites: [] });
    const late = { displayName: '', email: '', role: 'analyst', sites: ['shop'], mark };
    expect((await change(id, 'save', late)).status).toBe(409);
  });

  test('an unknown action is rejected', async () => {
    expect((await change((await newAnalyst()).id, 'delete')).status).toBe(400);
  });

  test('a form without the nonce has no effect', async () => {
    const { id, login } = await newAnalyst();
    const answer = await page.post(`/wp-admin/users/${id}/disable`, { _wpnonce: 'another' });
    expect(answer.status).toBe(403);
    expect(await guideStatus(login)).toBe(200);
  });
});

describe('access', () => {
  test('a new login password is shown once, works, and ends sessions; application passwords still work', async () => {
    const { id, login } = await newAnalyst();
    const before = await logInAs(host, login);
    const { status, text } = await confirmAction(id, 'new-password');
    expect(status).toBe(200);
    const password = secretIn(text);
    expect((await before.get('/wp-admin/profile')).status).toBe(303);
    await expect(logInAs(host, login)).rejects.toThrow('status 401');
    await expect(logInAs(host, login, { password })).resolves.toBeDefined();
    expect(await guideStatus(login)).toBe(200);
    expect((await page.get(`/wp-admin/users/${id}`)).text).not.toContain(password);
  });

  test('a disabled account is rejected immediately, and works again once it is enabled', async () => {
    const { id, login } = await newAnalyst();
    const person = await logInAs(host, login);
    const answer = await confirmAction(id, 'disable');
    expect((await page.follow(answer)).text).toContain('This account is disabled');
    const row = new RegExp(`>${login}</a> <span class="badge off">disabled</span>`);
    expect((await page.get('/wp-admin/users')).text).toMatch(row);
    expect(await guideStatus(login)).toBe(401);
    expect((await person.get('/wp-admin/profile')).status).toBe(303);
    await change(id, 'enable');
    expect(await guideStatus(login)).toBe(200);
    expect((await page.get('/wp-admin/users')).text).not.toMatch(row);
  });

  test('users cannot disable themselves', async () => {
    const id = await idOf('root');
    expect((await page.get(`/wp-admin/users/${id}`)).text).not.toContain('/disable"');
    const { status, text } = await confirmAction(id, 'disable');
    expect(status).toBe(400);
    expect(text).toContain('You cannot disable your own account');
    expect((await page.get('/wp-admin/users')).status).toBe(200);
  });

  test('application passwords are listed with their restrictions, and can be revoked one at a time or all at once', async () => {
    const { id, login } = await newAnalyst();
    const second = await host.createApplicationPassword(login, '"quoted" <b>', {
      expiresAt: new Date('2099-01-31T12:00:00Z'),
      sites: ['shop'],
      addressRanges: ['127.0.0.0/8'],
      rateShare: 20,
    });
    const { text } = await page.get(`/wp-admin/users/${id}`);
    expect(text).toContain('&quot;quoted&quot; &lt;b&gt;');
    expect(text).toContain(
      'expires 2099-01-31 12:00:00 UTC; sites: shop; from 127.0.0.0/8; 20% of the rate limit',
    );

    const answer = await confirmAction(id, 'revoke', second.uuid);
    expect((await page.follow(answer)).text).toContain('Revoked: “&quot;quoted&quot; &lt;b&gt;”.');
    const refused = await host.request('GET', '/wp-json/qa-platform/guide', { user: second });
    expect(refused.status).toBe(401);
    expect(revoked).toEqual([{ userId: id, uuids: [second.uuid] }]);
    expect(await guideStatus(login)).toBe(200);
    expect((await page.follow(await confirmAction(id, 'revoke', second.uuid))).text).toContain(
      'nothing left to revoke',
    );
    const question = await page.get(`/wp-admin/users/${id}/revoke-all`);
    await page.post(`/wp-admin/users/${id}/revoke-all`, { mark: markIn(question) });
    expect(await guideStatus(login)).toBe(401);
  });

  test("the UUID of another account's password has no effect", async () => {
    const [one, other] = [await newAnalyst(), await newAnalyst()];
    const { uuid } = await host.createApplicationPassword(other.login, 'second');
    await confirmAction(one.id, 'revoke', uuid);
    expect(await host.database.write('host.application_passwords').where({ uuid }).pluck('name')).toEqual([
      'second',
    ]);
  });

  test('the word "all" in place of a UUID has no effect either', async () => {
    const { id, login } = await newAnalyst();
    expect((await page.follow(await confirmAction(id, 'revoke', 'all'))).text).toContain(
      'There was nothing left to revoke.',
    );
    expect(await guideStatus(login)).toBe(200);
  });

  test.each([
    ['disable', 'Logins and application passwords are refused immediately'],
    ['new-password', 'The old one stops working'],
    ['revoke-all', 'Programs that use it are refused from their next request on.'],
  ])('%s is confirmed on a separate page, which changes nothing by itself', async (word, sentence) => {
    const { id, login } = await newAnalyst();
    const before = await host.database.write('host.users').where('user_id', id).first();
    expect((await page.get(`/wp-admin/users/${id}`)).text).toContain(`href="/wp-admin/users/${id}/${word}"`);
    const { status, text } = await page.get(`/wp-admin/users/${id}/${word}`);
    expect(status).toBe(200);
    expect(text).toContain(sentence);
    expect(text).toContain('<form method="post">');
    expect(text).toContain(`href="/wp-admin/users/${id}">Cancel`);
    expect(await guideStatus(login)).toBe(200);
    expect(await host.database.write('host.users').where('user_id', id).first()).toEqual(before);
  });

  test('users cannot reset their own login password here', async () => {
    const { status, text } = await confirmAction(await idOf('root'), 'new-password');
    expect(status).toBe(400);
    expect(text).toContain('Change your own login password on your profile');
    await expect(logInAs(host, 'root')).resolves.toBeDefined();
  });
});

test('without the extension that lists the sites, the page shows them as unknown instead of missing', async () => {
  const alone = await startTestHost({ extensions: [], users: [{ login: 'root', role: 'administrator' }] });
  try {
    const root = await logInAs(alone, 'root');
    for (const path of ['/wp-admin/users/1', '/wp-admin/users/add']) {
      const { text } = await root.get(path);
      expect(text).toContain('The list of sites is not available');
      expect(text).not.toContain('There are no sites yet');
    }
  } finally {
    await alone.stop();
  }
});

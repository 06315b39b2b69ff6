// The "Application passwords" page: creating passwords, which are shown once, and using, listing, renaming and revoking them.
import { listApplicationPasswords } from '../../host-shim/auth/application-password-store';
import { logInAs, markIn, type PageClient } from '../support/page-client';
import { pageExtension } from '../support/page-extension';
import { startTestHost, type TestAnswer, type TestHost } from '../support/test-host';

const PAGE = '/wp-admin/application-passwords';
const ME = '/wp-json/wp/v2/users/me';

let host: TestHost;
let now = new Date('2026-11-21T10:00:00Z');
const events: object[] = [];
const SITES = [
  { trackingId: 'shop', name: 'お店 <&>', domain: 'shop.example', timezone: 'Asia/Tokyo' },
  { trackingId: 'blog', name: 'Blog', domain: 'blog.example', timezone: 'UTC' },
];

beforeAll(async () => {
  host = await startTestHost({
    clock: () => now,
    users: [],
    extensions: [
      pageExtension([], ({ addAction, addFilter }) => {
        addFilter('known_sites', () => SITES);
        addFilter('application_password_examples', (examples, { login, secret, restRoot }) => [
          ...examples,
          { title: 'For <b>machines</b>', about: 'To paste.', text: `${restRoot} ${login} ${secret}` },
        ]);
        addAction('application_password_created', (event) => void events.push(event));
        addAction('application_password_revoked', (event) => void events.push(event));
      }),
    ],
  });
});
afterAll(() => host.stop());

let count = 0;

/** A new user without application passwords. */
async function newcomer(): Promise<{ id: number; login: string; page: PageClient }> {
  count += 1;
  const login = `user${count}`;
  const { id } = await host.createUser({ login, role: 'administrator' });
  return { id, login, page: await logInAs(host, login) };
}

const secretIn = ({ text }: TestAnswer): string =>
  /<pre class="secret"[^>]*>([^<]*)<\/pre>/.exec(text)?.[1] ?? '';
const faultAt = (text: string, field: string) =>
  new RegExp(`id="field-${field}-fault" class="fault">([^<]*)<`).exec(text)?.[1];
const passwordsOf = (id: number) => listApplicationPasswords(host.database.write, id);
const call = (login: string, secret: string) => host.request('GET', ME, { user: { login, secret } });

describe('creating an application password', () => {
  test('shows it once, in groups of four characters and with examples, and it works', async () => {
    const { id, login, page } = await newcomer();
    const response = await page.post(PAGE, { name: ' Monatsbericht 月次 <x> ' });
    expect(response.status).toBe(200);
    const secret = secretIn(response);
    expect(secret).toMatch(/^([A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}$/);
    expect(response.text).toContain(
      '<button type="button" data-copy="new-password" aria-label="Copy: Application password" hidden>',
    );
    expect(response.text).toContain(
      `curl -s -u &#39;${login}:${secret}&#39; &#39;${host.url}/wp-json/wp/v2/users/me&#39;`,
    );
    expect(response.text).toContain('For &lt;b&gt;machines&lt;/b&gt;');
    expect(response.text).toContain(`${host.url}/wp-json/ ${login} ${secret}`);
    expect(response.text).toContain('Monatsbericht 月次 &lt;x&gt;');
    expect((await call(login, secret)).status).toBe(200);
    const [created] = await passwordsOf(id);
    expect(created).toMatchObject({ name: 'Monatsbericht 月次 <x>', appId: '' });
    expect(events).toContainEqual({ userId: id, uuid: created?.uuid });
    expect((await page.get(PAGE)).text).not.toContain(secret);
  });

  test('can give it an expiry date, and restrict it to sites, addresses and a share of the rate limit', async () => {
    const { id, page } = await newcomer();
    await host.database
      .write('host.users')
      .where('user_id', id)
      .update({ meta: { timezone: 'Asia/Tokyo' } });
    const response = await page.post(PAGE, {
      name: 'weak',
      expires: '2027-01-31',
      sites: ['shop', 'blog'],
      addresses: '10.0.0.0/8, ::1',
      share: '20',
    });
    expect(response.status).toBe(200);
    const [created] = await passwordsOf(id);
    expect(created?.restrictions).toEqual({
      expiresAt: new Date('2027-01-31T15:00:00Z'),
      sites: ['shop', 'blog'],
      addressRanges: ['10.0.0.0/8', '::1'],
      rateShare: 20,
      level: 'read',
    });
    const { text } = await page.get(PAGE);
    expect(text).toContain('expires after 2027-01-31');
    expect(text).toContain('sites: お店 &lt;&amp;&gt;, Blog');
    expect(text).toContain('from 10.0.0.0/8, ::1');
    expect(text).toContain('20% of the rate limit');
  });

  test('the form preselects read access and explains each level', async () => {
    const { id, page } = await newcomer();
    const { text } = await page.get(PAGE);
    expect(text).toContain('name="level" value="read" checked> <span><strong>Read</strong>: ');
    expect(text).toContain(
      '<strong>Everything this account may do (as in WordPress)</strong>: read the data',
    );
    await page.post(PAGE, { name: 'preset' });
    await page.post(PAGE, { name: 'whole', level: 'all' });
    expect((await passwordsOf(id)).map(({ restrictions }) => restrictions.level).toSorted()).toEqual([
      'all',
      'read',
    ]);
    expect((await page.get(PAGE)).text).toMatch(
      /(?=.*data-label="Permissions">Read<).*data-label="Permissions">Everything this account may do/s,
    );
  });

  test('all errors are shown at once, next to their fields; the form keeps its values, and no password is created', async () => {
    const { id, page } = await newcomer();
    const { status, text } = await page.post(PAGE, {
      name: '  ',
      expires: '2026-11-20',
      sites: ['shop', 'nowhere'],
      addresses: '10.0.0.0/99',
      share: '100',
    });
    expect(status).toBe(400);
    expect(faultAt(text, 'name')).toBe('An application password needs a name.');
    expect(faultAt(text, 'expires')).toContain('2026-11-20 is in the past');
    expect(faultAt(text, 'sites')).toContain('This account has no access to nowhere;');
    expect(faultAt(text, 'addresses')).toContain('10.0.0.0/99');
    expect(faultAt(text, 'share')).toContain('from 1 to 99');
    expect(text).toContain('<details open>');
    expect(text).toContain('value="shop" checked');
    expect(text).toMatch(/name="share"[^>]* value="100" aria-invalid="true"/);
    expect(await passwordsOf(id)).toEqual([]);
    expect(secretIn({ text } as TestAnswer)).toBe('');
  });

  test.each([
    ['a name of 101 characters', 'ä'.repeat(101), 'must have at most 100 characters'],
    ['a name with a line break', 'a\nb', 'must be a single line without invisible characters'],
    [
      'a name that reverses the text direction',
      'a\u202eb',
      'must be a single line without invisible characters',
    ],
  ])('%s is rejected', async (_what, name, words) => {
    const { id, page } = await newcomer();
    const { status, text } = await page.post(PAGE, { name });
    expect(status).toBe(400);
    expect(faultAt(text, 'name')).toContain(words);
    expect(await passwordsOf(id)).toEqual([]);
  });

  test('offers an analyst only the sites that they can see, and accepts no others', async () => {
    await host.createUser({ login: 'bob', role: 'analyst' });
    await host.database.write('host.user_sites').insert({
      user_id: (await host.database.write('host.users').where('login', 'bob').first('user_id')).user_id,
      tracking_id: 'blog',
    });
    const bob = await logInAs(host, 'bob');
    const { text } = await bob.get(PAGE);
    expect(text).toContain('value="blog"');
    expect(text).not.toContain('value="shop"');
    const refused = await bob.post(PAGE, { name: 'x', sites: 'shop' });
    expect(refused.status).toBe(400);
    expect(faultAt(refused.text, 'sites')).toContain('This account has no access to shop;');
  });
});

describe('the list', () => {
  test('shows when and from where each password was used, and which passwords have expired', async () => {
    const { login, page } = await newcomer();
    const { text } = await page.get(PAGE);
    expect(text).toContain('You have none yet.');
    const secret = secretIn(await page.post(PAGE, { name: 'short', expires: '2026-11-21' }));
    expect((await page.get(PAGE)).text).toContain('>never<');
    expect((await call(login, secret)).status).toBe(200);
    await host.rest.settle();
    const used = (await page.get(PAGE)).text;
    expect(used).toContain('127.0.0.1');
    expect(used).toContain('2026-11-21 10:00:00 UTC');
    expect(used).not.toContain('expired');
    now = new Date('2026-11-22T00:00:00Z');
    expect((await page.get(PAGE)).text).toContain('<span class="badge off">expired</span>');
    expect((await call(login, secret)).status).toBe(401);
    now = new Date('2026-11-21T10:00:00Z');
  });

  test("does not show other users' application passwords", async () => {
    const [one, other] = [await newcomer(), await newcomer()];
    await one.page.post(PAGE, { name: 'mine alone' });
    const [{ uuid = '' } = {}] = await passwordsOf(one.id);
    expect((await other.page.get(PAGE)).text).not.toContain('mine alone');
    expect((await other.page.get(`${PAGE}/${uuid}`)).status).toBe(404);
    expect((await other.page.post(`${PAGE}/${uuid}`, { name: 'taken' })).status).toBe(404);
    expect((await other.page.get(`${PAGE}/${uuid}/revoke`)).headers.location).toBe(PAGE);
    expect((await other.page.post(`${PAGE}/${uuid}/revoke`, {})).headers.location).toBe(PAGE);
    expect(await passwordsOf(one.id)).toMatchObject([{ name: 'mine alone' }]);
  });

  test.each(['nonsense', '00000000-0000-4000-8000-000000000000'])('%s does not exist', async (path) => {
    const { page } = await newcomer();
    const { status, text } = await page.get(`${PAGE}/${path}`);
    expect(status).toBe(404);
    expect(text).toContain('You have no such application password; it may already have been revoked.');
  });
});

describe('renaming', () => {
  test('does not change the password', async () => {
    const { id, login, page } = await newcomer();
    const secret = secretIn(await page.post(PAGE, { name: 'old name' }));
    const [{ uuid = '' } = {}] = await passwordsOf(id);
    expect((await page.get(`${PAGE}/${uuid}`)).text).toContain('value="old name"');
    const response = await page.post(`${PAGE}/${uuid}`, { name: 'new <name>' });
    expect((await page.follow(response)).text).toContain('Renamed to “new &lt;name&gt;”.');
    expect(await passwordsOf(id)).toMatchObject([{ name: 'new <name>' }]);
    expect((await call(login, secret)).status).toBe(200);
  });

  test('an empty name is rejected with an error next to the field', async () => {
    const { id, page } = await newcomer();
    await page.post(PAGE, { name: 'stays' });
    const [{ uuid = '' } = {}] = await passwordsOf(id);
    const { status, text } = await page.post(`${PAGE}/${uuid}`, { name: ' ' });
    expect(status).toBe(400);
    expect(faultAt(text, 'name')).toBe('An application password needs a name.');
    expect(await passwordsOf(id)).toMatchObject([{ name: 'stays' }]);
  });
});

describe('revoking', () => {
  test('revoking one must be confirmed on a separate page, and takes effect at the next request', async () => {
    const { id, login, page } = await newcomer();
    const revoked = secretIn(await page.post(PAGE, { name: 'to go' }));
    const kept = secretIn(await page.post(PAGE, { name: 'to stay' }));
    const uuid = (await passwordsOf(id)).find(({ name }) => name === 'to go')?.uuid ?? '';
    const confirmation = await page.get(`${PAGE}/${uuid}/revoke`);
    expect(confirmation.text).toContain('<dt>to go</dt>');
    expect((await call(login, revoked)).status).toBe(200);
    const response = await page.post(`${PAGE}/${uuid}/revoke`, {});
    expect((await page.follow(response)).text).toContain('Revoked: “to go”.');
    expect([(await call(login, revoked)).status, (await call(login, kept)).status]).toEqual([401, 200]);
    expect(events).toContainEqual({ userId: id, uuids: [uuid] });
    const again = await page.post(`${PAGE}/${uuid}/revoke`, {});
    expect((await page.follow(again)).text).toContain('There was nothing left to revoke.');
  });

  test('revoking all revokes all passwords of the user, and no others', async () => {
    const [one, other] = [await newcomer(), await newcomer()];
    const secrets = [
      secretIn(await one.page.post(PAGE, { name: 'first' })),
      secretIn(await one.page.post(PAGE, { name: 'second' })),
    ];
    const kept = secretIn(await other.page.post(PAGE, { name: 'kept' }));
    const confirmation = await one.page.get(`${PAGE}/revoke-all`);
    expect(confirmation.text).toContain('Revoke all 2');
    const uuids = (await passwordsOf(one.id)).map(({ uuid }) => uuid);
    const response = await one.page.post(`${PAGE}/revoke-all`, { mark: markIn(confirmation) });
    expect((await one.page.follow(response)).text).toContain('Revoked: 2 application passwords.');
    for (const secret of secrets) expect((await call(one.login, secret)).status).toBe(401);
    expect((await call(other.login, kept)).status).toBe(200);
    expect(events).toContainEqual({ userId: one.id, uuids: expect.arrayContaining(uuids) });
  });

  test('revoking all revokes nothing that was created after the question; the page asks again', async () => {
    const { id, page } = await newcomer();
    await page.post(PAGE, { name: 'first' });
    const confirmation = await page.get(`${PAGE}/revoke-all`);
    await page.post(PAGE, { name: 'added' });
    for (const mark of [markIn(confirmation), '']) {
      const { status, text } = await page.post(`${PAGE}/revoke-all`, { mark });
      expect([status, text]).toEqual([409, expect.stringContaining('so nothing was revoked')]);
      expect(text).toContain('<dt>added</dt>');
    }
    expect(await passwordsOf(id)).toHaveLength(2);
  });

  test('revoking all when there are none has no effect and calls no hook', async () => {
    const { page } = await newcomer();
    const before = events.length;
    const confirmation = await page.get(`${PAGE}/revoke-all`);
    expect((await page.follow(confirmation)).text).toContain('There was nothing left to revoke.');
    const response = await page.post(`${PAGE}/revoke-all`, {});
    expect((await page.follow(response)).text).toContain('There was nothing left to revoke.');
    expect(events).toHaveLength(before);
  });
});

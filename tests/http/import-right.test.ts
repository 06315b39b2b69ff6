// The right to import: how an application password gets it, and that nobody can hand out more than they have.
import { analyticsExtension } from '../../extension/index';
import { logInAs } from '../support/page-client';
import { runCommand } from '../support/run-command';
import { type Credentials, SETTINGS, startTestHost, type TestHost } from '../support/test-host';

const PASSWORDS = '/wp-json/wp/v2/users/me/application-passwords';
const PAGE = '/wp-admin/application-passwords';
const site = { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' };
const ROW = '{"url": "https://shop.example/", "access_time": "2026-05-01T10:00:00Z"}\n';

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    sites: [site],
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ann', role: 'analyst', sites: ['shop'] },
    ],
  });
});
afterAll(() => host.stop());

const importWith = async (user: Credentials) =>
  (await host.request('POST', '/wp-json/qal-data/v1/import/allpv?site=shop', { user, body: ROW })).status;
const create = (user: Credentials | string, body: object) => host.request('POST', PASSWORDS, { user, body });

describe('over REST', () => {
  test('a password that may import creates another one that may, and one that may not', async () => {
    const first = await host.createApplicationPassword('root', 'first', { allows: ['import'] });
    const { status, body } = await create(first, { name: 'second', allow: ['import'] });
    expect([status, body.allow]).toEqual([201, ['import']]);
    expect(await importWith({ login: 'root', secret: body.password })).toBe(200);
    const plain = await create(first, { name: 'third' });
    expect(plain.body.allow).toEqual([]);
    expect(await importWith({ login: 'root', secret: plain.body.password })).toBe(403);
  });

  test.each(['root', 'ann'])('a usual password of %s cannot create one that may import', async (login) => {
    const { status, body } = await create(login, { name: 'more', allow: ['import'] });
    expect([status, Object.keys(body.data.params)]).toEqual([400, ['allow']]);
  });

  test('a right that is not there is refused by name', async () => {
    const { body } = await create('root', { name: 'more', allow: ['fly'] });
    expect(body.data.params.allow).toBe('"fly" cannot be allowed; this can: import.');
  });
});

describe('on the command line', () => {
  const run = (...args: string[]) =>
    runCommand(
      { database: { ...host.database, readerRole: '' }, installed: [analyticsExtension(SETTINGS)] },
      args,
    );

  test('--allow import gives it, and the list shows it', async () => {
    const { code, out } = await run('passwords', 'create', 'root', '--name', 'nightly', '--allow', 'import');
    expect(code).toBe(0);
    expect(await importWith({ login: 'root', secret: out.trim() })).toBe(200);
    expect((await run('passwords', 'list', 'root')).out).toMatch(/ nightly +may import$/m);
  });

  test('an analyst gets none, and the sentence says why', async () => {
    expect(await run('passwords', 'create', 'ann', '--name', 'x', '--allow', 'import')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^--allow: import cannot be allowed: the account, .* may not do it\.\n$/),
    });
  });
});

describe('on the page', () => {
  test('an administrator ticks it, and the list shows it', async () => {
    const page = await logInAs(host, 'root');
    expect((await page.get(PAGE)).text).toContain('import data into the sites that it sees');
    const { text } = await page.post(PAGE, { name: 'by page', allow: 'import' });
    const secret = /id="new-password"[^>]*>([^<]+)</.exec(text)?.[1] ?? '';
    expect(await importWith({ login: 'root', secret })).toBe(200);
    expect((await page.get(PAGE)).text).toContain('may import');
  });

  test('an analyst is not offered it, and sending it is refused', async () => {
    const page = await logInAs(host, 'ann');
    expect((await page.get(PAGE)).text).not.toContain('import data into the sites');
    const refused = await page.post(PAGE, { name: 'by page', allow: 'import' });
    expect(refused.status).toBe(400);
  });
});

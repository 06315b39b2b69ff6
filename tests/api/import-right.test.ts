// The permission to import, and how an application password gets it. Users cannot grant permissions that they do not have.
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
  test('a password without a level may do everything, as in WordPress, but can only read if it is restricted', async () => {
    const whole = await create('root', { name: 'second' });
    expect([whole.status, whole.body.level]).toEqual([201, 'all']);
    expect(await importWith({ login: 'root', secret: whole.body.password })).toBe(200);
    const narrow = await create('root', { name: 'third', sites: ['shop'] });
    expect(narrow.body.level).toBe('read');
    expect(await importWith({ login: 'root', secret: narrow.body.password })).toBe(403);
  });

  test('a password with the import level can import into its sites', async () => {
    const { status, body } = await create('root', { name: 'more', level: 'import', sites: ['shop'] });
    expect([status, body.level]).toEqual([201, 'import']);
    expect(await importWith({ login: 'root', secret: body.password })).toBe(200);
  });

  // conformance: beyond.imports-over-http
  test.each(['import', 'all'])(
    'a password that cannot import cannot create one with the %s level',
    async (level) => {
      const limited = await host.createApplicationPassword('root', 'usual', { level: 'manage' });
      const { status, body } = await create(limited, { name: 'more', level });
      expect([status, Object.keys(body.data.params)]).toEqual([400, ['level']]);
      expect((await create(limited, { name: 'equal' })).body.level).toBe('manage');
    },
  );

  test('the error for an unknown level names the level', async () => {
    const { body } = await create('root', { name: 'more', level: 'fly' });
    expect(body.data.params.level).toBe(
      '"fly" is not one of the levels that can be assigned here: read, import, manage, all.',
    );
  });
});

describe('on the command line', () => {
  const run = (...args: string[]) =>
    runCommand(
      { database: { ...host.database, readerRole: '' }, installed: [analyticsExtension(SETTINGS)] },
      args,
    );

  test('--level import grants the permission, and the list shows it', async () => {
    const { code, out } = await run('passwords', 'create', 'root', '--name', 'nightly', '--level', 'import');
    expect(code).toBe(0);
    expect(await importWith({ login: 'root', secret: out.trim() })).toBe(200);
    expect((await run('passwords', 'list', 'root')).out).toMatch(/ nightly +Read and import$/m);
  });

  test('an analyst cannot get the permission, and the message explains why', async () => {
    expect(await run('passwords', 'create', 'ann', '--name', 'x', '--level', 'import')).toMatchObject({
      code: 1,
      err: '--level: "import" is not one of the levels that can be assigned here: read, manage, all.\n',
    });
  });
});

describe('on the page', () => {
  test('an administrator can choose the permission, and the list shows it', async () => {
    const page = await logInAs(host, 'root');
    expect((await page.get(PAGE)).text).toContain('Read and import');
    const { text } = await page.post(PAGE, { name: 'by page', level: 'import' });
    const secret = /id="new-password"[^>]*>([^<]+)</.exec(text)?.[1] ?? '';
    expect(await importWith({ login: 'root', secret })).toBe(200);
    expect((await page.get(PAGE)).text).toContain('data-label="Permissions">Read and import<');
  });

  test('the permission is not offered to an analyst, and a form that contains it is rejected', async () => {
    const page = await logInAs(host, 'ann');
    expect((await page.get(PAGE)).text).not.toContain('Read and import');
    const refused = await page.post(PAGE, { name: 'by page', level: 'import' });
    expect(refused.status).toBe(400);
  });
});

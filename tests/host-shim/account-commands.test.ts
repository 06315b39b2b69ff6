// The commands for accounts, application passwords and extensions, run within this process.
import { findAccountByLogin, findLogin } from '../../host-shim/accounts/accounts';
import { checkLoginPassword } from '../../host-shim/auth/login-password';
import type { Extension } from '../../host-shim/extension-api';
import { recordExtension } from '../../host-shim/extensions/recorded-extensions';
import { pageExtension } from '../support/page-extension';
import { runCommand } from '../support/run-command';
import { useTestDatabase } from '../support/use-database';

const PASSWORD = 'a long login password';

let now = new Date('2026-05-01T10:00:00Z');
const clock = () => now;
const site = (trackingId: string) => ({ trackingId, name: 'X', domain: 'x.example', timezone: 'UTC' });
const events: object[] = [];
/** Registers the sites that users can be granted access to, and is notified of application passwords. */
const sites: Extension = {
  ...pageExtension([]),
  name: 'sites',
  async register(host) {
    host.addFilter('known_sites', () => [site('shop'), site('blog')]);
    host.addAction('application_password_created', (event) => void events.push(event));
    host.addAction('application_password_revoked', (event) => void events.push(event));
  },
};
let installed: readonly Extension[] = [sites];

const database = useTestDatabase();
beforeAll(async () => {
  await run(['users', 'add', 'root', '--role', 'administrator', '--password-stdin'], PASSWORD);
  // No test changes these accounts.
  await addUser('cleo');
  await addUser('gil', '--sites', 'shop');
});

const run = (args: readonly string[], input = '') => runCommand({ database, installed, clock }, args, input);

const addUser = (name: string, ...more: string[]) =>
  run(['users', 'add', name, '--role', 'analyst', '--password-stdin', ...more], `${PASSWORD}\n`);
const account = async (login: string) => findAccountByLogin(database.write, login);

describe('users', () => {
  test('set changes only the given options and ignores the letter case of the name', async () => {
    await addUser('ann', '--sites', 'shop', '--email', 'ann@example.org');
    expect(await run(['users', 'set', 'ANN', '--sites', 'shop, blog'])).toEqual({
      code: 0,
      out: '',
      err: 'Changed ANN.\n',
    });
    expect(await account('ann')).toMatchObject({ sites: ['blog', 'shop'], email: 'ann@example.org' });
    await run(['users', 'set', 'ann', '--sites', '', '--email', '']);
    expect(await account('ann')).toMatchObject({ sites: [], email: null, role: 'analyst' });
    await run(['users', 'set', 'ann', '--role', 'administrator']);
    expect(await account('ann')).toMatchObject({ sites: 'all', role: 'administrator' });
    await run(['users', 'set', 'ann', '--role', 'analyst']);
  });

  test('password lets a locked-out administrator log in again, and ends all sessions', async () => {
    const id = (await account('root'))?.id ?? 0;
    await database.write('host.session').insert({
      session_key: 'open',
      user_id: id,
      data: '{}',
      created_at: now,
      expires_at: now,
    });
    expect(await run(['users', 'password', 'root', '--password-stdin'], 'another password\n')).toEqual({
      code: 0,
      out: '',
      err: 'root has a new login password, and all its sessions have ended.\n',
    });
    const stored = (await findLogin(database.write, 'root'))?.passwordHash ?? '';
    expect(await checkLoginPassword('another password', stored)).toBe(true);
    expect(await database.write('host.session').where({ user_id: id })).toEqual([]);
  });

  test('remove-second-factor lets an account log in with its password alone', async () => {
    await addUser('dan');
    const id = (await account('dan'))?.id ?? 0;
    await database
      .write('host.second_factor')
      .insert({ user_id: id, secret: 'A', used_step: 1, created_at: now });
    const remove = () => run(['users', 'remove-second-factor', 'dan']);
    expect(await remove()).toEqual({ code: 0, out: '', err: 'dan no longer has a second factor.\n' });
    expect(await database.write('host.second_factor').where({ user_id: id })).toEqual([]);
    expect(await remove()).toEqual({ code: 0, out: '', err: 'dan had no second factor.\n' });
  });

  test('disable locks an account, and enable unlocks it', async () => {
    await addUser('bob');
    expect(await run(['users', 'disable', 'bob'])).toMatchObject({ code: 0, err: 'Disabled bob.\n' });
    expect(await account('bob')).toMatchObject({ disabled: true });
    expect((await run(['users', 'list'])).out).toMatch(/^bob +analyst \(disabled\)/m);
    expect(await run(['users', 'enable', 'bob'])).toMatchObject({ code: 0, err: 'Enabled bob.\n' });
    expect(await account('bob')).toMatchObject({ disabled: false });
  });

  const failures: readonly [string, readonly string[], string, number, RegExp][] = [
    ['nothing to change', ['set', 'root'], '', 2, /^Specify what to change: --role, --sites or --email\.\n$/],
    ['an unknown role', ['set', 'root', '--role', 'king'], '', 2, /Allowed choices are/],
    ['an unknown user to change', ['set', 'nobody', '--email', ''], '', 1, /^There is no user nobody\./],
    [
      'unknown sites',
      ['set', 'cleo', '--sites', 'shop,shpo,blgo'],
      '',
      1,
      /^There is no site shpo or blgo; the sites are blog, shop\.\n$/,
    ],
    ['sites for an administrator', ['set', 'root', '--sites', 'shop'], '', 1, /sees all sites/],
    ['an invalid e-mail', ['set', 'cleo', '--email', 'x'], '', 1, /not an e-mail/],
    [
      'demoting the last administrator',
      ['set', 'root', '--role', 'analyst'],
      '',
      1,
      /^This is the last administrator/,
    ],
    ['disabling the last administrator', ['disable', 'root'], '', 1, /^This is the last administrator/],
    ['disabling an unknown user', ['disable', 'nobody'], '', 1, /^There is no user nobody\./],
    ['enabling an unknown user', ['enable', 'nobody'], '', 1, /^There is no user nobody\./],
    [
      'setting the password of an unknown user',
      ['password', 'nobody', '--password-stdin'],
      PASSWORD,
      1,
      /^There is no user nobody\./,
    ],
    ['a short password', ['password', 'root', '--password-stdin'], 'short', 1, /at least 8 characters\.\n$/],
    ['no password', ['password', 'root', '--password-stdin'], '', 2, /no password on standard input/],
    ['no terminal', ['password', 'root'], '', 2, /^There is no terminal/],
  ];

  test.each(failures)('%s', async (_label, args, input, code, message) => {
    const failed = await run(['users', ...args], input);
    expect(failed).toMatchObject({ code, out: '' });
    expect(failed.err).toMatch(message);
    expect(failed.err).not.toContain(PASSWORD);
  });
});

describe('passwords', () => {
  const list = async (login: string) => (await run(['passwords', 'list', login])).out;

  test('create accepts every restriction, and list shows them', async () => {
    await addUser('eva', '--sites', 'shop');
    const { id = 0 } = (await account('eva')) ?? {};
    await database
      .write('host.users')
      .where({ user_id: id })
      .update({ meta: { timezone: 'Asia/Tokyo' } });
    const created = await run([
      'passwords',
      'create',
      'eva',
      '--name',
      'report',
      '--expires',
      '2027-01-31',
      '--sites',
      'shop',
      '--addresses',
      '10.0.0.0/8,::1',
      '--share',
      '20',
    ]);
    expect(created).toMatchObject({ code: 0, err: '', out: expect.stringMatching(/^(\w{4} ){5}\w{4}\n$/) });
    expect(await database.write('host.application_passwords').where({ user_id: id }).first()).toMatchObject({
      name: 'report',
      expires_at: new Date('2027-01-31T15:00:00Z'),
      sites: ['shop'],
      address_ranges: ['10.0.0.0/8', '::1'],
      rate_share: 20,
    });
    const words = 'only shop, from 10.0.0.0/8 ::1, 20% of the rate limit';
    expect(await list('eva')).toMatch(new RegExp(` report +Read, until 2027-01-31T15:00Z, ${words}\n$`));
    const before = now;
    now = new Date('2027-02-01T00:00:00Z');
    expect(await list('eva')).toMatch(new RegExp(` report +Read, expired 2027-01-31T15:00Z, ${words}\n$`));
    now = before;
  });

  test('create defaults to reading, and list shows it', async () => {
    await addUser('finn');
    await run(['passwords', 'create', 'finn', '--name', 'plain']);
    expect(await list('finn')).toMatch(/ never used +plain +Read\n$/);
  });

  test.each([
    [['--expires', '2026-04-30'], /^--expires: 2026-04-30 is in the past/],
    [['--expires', 'tomorrow'], /^--expires: Write a date such as/],
    [['--sites', 'blog'], /^--sites: This account has no access to blog; it has access to shop\.\n$/],
    [['--addresses', '10.0.0'], /^--addresses: Write addresses like/],
    [['--share', '100'], /^--share: A share is/],
    [['--sites', ''], /^--sites is empty; leave it out for no restriction\.\n$/],
    [['--sites', ' , '], /^--sites is empty/],
    [['--addresses', ' '], /^--addresses is empty/],
    [['--expires', ''], /^--expires is empty/],
    [['--share', ''], /^--share is empty/],
    [['--share', '0', '--expires', 'x'], /^--expires: .*\n--share: .*\n$/],
  ])('%j is rejected, and nothing is created', async (options, message) => {
    const failed = await run(['passwords', 'create', 'gil', '--name', 'n', ...options]);
    expect(failed).toMatchObject({ code: 1, out: '', err: expect.stringMatching(message) });
    expect(await list('gil')).toBe('');
  });

  test('extensions are notified of passwords that are created and revoked', async () => {
    await addUser('hal');
    events.length = 0;
    await run(['passwords', 'create', 'hal', '--name', 'one']);
    const [, uuid = ''] = /^(\S+)/.exec(await list('hal')) ?? [];
    expect(await run(['passwords', 'revoke', 'hal', uuid])).toMatchObject({ code: 0, err: 'Revoked 1.\n' });
    expect(await run(['passwords', 'revoke', 'hal', '--all'])).toMatchObject({ err: 'Revoked 0.\n' });
    const { id: userId } = (await account('hal')) ?? {};
    expect(events).toEqual([
      { userId, uuid },
      { userId, uuids: [uuid] },
    ]);
  });

  test('revoke rejects a string that is not a UUID', async () => {
    expect(await run(['passwords', 'revoke', 'root', 'x'])).toMatchObject({
      code: 1,
      err: 'root has no application password x.\n',
    });
  });
});

describe('extensions', () => {
  const toy: Extension = { ...pageExtension([]), name: 'toy', description: 'A toy.' };
  beforeEach(async () => {
    installed = [toy];
    await database.write.withSchema('host').from('extension').delete();
  });

  test('list shows the effect of deactivate and activate', async () => {
    expect(await run(['extensions', 'list'])).toEqual({
      code: 0,
      out: 'toy  1.0.0  active  A toy.\n',
      err: '',
    });
    expect(await run(['extensions', 'deactivate', 'toy'])).toEqual({
      code: 0,
      out: '',
      err: 'toy is inactive. Running servers pick up the change within a second.\n',
    });
    expect((await run(['extensions', 'list'])).out).toBe('toy  1.0.0  inactive  A toy.\n');
    expect(await run(['extensions', 'activate', 'toy'])).toMatchObject({ code: 0 });
    expect((await run(['extensions', 'list'])).out).toBe('toy  1.0.0  active  A toy.\n');
  });

  test('a required extension cannot be turned off, and the message explains why', async () => {
    installed = [{ ...toy, required: true }];
    expect(await run(['extensions', 'deactivate', 'toy'])).toEqual({
      code: 1,
      out: '',
      err: 'toy cannot be turned off: this program needs it.\n',
    });
    expect((await run(['extensions', 'list'])).out).toBe('toy  1.0.0  active  A toy.\n');
  });

  test('list shows why an extension failed, and the extension can be turned off', async () => {
    await run(['extensions', 'list']);
    const register = async () => {
      throw new Error('it is broken');
    };
    installed = [{ ...toy, register }];
    expect((await run(['extensions', 'list'])).out).toBe(
      'toy  1.0.0  active, could not start  it is broken\n',
    );
    expect(await run(['extensions', 'deactivate', 'toy'])).toMatchObject({ code: 0 });
    expect((await run(['extensions', 'list'])).out).toBe('toy  1.0.0  inactive  A toy.\n');
    expect(await run(['extensions', 'activate', 'toy'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('it is broken'),
    });
  });

  test('list shows an extension that is no longer installed', async () => {
    await recordExtension(database.write, { name: 'old', version: '0.9.0', state: 'active' }, now);
    expect((await run(['extensions', 'list'])).out).toMatch(
      /^old +0\.9\.0 +active +It is recorded here, but/m,
    );
  });

  test('an unknown extension is rejected', async () => {
    expect(await run(['extensions', 'activate', 'none'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/^There is no extension none/),
    });
  });
});

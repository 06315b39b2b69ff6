// Accounts and their application passwords in the database. A rejected change leaves everything as it was.
import { randomBytes } from 'node:crypto';
import type { AccountField } from '../../host-shim/accounts/account-fields';
import {
  findAccount,
  findAccountByLogin,
  findLogin,
  findUser,
  listUsers,
} from '../../host-shim/accounts/accounts';
import {
  AccountError,
  changeUser,
  createUser,
  type NewUser,
  setDisabled,
  setLoginPassword,
  setTimezone,
} from '../../host-shim/accounts/users';
import { hashSecret } from '../../host-shim/auth/application-password';
import {
  createApplicationPassword,
  findApplicationPassword,
  listApplicationPasswords,
  renameApplicationPassword,
  revokeApplicationPasswords,
} from '../../host-shim/auth/application-password-store';
import { checkLoginPassword } from '../../host-shim/auth/login-password';
import { until } from '../support/until';
import { useTestDatabase } from '../support/use-database';

const now = new Date('2026-05-01T10:00:00Z');
const tools = { clock: () => now, randomBytes, passwordCost: { N: 2 ** 10, r: 8, p: 1 } };
const PASSWORD = 'a long login password';
const UNKNOWN_ID = 999_999;

const database = useTestDatabase();
let root: number;
let userCount = 0;
beforeAll(async () => {
  root = await add({ login: 'root', role: 'administrator' });
});

function add(user: Partial<NewUser> = {}): Promise<number> {
  userCount += 1;
  const fresh = { login: `user${userCount}`, role: 'analyst', password: PASSWORD, sites: [] } as const;
  return createUser(database.write, { ...fresh, ...user }, tools);
}

async function openSession(userId: number): Promise<void> {
  await database.write('host.session').insert({
    session_key: `${userId}-${Math.random()}`,
    user_id: userId,
    data: '{}',
    created_at: now,
    expires_at: new Date(now.getTime() + 1000),
  });
}
const sessionsOf = (userId: number) => database.write('host.session').where({ user_id: userId });

/** The field and message of a failed change. */
async function faultOf(change: Promise<unknown>): Promise<[AccountField | undefined, string]> {
  const error = await change.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AccountError)) throw new Error(`The change was not rejected: ${String(error)}`);
  return [error.field, error.message];
}

test('an account is found by id, or by login in any letter case, with the same fields as in the list', async () => {
  const id = await add({
    login: 'Mia',
    email: ' mia@example.org ',
    displayName: ' Mia Grün ',
    sites: ['b', 'a', 'b'],
  });
  const expected = {
    id,
    login: 'Mia',
    email: 'mia@example.org',
    displayName: 'Mia Grün',
    role: 'analyst',
    capabilities: ['read'],
    sites: ['a', 'b'],
    timezone: 'UTC',
    key: null,
    disabled: false,
    createdAt: now,
    applicationPasswords: 0,
    lastUsedAt: null,
  };
  expect(await findAccount(database.write, id)).toEqual(expected);
  expect(await findAccountByLogin(database.write, 'mIA')).toEqual(expected);
  expect(await listUsers(database.write)).toContainEqual(expected);
  expect(await findUser(database.write, id)).toMatchObject({ disabled: false, user: { id, key: null } });
});

test('an unknown account is not found', async () => {
  expect(await findAccount(database.write, UNKNOWN_ID)).toBeUndefined();
  expect(await findUser(database.write, UNKNOWN_ID)).toBeUndefined();
  for (const login of ['nobody', '', 'a\0b']) {
    expect(await findAccountByLogin(database.write, login)).toBeUndefined();
    expect(await findLogin(database.write, login)).toBeUndefined();
  }
});

test('an account is found by its e-mail in any letter case', async () => {
  await add({ login: 'kai', email: 'kai@example.org' });
  expect(await findLogin(database.write, 'KAI@example.ORG')).toMatchObject({ login: 'kai' });
});

const faults: readonly [string, Partial<NewUser>, AccountField, RegExp][] = [
  ['a login with a space', { login: 'a b' }, 'login', /^A login must have 1 to 60/],
  ['a login that is taken', { login: 'ROOT' }, 'login', /is taken/],
  ['an invalid e-mail', { email: 'x' }, 'email', /not an e-mail/],
  ['a short password', { password: 'short' }, 'password', /at least 8/],
  ['a name with a line break', { displayName: 'a\nb' }, 'displayName', /single line/],
  ['a name with a bidirectional control', { displayName: 'a\u202eb' }, 'displayName', /control characters/],
  ['a long name', { displayName: '字'.repeat(101) }, 'displayName', /at most 100/],
  ['an invalid site', { sites: ['a b'] }, 'sites', /A site id must consist of/],
  ['sites for an administrator', { role: 'administrator', sites: ['a'] }, 'sites', /sees all sites/],
];

test.each(faults)('an account with %s is not created', async (_label, user, field, sentence) => {
  const before = await database.write('host.users').pluck('user_id');
  expect(await faultOf(add(user))).toEqual([field, expect.stringMatching(sentence)]);
  expect(await database.write('host.users').pluck('user_id')).toEqual(before);
});

test('a name of a hundred characters in any script is accepted', async () => {
  const displayName = '𠮷'.repeat(100);
  expect((await findAccount(database.write, await add({ displayName })))?.displayName).toBe(displayName);
});

test("an account's login cannot be another account's e-mail, nor its e-mail another account's login", async () => {
  await add({ login: 'lou@example.org' });
  await add({ login: 'max', email: 'max@example.org' });
  expect(await faultOf(add({ email: 'LOU@example.org' }))).toEqual([
    'email',
    expect.stringMatching(/^Another account/),
  ]);
  expect(await faultOf(add({ login: 'max@example.org' }))).toEqual(['login', expect.stringMatching(/taken/)]);
  const id = await add();
  for (const email of ['lou@example.org', 'MAX@example.org'])
    expect(await faultOf(changeUser(database.write, id, { email }))).toEqual(['email', expect.any(String)]);
});

test('omitted fields are kept, and empty ones are cleared', async () => {
  const id = await add({ login: 'ned', email: 'ned@example.org', displayName: 'Ned', sites: ['shop'] });
  await changeUser(database.write, id, { displayName: 'Edward' });
  const kept = { displayName: 'Edward', email: 'ned@example.org', role: 'analyst', sites: ['shop'] };
  expect(await findAccount(database.write, id)).toMatchObject(kept);
  await changeUser(database.write, id, { email: 'NED@example.org', sites: ['blog'] });
  expect(await findAccount(database.write, id)).toMatchObject({ email: 'NED@example.org', sites: ['blog'] });
  await changeUser(database.write, id, { email: '', displayName: '', sites: [] });
  expect(await findAccount(database.write, id)).toMatchObject({ email: null, displayName: 'ned', sites: [] });
});

test("granted sites are not restored when an administrator's role is changed back", async () => {
  const id = await add({ sites: ['shop'] });
  await changeUser(database.write, id, { role: 'administrator' });
  expect(await findAccount(database.write, id)).toMatchObject({ role: 'administrator', sites: 'all' });
  await changeUser(database.write, id, { role: 'analyst' });
  expect(await findAccount(database.write, id)).toMatchObject({ role: 'analyst', sites: [] });
});

test('a change with one invalid value changes nothing', async () => {
  const id = await add({ displayName: 'Before', sites: ['shop'] });
  const change = { displayName: 'After', sites: ['blog'], email: 'root' } as const;
  expect(await faultOf(changeUser(database.write, id, change))).toEqual(['email', expect.any(String)]);
  await add({ login: 'ola', email: 'ola@example.org' });
  await faultOf(changeUser(database.write, id, { ...change, email: 'ola@example.org' }));
  expect(await findAccount(database.write, id)).toMatchObject({ displayName: 'Before', sites: ['shop'] });
});

test.each([
  ['changed', (id: number) => changeUser(database.write, id, { displayName: 'x' })],
  ['given a password', (id: number) => setLoginPassword(database.write, id, PASSWORD, tools)],
  ['disabled', (id: number) => setDisabled(database.write, id, true)],
  ['given a time zone', (id: number) => setTimezone(database.write, id, 'UTC')],
  [
    'given an application password',
    (id: number) => createApplicationPassword(database.write, { userId: id, name: 'x' }, tools),
  ],
])('an unknown account cannot be %s', async (_label, change) => {
  expect(await faultOf(change(UNKNOWN_ID))).toEqual([undefined, 'This account does not exist.']);
});

test('a new login password replaces the old one and ends the sessions of this account only', async () => {
  const [id, other] = [await add({ login: 'pam' }), await add()];
  await openSession(id);
  await openSession(other);
  expect(await faultOf(setLoginPassword(database.write, id, 'short', tools))).toEqual([
    'password',
    expect.any(String),
  ]);
  expect(await sessionsOf(id)).toHaveLength(1);
  await setLoginPassword(database.write, id, 'another password', tools);
  const stored = (await findLogin(database.write, 'pam'))?.passwordHash ?? '';
  expect(await checkLoginPassword('another password', stored)).toBe(true);
  expect(await checkLoginPassword(PASSWORD, stored)).toBe(false);
  expect([await sessionsOf(id), await sessionsOf(other)].map(({ length }) => length)).toEqual([0, 1]);
});

test('a disabled account has no sessions, and can be enabled again', async () => {
  const id = await add({ login: 'quin' });
  await openSession(id);
  await setDisabled(database.write, id, true);
  expect(await findLogin(database.write, 'quin')).toMatchObject({ disabled: true });
  expect(await sessionsOf(id)).toEqual([]);
  await setDisabled(database.write, id, false);
  expect(await findAccount(database.write, id)).toMatchObject({ disabled: false });
});

describe('the last administrator who can log in', () => {
  const refusal = expect.stringMatching(/^This is the last administrator/);

  test('cannot be removed, no matter which other accounts exist', async () => {
    const disabled = await add({ role: 'administrator' });
    await setDisabled(database.write, disabled, true);
    expect(await faultOf(setDisabled(database.write, root, true))).toEqual([undefined, refusal]);
    expect(await faultOf(changeUser(database.write, root, { role: 'analyst' }))).toEqual(['role', refusal]);
    await changeUser(database.write, root, { role: 'administrator', displayName: 'Root' });
    // An administrator who cannot log in may be demoted.
    await changeUser(database.write, disabled, { role: 'analyst' });
    expect(await findAccount(database.write, root)).toMatchObject({ role: 'administrator', disabled: false });
  });

  test('cannot be lost through two concurrent changes', async () => {
    const second = await add({ role: 'administrator' });
    let settled = false;
    const other = await database.write.transaction(async (trx) => {
      await changeUser(trx, second, { role: 'analyst' });
      const change = faultOf(setDisabled(database.write, root, true)).finally(() => {
        settled = true;
      });
      change.catch(() => undefined);
      await until(async () => settled || (await isWaiting()));
      return { change };
    });
    expect(await other.change).toEqual([undefined, refusal]);
    expect(await findAccount(database.write, root)).toMatchObject({ disabled: false });
  });

  /** Whether a change is waiting for another one. */
  async function isWaiting(): Promise<boolean> {
    const { rows } = await database.write.raw(
      "SELECT FROM pg_locks WHERE relation = 'host.users'::regclass AND NOT granted",
    );
    return rows.length > 0;
  }
});

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  [' europe/berlin ', 'Europe/Berlin'],
  ['Asia/Kolkata', 'Asia/Kolkata'],
  ['America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['Etc/GMT+9', 'Etc/GMT+9'],
  ['utc', 'UTC'],
])('the time zone %j is accepted', async (typed, zone) => {
  const id = await add();
  await setTimezone(database.write, id, typed);
  expect((await findUser(database.write, id))?.user.timezone).toBe(zone);
});

test.each(['', 'Berlin', 'JST', '+09:00', 'Europe/Nowhere', 'Europe/Berlin; x'])(
  'the time zone %j is rejected',
  async (zone) => {
    expect(await faultOf(setTimezone(database.write, root, zone))).toEqual([
      'timezone',
      expect.stringMatching(/full name such as Europe\/Berlin/),
    ]);
  },
);

describe('application passwords', () => {
  const restrictions = {
    expiresAt: new Date('2027-01-31T23:00:00Z'),
    sites: ['shop', 'blog'],
    addressRanges: ['10.0.0.0/8', '::1'],
    rateShare: 20,
    level: 'import' as const,
  };
  const create = (userId: number, name: string, more: object = {}) =>
    createApplicationPassword(database.write, { userId, name, ...more }, tools);

  test('are returned as stored, and the secret only once', async () => {
    const userId = await add();
    const appId = '3b241101-e2bb-4255-8caf-4136c566a962';
    const { password, secret } = await create(userId, ' Laptop „Grün“ ', { appId, restrictions });
    expect(password).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      appId,
      name: 'Laptop „Grün“',
      createdAt: now,
      lastUsedAt: null,
      lastIp: null,
      opens: null,
      linkLimit: null,
      restrictions,
    });
    expect(await findApplicationPassword(database.write, userId, password.uuid.toUpperCase())).toEqual(
      password,
    );
    const row = await database.write('host.application_passwords').where({ uuid: password.uuid }).first();
    expect(row.secret_hash).toBe(hashSecret(secret));
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  test('are unrestricted by default, and listed oldest first', async () => {
    const userId = await add();
    for (const [name, minute] of [
      ['second', 2],
      ['first', 1],
    ] as const) {
      const clock = () => new Date(now.getTime() + minute * 60_000);
      await createApplicationPassword(database.write, { userId, name }, { ...tools, clock });
    }
    const found = await listApplicationPasswords(database.write, userId);
    expect(found.map(({ name }) => name)).toEqual(['first', 'second']);
    expect(found[0]?.restrictions).toEqual({
      expiresAt: null,
      sites: null,
      addressRanges: null,
      rateShare: null,
      level: 'all',
    });
    expect(await findAccount(database.write, userId)).toMatchObject({ applicationPasswords: 2 });
  });

  test.each([
    ['an empty name', { name: '  ' }, 'name', /needs a name/],
    ['a long name', { name: 'x'.repeat(101) }, 'name', /at most 100/],
    ['a control character', { name: 'a\u0000b' }, 'name', /control characters/],
    ['a two-line name', { name: 'a\u2028b' }, 'name', /single line/],
    ['an application id that is not a UUID', { name: 'x', appId: 'my-app' }, 'appId', /UUID/],
  ])('are not created with %s', async (_label, fields, field, sentence) => {
    const userId = await add();
    expect(await faultOf(create(userId, fields.name, fields))).toEqual([
      field,
      expect.stringMatching(sentence),
    ]);
    expect(await listApplicationPasswords(database.write, userId)).toEqual([]);
  });

  test('can only be renamed by their owner', async () => {
    const [owner, other] = [await add(), await add()];
    const { uuid } = (await create(owner, 'old')).password;
    expect(await renameApplicationPassword(database.write, owner, uuid, ' new ')).toMatchObject({
      uuid,
      name: 'new',
    });
    for (const [userId, which] of [
      [other, uuid],
      [owner, 'no-uuid'],
      [owner, ''],
    ] as const) {
      expect(await renameApplicationPassword(database.write, userId, which, 'x')).toBeUndefined();
      expect(await findApplicationPassword(database.write, userId, which)).toBeUndefined();
      expect(await revokeApplicationPasswords(database.write, userId, [which])).toEqual([]);
    }
    expect(await faultOf(renameApplicationPassword(database.write, owner, uuid, ''))).toEqual([
      'name',
      expect.any(String),
    ]);
    expect(await findApplicationPassword(database.write, owner, uuid)).toMatchObject({ name: 'new' });
  });

  test('can be revoked one at a time or all at once, without affecting those of other users', async () => {
    const [owner, other] = [await add(), await add()];
    const kept = (await create(other, 'kept')).password;
    const [one, two, three] = [
      await create(owner, 'a'),
      await create(owner, 'b'),
      await create(owner, 'c'),
    ].map(({ password }) => password);
    expect(await revokeApplicationPasswords(database.write, owner, [one?.uuid ?? ''])).toEqual([one]);
    const rest = await revokeApplicationPasswords(database.write, owner, 'all');
    expect(new Set(rest)).toEqual(new Set([two, three]));
    expect(await revokeApplicationPasswords(database.write, owner, 'all')).toEqual([]);
    expect(await listApplicationPasswords(database.write, other)).toEqual([kept]);
  });
});

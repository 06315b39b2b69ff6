// Logging in with a password: how long it takes, who is accepted, and what is logged.
import crypto, { randomBytes } from 'node:crypto';
import { createUser, setDisabled } from '../../host-shim/accounts/users';
import { ADDRESS_GUARDS, createLoginGuard } from '../../host-shim/auth/login-guard';
import { ACCOUNT_LOGIN_GUARD, createLogin, PAGE_LOGIN_GUARD } from '../../host-shim/sessions/log-in';
import { createMemoryLog } from '../support/memory-log';
import { useTestDatabase } from '../support/use-database';

const PASSWORD = 'a long login password';
const { log, logged } = createMemoryLog();

const database = useTestDatabase();
let ann: number;
beforeAll(async () => {
  const tools = { clock: () => new Date(), randomBytes };
  const add = (login: string, email: string) =>
    createUser(database.write, { login, email, role: 'analyst', password: PASSWORD, sites: [] }, tools);
  ann = await add('Ann', 'ann@example.org');
  await setDisabled(database.write, await add('gone', 'gone@example.org'), true);
});
beforeEach(() => database.write.raw('DELETE FROM host.window_count'));
afterEach(() => jest.restoreAllMocks());

const loginWith = (failures: number, perAccount = 0) => {
  const tools = { write: database.write, clock: () => new Date() };
  return createLogin({
    ...tools,
    log,
    randomBytes,
    addresses: createLoginGuard(ADDRESS_GUARDS.login, { failures, windowSeconds: 300 }, tools),
    accountGuard: { failures: perAccount, windowSeconds: 3600 },
  });
};
const attempt = (login: string, password: string, address = '192.0.2.1') => ({
  login,
  password,
  address,
  requestId: 'r',
});

test.each(['Ann', 'ANN', 'ann@example.org'])('%s is accepted', async (login) => {
  expect(await loginWith(0)(attempt(login, PASSWORD))).toEqual({
    kind: 'user',
    userId: ann,
    passwordHash: expect.stringMatching(/^scrypt\$/),
  });
});

const wrong: readonly [string, string, string][] = [
  ['a wrong password', 'ann', 'wrong'],
  ['an unknown user', 'bea', PASSWORD],
  ['a disabled account with its password', 'gone', PASSWORD],
  ['an empty user name and an empty password', '', ''],
  ['a user name that cannot be stored', 'an\0n', PASSWORD],
  ['the password followed by more characters', 'ann', PASSWORD + 'x'.repeat(2000)],
  ['SQL', "' OR ''='", 'x'],
];

// attack: timing-refused-logins
test.each(wrong)('%s: rejected after the work of one password check', async (_label, login, password) => {
  const check = loginWith(0);
  const scrypt = jest.spyOn(crypto, 'scrypt');
  expect(await check(attempt(login, password))).toEqual({ kind: 'wrong' });
  expect(scrypt).toHaveBeenCalledTimes(1);
  const cost = scrypt.mock.calls[0]?.[3];
  expect(cost).toMatchObject({ N: 2 ** 15, r: 8, p: 1 });
  expect(String(scrypt.mock.calls[0]?.[0]).length).toBeLessThanOrEqual(1024);
});

test('accepting the correct password takes the same work', async () => {
  const check = loginWith(0);
  const scrypt = jest.spyOn(crypto, 'scrypt');
  await check(attempt('ann', PASSWORD));
  expect(scrypt).toHaveBeenCalledTimes(1);
});

test('after too many failures from an address, nothing is looked up or hashed for it', async () => {
  const check = loginWith(2);
  for (let turn = 0; turn < 2; turn += 1) await check(attempt('ann', 'wrong'));
  const scrypt = jest.spyOn(crypto, 'scrypt');
  let queries = 0;
  const count = () => {
    queries += 1;
  };
  database.write.on('query', count);
  expect(await check(attempt('ann', PASSWORD))).toEqual({
    kind: 'too-many',
    of: 'address',
    retryAfterSeconds: expect.any(Number),
  });
  expect([scrypt.mock.calls.length, queries]).toEqual([0, 0]);
  database.write.off('query', count);
  expect(await check(attempt('ann', PASSWORD, '192.0.2.2'))).toMatchObject({ kind: 'user' });
});

test('concurrent guesses cannot bypass the guard', async () => {
  const check = loginWith(3);
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => check(attempt('ann', 'wrong'))));
  expect(outcomes.filter(({ kind }) => kind === 'wrong')).toHaveLength(3);
});

test.each([
  ['ann', 'ANN@example.org'],
  ['nobody', 'Nobody'],
])(
  'guesses at %s from many addresses lock only that account; the message is the same if it does not exist',
  async (login, alias) => {
    const check = loginWith(0, 3);
    for (let turn = 0; turn < 3; turn += 1)
      expect((await check(attempt(login, 'wrong', `192.0.2.${turn}`))).kind).toBe('wrong');
    const scrypt = jest.spyOn(crypto, 'scrypt');
    expect(await check(attempt(alias, PASSWORD, '192.0.2.9'))).toEqual({
      kind: 'too-many',
      of: 'account',
      retryAfterSeconds: expect.any(Number),
    });
    expect(scrypt).not.toHaveBeenCalled();
    expect((await check(attempt('gone', 'wrong'))).kind).toBe('wrong');
  },
);

// attack: wrong-passwords-one-account
test('at most a hundred guesses per hour are allowed for an account', () => {
  expect(ACCOUNT_LOGIN_GUARD).toEqual({ failures: 100, windowSeconds: 3600 });
});

test('the pages allow a few typos', () => {
  const perHour = (PAGE_LOGIN_GUARD.failures * 3600) / PAGE_LOGIN_GUARD.windowSeconds;
  expect(PAGE_LOGIN_GUARD.failures).toBeGreaterThanOrEqual(5);
  expect(perHour).toBeLessThanOrEqual(120);
});

test('a rejected login is logged with the account, never with the typed name', async () => {
  await loginWith(0)(attempt('my secret as a user', 'my secret'));
  await loginWith(0)(attempt('ANN', 'my secret'));
  const refusals = logged.filter(({ msg }) => msg === 'A login on the pages was refused.');
  expect(refusals.slice(-2)).toMatchObject([
    { login: null, address: '192.0.2.1', requestId: 'r' },
    { login: 'Ann', address: '192.0.2.1' },
  ]);
  expect(JSON.stringify(logged)).not.toContain('my secret');
});

// Second-factor codes and recovery codes: which ones are accepted, and how often.
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { createUser } from '../../host-shim/accounts/users';
import {
  createCodeCheck,
  factorAddress,
  findSecondFactor,
  generateFactorSecret,
  isFactorSecret,
  removeSecondFactor,
  SECOND_FACTOR_GUARD,
  setSecondFactor,
  useCode,
} from '../../host-shim/auth/second-factor';
import { useTestDatabase } from '../support/use-database';

const NOON = new Date('2026-05-01T12:00:00Z');
const STEP_MS = 30_000;
const later = (steps: number) => new Date(NOON.getTime() + steps * STEP_MS);
const tools = { clock: () => NOON, randomBytes, passwordCost: { N: 2 ** 10, r: 8, p: 1 } };

const database = useTestDatabase();
let users = 0;

const codeOf = (secret: string, at: Date): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() });

/** An account whose second factor was set up with the code from two steps before noon. */
async function addWithFactor() {
  users += 1;
  const user = { login: `user${users}`, role: 'analyst', password: 'a long password', sites: [] } as const;
  const userId = await createUser(database.write, user, tools);
  const secret = generateFactorSecret(randomBytes);
  const codes = await setSecondFactor(
    database.write,
    { userId, secret, typed: codeOf(secret, later(-2)) },
    { clock: () => later(-2), randomBytes },
  );
  if (typeof codes === 'string') throw new Error('The second factor was rejected.');
  return { userId, secret, codes, accepts: (typed: string) => useCode(database.write, userId, typed, NOON) };
}

test('the codes match those in RFC 6238', () => {
  const secret = Secret.fromUTF8('12345678901234567890').base32;
  expect(isFactorSecret(secret)).toBe(true);
  expect(codeOf(secret, new Date(59_000))).toBe('287082');
  expect(codeOf(secret, new Date(1_111_111_109_000))).toBe('081804');
});

test('the URL for an authenticator app contains the key, the installation and the account', () => {
  const url = new URL(factorAddress('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', 'stats.example', 'ann@example.org'));
  expect(url.protocol).toBe('otpauth:');
  expect(decodeURIComponent(url.pathname)).toContain('stats.example:ann@example.org');
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    issuer: 'stats.example',
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    digits: '6',
    period: '30',
    algorithm: 'SHA1',
  });
});

// conformance: beyond.second-factor
test.each([-1, 0, 1])('a code that is %d steps off is accepted', async (steps) => {
  const { secret, accepts } = await addWithFactor();
  expect(await accepts(codeOf(secret, later(steps)))).toBe('code');
});

// conformance: beyond.second-factor
test.each([-2, 2])('a code that is %d steps off is rejected', async (steps) => {
  const { secret, accepts } = await addWithFactor();
  expect(await accepts(codeOf(secret, later(steps)))).toBeUndefined();
});

// attack: second-factor-replay
test('a code is accepted once, and earlier codes are rejected afterwards', async () => {
  const { secret, accepts } = await addWithFactor();
  const code = codeOf(secret, NOON);
  const outcomes = await Promise.all([accepts(code), accepts(code), accepts(code)]);
  expect(outcomes.filter((one) => one === 'code')).toHaveLength(1);
  expect(await accepts(codeOf(secret, later(-1)))).toBeUndefined();
  expect(await accepts(codeOf(secret, later(1)))).toBe('code');
});

test('the code used for the setup is not accepted again', async () => {
  const { userId, secret } = await addWithFactor();
  expect(await useCode(database.write, userId, codeOf(secret, later(-2)), later(-2))).toBeUndefined();
});

// attack: second-factor-replay
test('each recovery code is accepted once, even in upper case and with spaces instead of hyphens', async () => {
  const { userId, codes, accepts } = await addWithFactor();
  expect(new Set(codes).size).toBe(10);
  const [first = '', second = ''] = codes;
  expect(first).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
  const outcomes = await Promise.all([accepts(first), accepts(first)]);
  expect(outcomes.filter((one) => one === 'recovery code')).toHaveLength(1);
  expect(await accepts(` ${second.replaceAll('-', ' ').toUpperCase()} `)).toBe('recovery code');
  expect((await findSecondFactor(database.write, userId))?.recoveryCodes).toBe(8);
});

test('recovery codes are not stored in plain text, and an account does not accept those of another account', async () => {
  const { codes } = await addWithFactor();
  const other = await addWithFactor();
  expect(await other.accepts(codes[0] ?? '')).toBeUndefined();
  const stored = JSON.stringify(await database.write('host.recovery_code').select());
  for (const code of codes) expect(stored).not.toContain(code.replaceAll('-', ''));
});

test.each(['', '12345', '1234567', 'abcdef', 'abcd-efgh-ijkl-mnop', "' OR 1=1", '１２３４５６'])(
  '%j is not accepted',
  async (typed) => {
    expect(await (await addWithFactor()).accepts(typed)).toBeUndefined();
  },
);

test('without a second factor, no code is accepted', async () => {
  const { userId, secret, accepts, codes } = await addWithFactor();
  expect(await removeSecondFactor(database.write, userId)).toBe(true);
  expect(await removeSecondFactor(database.write, userId)).toBe(false);
  expect(await accepts(codeOf(secret, NOON))).toBeUndefined();
  expect(await accepts(codes[0] ?? '')).toBeUndefined();
  expect(await findSecondFactor(database.write, userId)).toBeUndefined();
});

test('one of two concurrent setups is rejected', async () => {
  const { userId, secret } = await addWithFactor();
  await removeSecondFactor(database.write, userId);
  const typed = codeOf(secret, NOON);
  const outcomes = await Promise.all(
    [1, 2].map(() =>
      database.write.transaction((trx) => setSecondFactor(trx, { userId, secret, typed }, tools)),
    ),
  );
  expect(outcomes.filter((one) => one === 'has-one')).toHaveLength(1);
  expect((await findSecondFactor(database.write, userId))?.recoveryCodes).toBe(10);
});

test('after too many wrong codes, only recovery codes are accepted', async () => {
  const { userId, secret, codes } = await addWithFactor();
  const check = createCodeCheck({ write: database.write, clock: tools.clock });
  for (let wrong = 0; wrong < SECOND_FACTOR_GUARD.failures; wrong += 1)
    expect(await check(userId, '000000')).toEqual({ kind: 'wrong' });
  expect((await check(userId, codeOf(secret, NOON))).kind).toBe('too-many');
  expect(await check(userId, 'aaaa-bbbb-cccc-dddd')).toEqual({ kind: 'wrong' });
  expect(await check(userId, codes[0] ?? '')).toEqual({ kind: 'accepted', was: 'recovery code' });
});

test('a second factor is not set up with a wrong code', async () => {
  const { userId, secret } = await addWithFactor();
  await removeSecondFactor(database.write, userId);
  const typed = codeOf(secret, later(10));
  expect(await setSecondFactor(database.write, { userId, secret, typed }, tools)).toBe('wrong-code');
  expect(await findSecondFactor(database.write, userId)).toBeUndefined();
});

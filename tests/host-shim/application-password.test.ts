// The secrets of application passwords: WordPress's format, unbiased characters, and lenient input.
import { randomBytes } from 'node:crypto';
import {
  cleanSecret,
  generateSecret,
  hashSecret,
  sameHash,
  showSecret,
} from '../../host-shim/auth/application-password';
import { checkLoginPassword, hashLoginPassword } from '../../host-shim/auth/login-password';

test("WordPress's test vector has the expected hash", () => {
  expect(hashSecret('abcdEFGHijklMNOPqrstUVWX')).toBe('$generic$VbqhfQOT_VfaFmt_p27nedVhgUdnEi-dOUZamH4W');
});

// conformance: host.application-passwords
test('a secret has 24 letters and digits, shown in six groups of four', () => {
  const secret = generateSecret(randomBytes);
  expect(secret).toMatch(/^[A-Za-z0-9]{24}$/);
  expect(showSecret(secret)).toMatch(/^([A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}$/);
  expect(cleanSecret(showSecret(secret))).toBe(secret);
});

test('bytes that would make some characters more likely are discarded', () => {
  // 248 = 4 x 62. Bytes from 248 on would favor the first eight characters.
  const unfair = () =>
    Uint8Array.from({ length: 48 }, (_, index) => (index < 24 ? 248 + (index % 8) : index - 24));
  expect(generateSecret(unfair)).toBe('ABCDEFGHIJKLMNOPQRSTUVWX');
});

test('no other bytes are discarded', () => {
  const last = () => Uint8Array.from({ length: 24 }, (_, index) => 224 + index);
  expect(generateSecret(last)).toBe('mnopqrstuvwxyz0123456789');
});

test('more random bytes are requested if too few are usable', () => {
  let requests = 0;
  const slow = (size: number) => {
    requests += 1;
    return new Uint8Array(size).fill(requests < 3 ? 255 : 0);
  };
  expect(generateSecret(slow)).toBe('A'.repeat(24));
  expect(requests).toBe(3);
});

test.each([
  ['abcd EFGH', 'abcdEFGH'],
  ['a-b:c\u00e9d', 'abcd'],
  [' \t ', ''],
  // conformance: host.what-no-letter
])('%j is cleaned to %j', (typed, clean) => {
  expect(cleanSecret(typed)).toBe(clean);
});

test('case matters', () => {
  expect(sameHash(hashSecret('abcd'), hashSecret('Abcd'))).toBe(false);
  expect(sameHash(hashSecret('abcd'), hashSecret('abcd'))).toBe(true);
  expect(sameHash('', hashSecret('abcd'))).toBe(false);
});

test('login passwords are hashed with scrypt at a cost of 2^15, with separate salts, in a self-describing format', async () => {
  const [one, two] = await Promise.all([
    hashLoginPassword('correct horse', randomBytes),
    hashLoginPassword('correct horse', randomBytes),
  ]);
  expect(one).toMatch(/^scrypt\$32768\$8\$1\$/);
  expect(one).not.toBe(two);
  expect(await checkLoginPassword('correct horse', one)).toBe(true);
  expect(await checkLoginPassword('Correct horse', one)).toBe(false);
  await expect(checkLoginPassword('x', 'md5$x')).rejects.toThrow('unknown format');
});

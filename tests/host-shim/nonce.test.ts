// How long nonces are valid, and for whom.
import { createNonce, isNonce } from '../../host-shim/sessions/sessions';

const HALF_DAY_MS = 12 * 3_600_000;
const SECRET = 'a secret for this installation';
const owner = { sessionId: 'session', userId: 1 };
/** The start of a half day. */
const start = new Date(Math.floor(Date.parse('2026-05-01T10:00:00Z') / HALF_DAY_MS) * HALF_DAY_MS);
const later = (milliseconds: number) => new Date(start.getTime() + milliseconds);

const nonce = createNonce(SECRET, owner, start);

test('a nonce created at the start of a half day is valid for exactly one day', () => {
  for (const at of [0, HALF_DAY_MS, 2 * HALF_DAY_MS - 1])
    expect(isNonce(SECRET, owner, nonce, later(at))).toBe(true);
  expect(isNonce(SECRET, owner, nonce, later(2 * HALF_DAY_MS))).toBe(false);
});

test('a nonce created at the end of a half day is valid for at least half a day', () => {
  const late = createNonce(SECRET, owner, later(HALF_DAY_MS - 1));
  expect(late).toBe(nonce);
  expect(createNonce(SECRET, owner, later(HALF_DAY_MS))).not.toBe(nonce);
});

test('a nonce from the future is invalid', () => {
  expect(isNonce(SECRET, owner, createNonce(SECRET, owner, later(HALF_DAY_MS)), start)).toBe(false);
});

test.each([
  ['from another session', SECRET, { ...owner, sessionId: 'other' }],
  ['from another user', SECRET, { ...owner, userId: 2 }],
  ['from another installation', 'another secret', owner],
  // The user id and the session id are separated unambiguously.
  ['from a session whose id contains a separator', SECRET, { sessionId: '1|session', userId: 1 }],
])('a nonce %s is invalid', (_label, secret, other) => {
  expect(isNonce(SECRET, owner, createNonce(secret, other, start), start)).toBe(false);
});

test.each(['', 'x', `${nonce}x`, nonce.slice(0, -1), nonce.toUpperCase(), 'é'.repeat(27), '\0'.repeat(27)])(
  'any other string is invalid: %j',
  (given) => {
    expect(isNonce(SECRET, owner, given, start)).toBe(false);
  },
);

test('a nonce does not reveal the session', () => {
  expect(nonce).toMatch(/^[\w-]{27}$/);
});

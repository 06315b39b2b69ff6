// The two windows of a user's budget and the guard against guessing, with a clock that the test moves.
import { createLoginGuard, guardKey } from '../../host-shim/auth/login-guard';
import { createUserBudget } from '../../host-shim/rate-limit/user-budget';

const clock = () => new Date();

beforeEach(() => {
  jest.useFakeTimers({ now: new Date('2026-05-01T10:00:00Z') });
});
afterEach(() => {
  jest.useRealTimers();
});

async function spend(budget: ReturnType<typeof createUserBudget>, calls: number, user = 1) {
  const charges = [];
  for (let call = 0; call < calls; call += 1) charges.push(await budget(user));
  return charges;
}

test('the window with fewer calls left is told', async () => {
  const budget = createUserBudget({ perHour: 5, perMinute: 3 }, clock);
  expect(await budget(1)).toEqual({
    allowed: true,
    limit: 3,
    remaining: 2,
    windowSeconds: 60,
    secondsToReset: 60,
    resetAt: Date.parse('2026-05-01T10:01:00Z') / 1000,
  });
  await spend(budget, 2);
  jest.advanceTimersByTime(60_000);
  expect(await budget(1)).toMatchObject({
    allowed: true,
    limit: 5,
    remaining: 1,
    windowSeconds: 3600,
    secondsToReset: 3540,
  });
});

test('a spent minute refuses, costs nothing of the hour, and opens again', async () => {
  const budget = createUserBudget({ perHour: 5, perMinute: 2 }, clock);
  const charges = await spend(budget, 10);
  expect(charges.map((charge) => charge?.allowed)).toEqual([true, true, ...Array(8).fill(false)]);
  jest.advanceTimersByTime(15_000);
  expect(await budget(1)).toMatchObject({ allowed: false, limit: 2, remaining: 0, secondsToReset: 45 });
  jest.advanceTimersByTime(45_000);
  await spend(budget, 2);
  jest.advanceTimersByTime(60_000);
  expect(await budget(1)).toMatchObject({ allowed: true, limit: 5, remaining: 0 });
});

test('a spent hour refuses even when the minute has room', async () => {
  const budget = createUserBudget({ perHour: 2, perMinute: 10 }, clock);
  await spend(budget, 2);
  expect(await budget(1)).toMatchObject({
    allowed: false,
    limit: 2,
    windowSeconds: 3600,
    secondsToReset: 3600,
  });
});

test('calls at the same moment cannot overspend', async () => {
  const budget = createUserBudget({ perHour: 0, perMinute: 3 }, clock);
  const charges = await Promise.all(Array.from({ length: 10 }, () => budget(1)));
  expect(charges.filter((charge) => charge?.allowed)).toHaveLength(3);
});

test('each user has a budget of their own', async () => {
  const budget = createUserBudget({ perHour: 1, perMinute: 0 }, clock);
  await spend(budget, 2, 1);
  expect(await budget(2)).toMatchObject({ allowed: true, remaining: 0 });
});

test('0 is no limit', async () => {
  expect(await createUserBudget({ perHour: 0, perMinute: 0 }, clock)(1)).toBeUndefined();
});

test('the guard shuts after the failures of an address and opens after its window', async () => {
  const guard = createLoginGuard({ failures: 2, windowSeconds: 300 });
  const attempt = async (address: string) => {
    const seconds = await guard.begin(address);
    if (seconds === 0) await guard.end(address, true);
    return seconds;
  };
  expect(await attempt('192.0.2.1')).toBe(0);
  expect(await attempt('192.0.2.1')).toBe(0);
  expect(await attempt('192.0.2.1')).toBe(300);
  expect(await attempt('192.0.2.2')).toBe(0);
  jest.advanceTimersByTime(300_000);
  expect(await attempt('192.0.2.1')).toBe(0);
});

test('attempts at the same moment cannot get past the guard, and a crowd of right ones is let in', async () => {
  const guard = createLoginGuard({ failures: 2, windowSeconds: 300 });
  const attempt = async (address: string, failed: boolean) => {
    const seconds = await guard.begin(address);
    if (seconds > 0) return 'refused';
    await Promise.resolve();
    await guard.end(address, failed);
    return 'checked';
  };
  const crowd = (address: string, failed: boolean) =>
    Promise.all(Array.from({ length: 20 }, () => attempt(address, failed)));
  expect((await crowd('192.0.2.1', true)).filter((outcome) => outcome === 'checked')).toHaveLength(2);
  expect(await crowd('192.0.2.2', false)).not.toContain('refused');
  expect(await attempt('192.0.2.2', true)).toBe('checked');
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::7', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('the guard counts %s as %s', (address, key) => {
  expect(guardKey(address)).toBe(key);
});

// The rate limits of users, of keys with a share and of the pages, and the login guard. The test sets the clock.
import { poolOf } from '../../db/write-pool';
import { createLoginGuard, guardKey } from '../../host-shim/auth/login-guard';
import type { HostUser, RateLimit } from '../../host-shim/extension-api';
import { createUserBudget, type RateLimits } from '../../host-shim/rate-limit/user-budget';
import { createTestDatabase, type TestDatabase } from '../support/database';

let database: TestDatabase;
let now: number;
const clock = () => new Date(now);
const pass = (milliseconds: number) => {
  now += milliseconds;
};

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  now = Date.parse('2026-05-01T10:00:00Z');
  await database.write.raw('DELETE FROM host.window_count');
});
afterAll(() => database.drop());

type Caller = Pick<HostUser, 'id' | 'key'>;

/** A call with an application password. */
const byKey = (id: number, rateShare: number | null = null, uuid = `key of ${id}`): Caller => ({
  id,
  key: { uuid, name: 'n', rateShare, restricted: rateShare !== null },
});
const onPages = (id: number): Caller => ({ id, key: null });

function budgetOf(limits: Partial<RateLimits>) {
  const budget = createUserBudget(
    {
      perHour: 0,
      perMinute: 0,
      readingPerHour: 0,
      readingPerMinute: 0,
      pagesPerHour: 0,
      pagesPerMinute: 0,
      ...limits,
    },
    { write: database.write, clock },
  );
  return Object.assign(
    async (user: Caller, limit: RateLimit = 'per-user') => (await budget(user, limit)).charge,
    { look: (user: Caller, limit: RateLimit = 'per-user') => budget.look(user, limit), enter: budget },
  );
}

const guardOf = (failures: number) =>
  createLoginGuard('test', { failures, windowSeconds: 300 }, { write: database.write, clock });

async function spend(budget: ReturnType<typeof budgetOf>, calls: number, user = byKey(1)) {
  const charges = [];
  for (let call = 0; call < calls; call += 1) charges.push(await budget(user));
  return charges;
}

// conformance: host.three-headers-every
test('the headers describe the window with the fewest calls left', async () => {
  const budget = budgetOf({ perHour: 5, perMinute: 3 });
  expect(await budget(byKey(1))).toEqual({
    allowed: true,
    limit: 3,
    remaining: 2,
    windowSeconds: 60,
    secondsToReset: 60,
    resetAt: Date.parse('2026-05-01T10:01:00Z') / 1000,
  });
  await spend(budget, 2);
  pass(60_000);
  expect(await budget(byKey(1))).toMatchObject({
    allowed: true,
    limit: 5,
    remaining: 1,
    windowSeconds: 3600,
    secondsToReset: 3540,
  });
});

// conformance: limit.10-requests-minute
test('calls beyond the limit per minute are rejected and do not count toward the hour, and the limit resets', async () => {
  const budget = budgetOf({ perHour: 5, perMinute: 2 });
  const charges = await spend(budget, 10);
  expect(charges.map((charge) => charge?.allowed)).toEqual([true, true, ...Array(8).fill(false)]);
  pass(15_000);
  expect(await budget(byKey(1))).toMatchObject({
    allowed: false,
    limit: 2,
    remaining: 0,
    secondsToReset: 45,
  });
  pass(45_000);
  await spend(budget, 2);
  pass(60_000);
  expect(await budget(byKey(1))).toMatchObject({ allowed: true, limit: 5, remaining: 0 });
});

// conformance: limit.100-requests-hour
test('calls beyond the limit per hour are rejected, even if the minute has calls left', async () => {
  const budget = budgetOf({ perHour: 2, perMinute: 10 });
  await spend(budget, 2);
  expect(await budget(byKey(1))).toMatchObject({
    allowed: false,
    limit: 2,
    windowSeconds: 3600,
    secondsToReset: 3600,
  });
});

test('concurrent calls cannot exceed the limit', async () => {
  const budget = budgetOf({ perHour: 0, perMinute: 3 });
  const charges = await Promise.all(Array.from({ length: 10 }, () => budget(byKey(1))));
  expect(charges.filter((charge) => charge?.allowed)).toHaveLength(3);
});

test('setting the clock back does not extend a window', async () => {
  const budget = budgetOf({ perMinute: 1 });
  const guard = guardOf(1);
  await budget(byKey(1));
  await guard.begin('192.0.2.1');
  await guard.end('192.0.2.1', true);
  now = Date.parse('2026-04-29T10:00:00Z');
  expect(await budget(byKey(1))).toMatchObject({
    allowed: false,
    secondsToReset: 60,
    resetAt: Date.parse('2026-04-29T10:01:00Z') / 1000,
  });
  expect(await guard.begin('192.0.2.1')).toBe(300);
  pass(300_000);
  expect(await budget(byKey(1))).toMatchObject({ allowed: true });
  expect(await guard.begin('192.0.2.1')).toBe(0);
});

// conformance: host.rate-limits-per
test('each user has separate limits', async () => {
  const budget = budgetOf({ perHour: 1, perMinute: 0 });
  await spend(budget, 2, byKey(1));
  expect(await budget(byKey(2))).toMatchObject({ allowed: true, remaining: 0 });
});

// conformance: host.rate-limits-per
test('0 means no limit', async () => {
  expect(await budgetOf({})(byKey(1))).toBeUndefined();
});

test("a user's keys share one limit", async () => {
  const budget = budgetOf({ perMinute: 3 });
  await spend(budget, 2, byKey(1, null, 'a'));
  expect(await budget(byKey(1, null, 'b'))).toMatchObject({ allowed: true, remaining: 0 });
  expect(await budget(byKey(1, 50, 'c'))).toMatchObject({ allowed: false, limit: 3 });
});

test("a key with a share can use only that share, and its calls count toward its owner's limit", async () => {
  const budget = budgetOf({ perMinute: 10, perHour: 100 });
  const [key, other] = [byKey(1, 20, 'small'), byKey(1, null, 'large')];
  expect(await budget(key)).toMatchObject({ allowed: true, limit: 2, remaining: 1, windowSeconds: 60 });
  expect(await budget(key)).toMatchObject({ allowed: true, limit: 2, remaining: 0 });
  expect(await spend(budget, 3, key)).toEqual(
    Array(3).fill(expect.objectContaining({ allowed: false, limit: 2 })),
  );
  expect(await budget(other)).toMatchObject({ allowed: true, limit: 10, remaining: 7 });
  for (let minute = 1; minute < 10; minute += 1) {
    pass(60_000);
    await spend(budget, 2, key);
  }
  pass(60_000);
  // The key has used all of its 20 calls per hour, and its owner has 79 left.
  expect(await budget(key)).toMatchObject({ allowed: false, limit: 20, windowSeconds: 3600 });
  await spend(budget, 9, other);
  expect(await budget(other)).toMatchObject({ allowed: true, limit: 10, remaining: 0 });
});

test("for a key with a share, the tightest of its own and its owner's windows is reported", async () => {
  const budget = budgetOf({ perMinute: 10, perHour: 12 });
  await spend(budget, 9, byKey(1, null, 'large'));
  expect(await budget(byKey(1, 50, 'half'))).toMatchObject({ allowed: true, limit: 10, remaining: 0 });
});

test('a query that runs in the counting statement does not run if the condition does not hold', async () => {
  await database.write.raw('CREATE SEQUENCE reads');
  const { enter } = budgetOf({ perMinute: 9, perHour: 9 });
  const ahead = {
    name: 'next',
    select: (texts: string) => `SELECT to_json(nextval((${texts})[1]))`,
    texts: () => ['reads'],
  };
  expect(await enter(byKey(1), 'per-user', ahead)).toMatchObject({ ahead: 1 });
  const never = { name: 'never', values: [], sql: () => 'false' };
  expect(await enter.only(never, byKey(1), 'per-user', ahead)).toBeUndefined();
  expect(await enter(byKey(1), 'per-user', ahead)).toMatchObject({ ahead: 2, charge: { remaining: 7 } });
});

test.each([
  [10, 1, 1],
  [10, 99, 9],
  [10, 15, 1],
  [1, 50, 1],
])('of %i calls, a share of %i percent is %i', async (perMinute, share, limit) => {
  expect(await budgetOf({ perMinute })(byKey(1, share))).toMatchObject({ allowed: true, limit });
});

test('a share of an unlimited budget is unlimited', async () => {
  expect(await budgetOf({})(byKey(1, 1))).toBeUndefined();
});

test("a user's requests from the pages have a separate limit", async () => {
  const budget = budgetOf({ perMinute: 1, perHour: 2, pagesPerMinute: 3 });
  expect(await spend(budget, 4, onPages(1))).toMatchObject([
    { allowed: true, limit: 3, remaining: 2 },
    { allowed: true },
    { allowed: true },
    { allowed: false, limit: 3, windowSeconds: 60 },
  ]);
  expect(await budget(byKey(1))).toMatchObject({ allowed: true, limit: 1 });
  expect(await budget(onPages(2))).toMatchObject({ allowed: true, remaining: 2 });
  expect(await budgetOf({ perMinute: 1 })(onPages(1))).toBeUndefined();
});

test('requests from the pages also have an hourly limit: per user, or, through a link, per address', async () => {
  const budget = budgetOf({ pagesPerHour: 2, pagesPerMinute: 3 });
  expect(await spend(budget, 3, onPages(1))).toMatchObject([
    { allowed: true, limit: 2 },
    { allowed: true },
    { allowed: false, limit: 2, windowSeconds: 3600 },
  ]);
  const { key, ...owner } = byKey(1);
  const through = (uuid: string, visitor: string) => ({
    ...owner,
    key: key && { ...key, uuid, opens: 'dashboard', visitor },
  });
  expect(await spend(budget, 3, through('a', '192.0.2.1'))).toMatchObject([
    { allowed: true, limit: 2 },
    { allowed: true },
    { allowed: false, limit: 2, windowSeconds: 3600 },
  ]);
  expect(await budget(through('a', '192.0.2.2'))).toMatchObject({ allowed: true, remaining: 1 });
  expect(await budget(through('b', '192.0.2.1'))).toMatchObject({ allowed: true, remaining: 1 });
});

test('the guard locks out an address after too many failures, until the window ends', async () => {
  const guard = guardOf(2);
  const attempt = async (address: string) => {
    const seconds = await guard.begin(address);
    if (seconds === 0) await guard.end(address, true);
    return seconds;
  };
  expect(await attempt('192.0.2.1')).toBe(0);
  expect(await attempt('192.0.2.1')).toBe(0);
  expect(await attempt('192.0.2.1')).toBe(300);
  expect(await attempt('192.0.2.2')).toBe(0);
  pass(300_000);
  expect(await attempt('192.0.2.1')).toBe(0);
});

test('concurrent wrong attempts cannot bypass the guard, and many correct ones are accepted', async () => {
  const guard = guardOf(2);
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

test('if the database does not respond, all waiting callers fail at once', async () => {
  const { promise, reject } = Promise.withResolvers<never>();
  const reads = jest.spyOn(poolOf(database.write), 'acquire').mockImplementation(() => promise);
  const guard = guardOf(2);
  const attempts = Promise.allSettled(Array.from({ length: 9 }, () => guard.begin('192.0.2.1')));
  reject(new Error('no answer'));
  expect((await attempts).map(({ status }) => status)).toEqual(Array(9).fill('rejected'));
  expect(reads).toHaveBeenCalledTimes(1);
  reads.mockRestore();
  expect(await guard.begin('192.0.2.1')).toBe(0);
});

test('waiting attempts continue in order of arrival, and share one read of an outdated count', async () => {
  const guard = guardOf(2);
  const reads = jest.spyOn(poolOf(database.write), 'acquire');
  const admitted: number[] = [];
  await Promise.all(
    Array.from({ length: 100 }, async (_, attempt) => {
      expect(await guard.begin('192.0.2.1')).toBe(0);
      admitted.push(attempt);
      pass(100);
      await guard.end('192.0.2.1', false);
    }),
  );
  expect(admitted).toEqual(Array.from({ length: 100 }, (_, attempt) => attempt));
  // One read for each second that passes.
  expect(reads.mock.calls.length).toBeLessThanOrEqual(11);
  reads.mockRestore();
});

test('the guard locks out the whole /56 of an address', async () => {
  const guard = guardOf(2);
  for (const address of ['2001:db8:1:201::1', '2001:db8:1:202::1']) {
    expect(await guard.begin(address)).toBe(0);
    await guard.end(address, true);
  }
  expect(await guard.begin('2001:db8:1:2aa::1')).toBe(300);
  expect(await guard.begin('2001:db8:1:301::1')).toBe(0);
});

describe('two servers, or a server before and after a restart,', () => {
  // conformance: host.rate-limits-per
  test('share their limits', async () => {
    const [one, other] = [budgetOf({ perMinute: 3, perHour: 9 }), budgetOf({ perMinute: 3, perHour: 9 })];
    await spend(one, 2);
    expect(await other(byKey(1))).toMatchObject({ allowed: true, remaining: 0 });
    expect(await other.look(byKey(1))).toMatchObject({ limit: 3, remaining: 0 });
    // Rejected by the limit per minute, so not counted toward the hour.
    expect(await one(byKey(1))).toMatchObject({ allowed: false, limit: 3 });
    expect(await one(byKey(1))).toMatchObject({ allowed: false, limit: 3 });
    pass(60_000);
    await spend(one, 3);
    pass(60_000);
    expect(await spend(other, 3)).toMatchObject([{ remaining: 2 }, { remaining: 1 }, { remaining: 0 }]);
    pass(60_000);
    expect(await one(byKey(1))).toMatchObject({ allowed: false, limit: 9 });
  });

  test('share their guards, with a delay of a few seconds', async () => {
    const [one, other] = [guardOf(2), guardOf(2)];
    expect(await other.begin('192.0.2.1')).toBe(0);
    await other.end('192.0.2.1', false);
    for (let failure = 0; failure < 2; failure++) {
      expect(await one.begin('192.0.2.1')).toBe(0);
      await one.end('192.0.2.1', true);
    }
    expect(await guardOf(2).begin('192.0.2.1')).toBe(300);
    pass(5_000);
    expect(await other.begin('192.0.2.1')).toBe(295);
    expect(await other.begin('192.0.2.2')).toBe(0);
  });

  test('remove expired windows', async () => {
    const budget = budgetOf({ perMinute: 1 });
    await budget(byKey(1));
    pass(3_600_000);
    await budget(byKey(2));
    expect(await database.write.from('host.window_count').pluck('name')).toEqual(['user 2']);
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:1234:3:4:5:6', '2001:db8:1:1200::/56'],
  ['2001:db8::7', '2001:db8:0:0::/56'],
  ['::1', '0:0:0:0::/56'],
  ['account 1', 'account 1'],
])('the guard counts %s as %s', (address, key) => {
  expect(guardKey(address)).toBe(key);
});

test('AI clients have separate windows, and a key can have a share of them', async () => {
  const budget = budgetOf({ perMinute: 1, readingPerMinute: 4 });
  expect(await budget(byKey(1))).toMatchObject({ allowed: true, limit: 1 });
  expect(await budget(byKey(1))).toMatchObject({ allowed: false });
  expect(await budget(byKey(1), 'reading')).toMatchObject({ allowed: true, limit: 4, remaining: 3 });
  expect(await budget(byKey(2, 25), 'reading')).toMatchObject({ allowed: true, limit: 1 });
  expect(await budget(byKey(2, 25), 'reading')).toMatchObject({ allowed: false, limit: 1 });
  expect(await budget(byKey(2), 'reading')).toMatchObject({ allowed: true, remaining: 2 });
  expect(await budget.look(byKey(1), 'reading')).toMatchObject({ remaining: 3 });
});

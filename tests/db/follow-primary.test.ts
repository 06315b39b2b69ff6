// One of several addresses is the primary's. The primary changes after a failover, but not when the old one comes back.
import { followPrimary } from '../../db/follow-primary';

const [ONE, TWO] = ['postgresql://one/qal', 'postgresql://two/qal'] as const;
const LOOK_MS = 1_000;

/** Address -> the current timeline of its server, or 0 if it is a replica. */
const servers = new Map<string, number>();
const changes: string[] = [];

async function lookAt(address: string) {
  const timeline = servers.get(address);
  if (timeline === undefined) throw new Error('it does not respond');
  return { system: '7', database: '5', startedAt: '0', timeline };
}

const follow = () => followPrimary([ONE, TWO], (sentence) => changes.push(sentence), lookAt);

beforeEach(() => {
  jest.useFakeTimers();
  changes.length = 0;
});
afterEach(() => jest.useRealTimers());

test('if there are two primaries, the one that was promoted is used', async () => {
  servers.set(ONE, 1).set(TWO, 2);
  const primary = await follow();
  expect(primary.current()).toBe(TWO);
  primary.stop();
});

// conformance: beyond.several-addresses-database
test('a promoted replica becomes the primary, and an old primary that comes back does not', async () => {
  servers.set(ONE, 1).set(TWO, 0);
  const primary = await follow();
  expect(primary.current()).toBe(ONE);
  servers.delete(ONE);
  servers.set(TWO, 2);
  await jest.advanceTimersByTimeAsync(LOOK_MS);
  expect(primary.current()).toBe(TWO);
  servers.set(ONE, 1).delete(TWO);
  await jest.advanceTimersByTimeAsync(LOOK_MS);
  expect(primary.current()).toBe(TWO);
  expect(changes).toEqual(['The primary of DATABASE_URL is now at two:5432/qal.']);
  primary.stop();
});

// A copy that fails again and again is tried less and less often.
import { restAfterFault } from '../../../extension/query/columns/rest-after-fault';

const MINUTE = 60_000;
let now: number;
beforeEach(() => {
  now = 1_000_000;
});
const start = () => restAfterFault(() => now);

/** How long it rests from now on, in milliseconds. */
function restOf(rest: ReturnType<typeof start>): number {
  const before = now;
  while (!rest.isOver()) now += 500;
  return now - before;
}

test('before any fault there is nothing to wait for', () => {
  expect(start().isOver()).toBe(true);
});

test('failures that cost nothing are tried again soon, and at least once in a minute', () => {
  const rest = start();
  const rests = Array.from({ length: 8 }, () => {
    rest.failed(0);
    return restOf(rest) / 1000;
  });
  expect(rests).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  rest.succeeded();
  expect(rest.failed(0)).toBe(1);
  expect(restOf(rest)).toBe(2_000);
});

test('an attempt that fails late takes at most a tenth of the time, and is repeated at least once an hour', () => {
  const rest = start();
  rest.failed(2 * MINUTE);
  expect(restOf(rest)).toBe(18 * MINUTE);
  rest.failed(30 * MINUTE);
  expect(restOf(rest)).toBe(60 * MINUTE);
});

test('a copy that DuckDB spoils soon after it was filled is filled again later, one that served for long at once', () => {
  const rest = start();
  rest.filled(2 * MINUTE);
  now += 3 * MINUTE;
  rest.lost();
  expect(restOf(rest)).toBe(15 * MINUTE);
  rest.filled(2 * MINUTE);
  now += 20 * MINUTE;
  rest.lost();
  expect(rest.isOver()).toBe(true);
});

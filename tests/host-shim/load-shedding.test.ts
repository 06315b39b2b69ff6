// When a server refuses requests: if the event loop lags and many requests are unanswered.
import { startLoadShedding } from '../../host-shim/server/load-shedding';

const TICK_MS = 50;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

/** The event loop is blocked for a while: time passes, but no timer runs. */
const block = (ms: number) => jest.setSystemTime(Date.now() + ms);

function start(unanswered: number) {
  const { admit, stop } = startLoadShedding(Date.now);
  const leaves = Array.from({ length: unanswered }, () => admit());
  return { admit, stop, leaves };
}

test('while the event loop does not lag, any number of requests is accepted', () => {
  const { admit, stop } = start(1_000);
  block(250);
  expect(admit()).toBeDefined();
  stop();
});

test('beyond 200 ms, a request is refused if 32 others are unanswered', () => {
  const { admit, stop, leaves } = start(32);
  block(251);
  expect(admit()).toBeUndefined();
  leaves[0]?.();
  expect(admit()).toBeDefined();
  expect(admit()).toBeUndefined();
  stop();
});

test('requests in a turn that began late are refused too, and those after a turn that began on time are not', () => {
  const { admit, stop } = start(32);
  block(251);
  // The timer that was due runs late.
  jest.advanceTimersByTime(TICK_MS);
  expect(admit()).toBeUndefined();
  jest.advanceTimersByTime(TICK_MS);
  expect(admit()).toBeDefined();
  stop();
});

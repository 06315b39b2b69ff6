// A server sheds load while its event loop lags and many requests are unanswered.
import { startLoadShedding } from '../../host-shim/server/load-shedding';

const TICK_MS = 50;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => jest.useRealTimers());

/** Blocks the event loop for a while: time passes, but timers do not run. */
const block = (ms: number) => jest.setSystemTime(Date.now() + ms);

function start(unanswered: number) {
  const { admit, stop } = startLoadShedding(Date.now);
  const releases = Array.from({ length: unanswered }, () => admit());
  return { admit, stop, releases };
}

test('while the event loop does not lag, any number of requests is accepted', () => {
  const { admit, stop } = start(1_000);
  block(250);
  expect(admit()).toBeDefined();
  stop();
});

test('with a lag above 200 ms, a request is rejected if 32 others are unanswered', () => {
  const { admit, stop, releases } = start(32);
  block(251);
  expect(admit()).toBeUndefined();
  releases[0]?.();
  expect(admit()).toBeDefined();
  expect(admit()).toBeUndefined();
  stop();
});

test('requests are also rejected in an event loop turn that began late, and accepted after one that began on time', () => {
  const { admit, stop } = start(32);
  block(251);
  // The timer that is due runs late.
  jest.advanceTimersByTime(TICK_MS);
  expect(admit()).toBeUndefined();
  jest.advanceTimersByTime(TICK_MS);
  expect(admit()).toBeDefined();
  stop();
});

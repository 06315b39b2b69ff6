// The local days of a clock as consecutive spans of time, numbered in days since 1970-01-01.
// Clock -> instants in epoch seconds. A day begins when the clock first shows it or a later one: where clocks go back
// across midnight, the repeated time belongs to the later day. A day that clocks skip is empty.
import type { LocalClock } from './local-clock';

const DAY = 86_400;

/** The first instants of the days `first` to `end`, both included. */
export function dayBounds(clock: LocalClock, first: number, end: number): readonly number[] {
  const bounds: number[] = [];
  let piece = 0;
  let from = Number.NEGATIVE_INFINITY;
  for (let day = first; day <= end; day += 1) {
    for (;;) {
      const { until, seconds } = clock[piece] ?? { until: null, seconds: 0 };
      const bound = Math.max(from, day * DAY - seconds);
      if (until === null || bound < until) {
        bounds.push(bound);
        break;
      }
      from = until;
      piece += 1;
    }
  }
  return bounds;
}

/** The day that an instant belongs to. */
export function dayOf(clock: LocalClock, instant: number): number {
  const offset = clock.find(({ until }) => until === null || instant < until)?.seconds ?? 0;
  const shown = Math.floor((instant + offset) / DAY);
  const [next = Number.POSITIVE_INFINITY] = dayBounds(clock, shown + 1, shown + 1);
  return instant < next ? shown : shown + 1;
}

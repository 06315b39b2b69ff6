// How long the column copy is left alone after a fault: work that comes to nothing, again and again, must be no standing load.

const FIRST_REST_MS = 2_000;
/** After failures that cost nothing, such as a file that another process has open. */
const LONGEST_CHEAP_REST_MS = 60_000;
/** A tenth of the time may go into work that fails. */
const REST_BY_WORK = 9;
const LONGEST_REST_MS = 3_600_000;

interface RestAfterFault {
  isOver(): boolean;
  /** A copy was filled; that took so long. */
  filled(ms: number): void;
  /** The copy that was filled last turned out to be of no use. */
  lost(): void;
  /** An attempt failed that took so long. Gives how many have failed one after the other. */
  failed(ms: number): number;
  succeeded(): void;
}

/** `now` counts milliseconds. */
export function restAfterFault(now: () => number): RestAfterFault {
  let until = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let fill = { ms: 0, doneAt: 0 };
  const rest = (ms: number): void => {
    until = Math.max(until, now() + Math.min(ms, LONGEST_REST_MS));
  };
  return {
    isOver: () => now() >= until,
    filled(ms) {
      fill = { ms, doneAt: now() };
    },
    lost() {
      rest(fill.ms * REST_BY_WORK - (now() - fill.doneAt));
    },
    failed(ms) {
      const cheap = Math.min(FIRST_REST_MS * 2 ** failures, LONGEST_CHEAP_REST_MS);
      rest(Math.max(cheap, ms * REST_BY_WORK));
      failures += 1;
      return failures;
    },
    succeeded() {
      failures = 0;
    },
  };
}

/** Does work again only when so much time has passed since it was done. */
export function atMostEvery(ms: number, now: () => number, work: () => Promise<void>): () => Promise<void> {
  let doneAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - doneAt < ms) return;
    doneAt = now();
    await work();
  };
}

// Refuses requests while the event loop lags, so that accepted work can finish and everything else is answered in time.

/** Counts a request as unanswered until the returned function is called. Returns undefined if the request must be refused. */
export type Admit = () => (() => void) | undefined;

export const ADMIT_ALL: Admit = () => () => {};

const LATE_MS = 200;
/** With fewer unanswered requests than this, something else is delaying the event loop, and refusing would not help. */
const FEW_REQUESTS = 32;
const TICK_MS = 50;

interface LoadShedding {
  readonly admit: Admit;
  stop(): void;
}

export function startLoadShedding(now = () => performance.now()): LoadShedding {
  let due = now() + TICK_MS;
  let lastLate = 0;
  let unanswered = 0;
  const timer = setInterval(() => {
    lastLate = now() - due;
    due = now() + TICK_MS;
  }, TICK_MS).unref();
  return {
    admit() {
      const isLate = Math.max(lastLate, now() - due) > LATE_MS;
      if (isLate && unanswered >= FEW_REQUESTS) return undefined;
      unanswered += 1;
      return () => {
        unanswered -= 1;
      };
    },
    stop: () => clearInterval(timer),
  };
}

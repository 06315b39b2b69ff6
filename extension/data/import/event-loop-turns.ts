// Turns of the event loop: long work yields to other requests before they are delayed noticeably.
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Turns {
  /** Whether this turn's time is up. */
  isOver(): boolean;
  /** Lets other work run first. Rethrows errors from `check`, which may stop the work. */
  next(): Promise<void>;
}

/** A turn stays far below the 50 ms that clients notice, even if it ends with a long step. */
const TURN_MS = 10;

export function eventLoopTurns(check: () => void, now: () => number = () => performance.now()): Turns {
  let end = now() + TURN_MS;
  return {
    isOver: () => now() >= end,
    async next() {
      await nextTurn();
      check();
      end = now() + TURN_MS;
    },
  };
}

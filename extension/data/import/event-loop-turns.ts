// Turns of the event loop: long work yields to other requests before they are delayed noticeably.
import { setImmediate as nextTurn } from 'node:timers/promises';

export type Turns = ReturnType<typeof eventLoopTurns>;

/**
 * A turn stays far below the 50 ms that clients notice, even if it ends with a long step. In an import, each answer from the database
 * waits for the end of a turn.
 */
const TURN_MS = 2;

export function eventLoopTurns(check: () => void, now: () => number = () => performance.now()) {
  let end = now() + TURN_MS;
  return {
    /** Whether this turn's time is up. */
    isOver: () => now() >= end,
    /** Lets other work run first. Rethrows errors from `check`, which may stop the work. */
    async next(): Promise<void> {
      await nextTurn();
      check();
      end = now() + TURN_MS;
    },
  };
}

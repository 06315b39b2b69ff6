// Runs long work in turns of the event loop, so that other requests are answered in between.
import type { Steps } from '../language/types/steps';

/** Including the longest step, a turn must stay well below the 50 ms that clients notice. */
const TURN_MS = 8;
/** Work that takes less time than this never waits, even on a busy server. */
const SMALL_MS = 1;

/** When work began in the current turn of the event loop. */
let turnBegan: number | undefined;
/** Resolves when all waiting jobs have had their turn. */
let lastTurn: Promise<unknown> = Promise.resolve();

function beginTurn(now: number): number {
  setImmediate(() => {
    turnBegan = undefined;
  });
  return now;
}

/** Waits for a turn after all waiting jobs: two jobs in one turn would block the loop for twice as long. */
function nextTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => new Promise(setImmediate));
  return lastTurn;
}

/** Runs steps. Whenever the current turn has taken long enough, waits for the next one, even before returning. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  let began = performance.now();
  for (;;) {
    turnBegan ??= beginTurn(began);
    const step = steps.next();
    const now = performance.now();
    if (now - began >= SMALL_MS && now - turnBegan >= TURN_MS) {
      await nextTurn();
      began = performance.now();
    }
    if (step.done === true) return step.value;
  }
}

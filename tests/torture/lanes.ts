// Runs attempts in parallel, because each spends most of its time waiting for starts, stops and recoveries.
import { type Dice, newDice } from '../language/interpreter/random/dice';

const LANES = 3;

/**
 * Each lane has separate dice and takes the next number from the shared iterator. If a lane throws, the promise rejects once
 * all lanes have ended.
 */
export async function runInLanes(
  tries: number,
  dice: Dice,
  lane: (dice: Dice, numbers: Iterable<number>) => Promise<void>,
): Promise<void> {
  const numbers = countTo(tries);
  const lanes = Array.from({ length: LANES }, () => lane(newDice(dice.below(2 ** 31)), numbers));
  const outcomes = await Promise.allSettled(lanes);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

/** A lane that throws closes this generator, so the other lanes stop after their current try. */
function* countTo(end: number): Generator<number> {
  for (let number = 0; number < end; number++) yield number;
}

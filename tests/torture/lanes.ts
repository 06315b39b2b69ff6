// Tries side by side: most of a try is waiting, for starts, ends and recoveries.
import { type Dice, newDice } from '../language/interpreter/random/dice';

const LANES = 3;

/** Runs lanes with dice of their own, each of which takes the number of its next try. Throws what one of them threw, at their end. */
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

/** A loop that fails closes it, so that the other lanes end with the try that they are at. */
function* countTo(end: number): Generator<number> {
  for (let number = 0; number < end; number++) yield number;
}

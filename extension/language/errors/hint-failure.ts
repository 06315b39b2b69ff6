// The one place that contains failures of ours in looking for what a wrong query meant.
import type { HintFailures } from '../types/repair';
import { QueryError } from './query-error';

/** Looks for a hint or a repair; undefined where that fails, so that the plain fault is answered. A QueryError passes. */
export function hintOf<Hint>(look: () => Hint, { onHintFailure }: HintFailures): Hint | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof QueryError) throw error;
    onHintFailure(error);
    return undefined;
  }
}

// Contains our own failures in the search for hints and repairs.
import type { HintFailures } from '../types/repair';
import { QueryError } from './query-error';

/** Looks for a hint or a repair; undefined if that throws, so that the plain error is returned. A QueryError is rethrown. */
export function hintOf<Hint>(look: () => Hint, { onHintFailure }: HintFailures): Hint | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof QueryError) throw error;
    onHintFailure(error);
    return undefined;
  }
}

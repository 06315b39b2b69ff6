import type { HintFailures } from '../types/repair';
import { QueryError } from './query-error';

/** Looks for a hint or a repair. If that fails, the client receives the error without one. A QueryError is rethrown. */
export function hintOf<Hint>(look: () => Hint, { onHintFailure }: HintFailures): Hint | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof QueryError) throw error;
    onHintFailure(error);
    return undefined;
  }
}

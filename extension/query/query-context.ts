// What the pipeline needs: the sum of what its phases do.
import type { AnsweredResult, HeldRows } from '../language/types/query-result';
import type { ScopeContext } from './load-scope';
import type { ResultContext } from './read-result';
import type { ShadowReader } from './shadow';
import type { UnderstandContext } from './understand-query';

/** The queue of queries for one user. Both functions reject with E_UNAVAILABLE when there is no place in time. */
export interface UserQueue {
  /** Waits for a place to run a statement. Returns the function that leaves it. */
  enter(signal: AbortSignal): Promise<() => void>;
  /**
   * The result of `work`, or of work with the same key that is waiting or running. Rejects with the signal's reason when that
   * aborts.
   */
  share(
    key: string | undefined,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<AnsweredResult<HeldRows>>,
  ): Promise<AnsweredResult<HeldRows>>;
}

/** Runs everything at once. */
export const NO_QUEUE: UserQueue = {
  enter: async () => () => {},
  share: (_key, signal, work) => work(signal),
};

export interface QueryContext extends UnderstandContext, ScopeContext, ResultContext {
  readonly queue: UserQueue;
  /** Compares a few answers of the column copy with rows. */
  readonly shadow?: ShadowReader | undefined;
}

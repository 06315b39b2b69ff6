// The context of the pipeline: everything that its phases need.
import type { AnsweredResult, HeldRows } from '../language/types/query-result';
import type { ScopeContext } from './load-scope';
import type { ResultContext } from './read-result';
import type { ShadowReader } from './shadow';
import type { UnderstandContext } from './understand-query';

/** The query queue of one user. Both functions reject with E_UNAVAILABLE if no slot becomes free in time. */
export interface UserQueue {
  enter(signal: AbortSignal): Promise<() => void>;
  /**
   * Returns the result of `work`, or of work with the same key that is already waiting or running. Rejects with the signal's
   * reason if the signal is aborted.
   */
  share(
    key: string | undefined,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<AnsweredResult<HeldRows>>,
  ): Promise<AnsweredResult<HeldRows>>;
}

export const NO_QUEUE: UserQueue = {
  enter: async () => () => {},
  share: (_key, signal, work) => work(signal),
};

export interface QueryContext extends UnderstandContext, ScopeContext, ResultContext {
  readonly queue: UserQueue;
  readonly shadow?: ShadowReader | undefined;
}

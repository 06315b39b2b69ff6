import type { Manifest } from '../../../manifests/reader/manifest';
import type { Engine } from '../types/engine';
import type { PreparedCounts } from '../types/unique-counts';
import type { NodeRewrites } from '../types/walk-plan';

/** A rewrite of the plan that preserves its result. */
export interface Pass {
  readonly name: string;
  /** The only engine that benefits from the pass. */
  readonly only?: Engine;
  /** Set if Citus cannot run the rewritten plan when the rows are on several machines. */
  readonly requiresOneMachine?: true;
  readonly rewrites: NodeRewrites<PassContext>;
}

export interface PassContext extends PreparedCounts {
  readonly manifest: Manifest;
  /** Records, in one sentence, why the pass left something unchanged. */
  because(reason: string): undefined;
}

/** The effect of a pass on one query. */
export interface PassTrace {
  readonly name: string;
  readonly did: 'fired' | 'nothing' | 'left out';
  /** Why the pass changed nothing. Each reason appears once, and none contains a site id. */
  readonly because: readonly string[];
}

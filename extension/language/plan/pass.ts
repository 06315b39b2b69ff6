// A pass, the context it gets, and the report on what it did.
import type { Manifest } from '../../../manifests/reader/manifest';
import type { Engine } from '../types/engine';
import type { UniqueCounts } from '../types/unique-counts';
import type { NodeRewrites } from '../types/walk-plan';

/** A rewrite of the plan that keeps its result. A visitor is called with inputs that are rewritten already. */
export interface Pass {
  readonly name: string;
  /** The only engine that it helps. */
  readonly only?: Engine;
  /** Whether Citus cannot answer what it makes of rows that lie on several machines. */
  readonly isForOneMachine?: true;
  readonly rewrites: NodeRewrites<PassContext>;
}

export interface PassContext {
  readonly manifest: Manifest;
  /** Up to which instant, in epoch seconds, the column copy has these counts of the sites. */
  countedUntil(counts: UniqueCounts, siteIds: readonly number[]): number;
  /** Records in a sentence why the pass leaves something as it is. */
  because(reason: string): undefined;
}

/** What a pass did with one query. */
export interface PassTrace {
  readonly name: string;
  readonly did: 'fired' | 'nothing' | 'left out';
  /** Why it left things as they are, each reason once; never shows the ids of sites. */
  readonly because: readonly string[];
}

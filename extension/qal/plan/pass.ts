// Owns the type of a pass: one rewrite of the plan with an equal result.
import type { Manifest } from '../../../manifests/reader/manifest';
import type { PlanNode } from '../types/plan';
import type { SiteState } from '../types/resolved-query';

export interface PassContext {
  readonly manifest: Manifest;
  /** What is known of the sites of the query, by their id. */
  readonly sites: ReadonlyMap<number, SiteState>;
  /** Takes a sentence on why the pass leaves a node that it is about as it is. */
  because(reason: string): void;
}

/** The node, or an equal one; the same object where nothing is done. */
export type Rewrite = (node: PlanNode, context: PassContext) => PlanNode;

/** What became of a pass in one query. */
export interface PassTrace {
  readonly name: string;
  readonly did: 'fired' | 'nothing' | 'left out';
  /** Why nodes that it is about were left as they are, each reason once; numbers of sites are never told. */
  readonly because: readonly string[];
}

// Owns the walk down a plan: the same node over rewritten inputs.
import type { PlanNode } from '../types/plan';

/** The node with its input replaced by `rewrite(input)`. */
export function mapInputs(node: PlanNode, rewrite: (input: PlanNode) => PlanNode): PlanNode {
  return node.kind === 'scan' ? node : { ...node, input: rewrite(node.input) };
}

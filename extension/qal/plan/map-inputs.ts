// Owns the walk down a plan: the same node over rewritten inputs.
import type { PlanNode } from '../types/plan';

/** The node with each of its inputs replaced by `rewrite(input)`. */
export function mapInputs(node: PlanNode, rewrite: (input: PlanNode) => PlanNode): PlanNode {
  switch (node.kind) {
    case 'scan':
      return node;
    case 'join':
      return { ...node, left: rewrite(node.left), right: rewrite(node.right) };
    case 'extend':
    case 'filter':
    case 'number':
    case 'group':
    case 'per-period':
    case 'order':
    case 'limit':
      return { ...node, input: rewrite(node.input) };
  }
}

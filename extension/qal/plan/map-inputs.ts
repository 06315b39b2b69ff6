// Owns the walk down a plan: the same node over rewritten inputs.
import type { PlanNode } from '../types/plan';

/** The node with each of its inputs replaced by `rewrite(input)`; the same object where that changes none of them. */
export function mapInputs(node: PlanNode, rewrite: (input: PlanNode) => PlanNode): PlanNode {
  switch (node.kind) {
    case 'scan':
    case 'rollup':
      return node;
    case 'join': {
      const left = rewrite(node.left);
      const right = rewrite(node.right);
      return left === node.left && right === node.right ? node : { ...node, left, right };
    }
    case 'union': {
      const inputs = node.inputs.map(rewrite);
      return inputs.every((input, index) => input === node.inputs[index]) ? node : { ...node, inputs };
    }
    case 'extend':
    case 'filter':
    case 'number':
    case 'group':
    case 'per-period':
    case 'order':
    case 'limit': {
      const input = rewrite(node.input);
      return input === node.input ? node : { ...node, input };
    }
  }
}

// Owns the question whether a plan reads rows by ranges of time, or kept counts alone, by whole keys.
import type { PlanNode } from '../types/plan';

/** How many rows lie in a range decides how they are best read; blocks of kept counts are always found in one way. */
export function readsRanges(node: PlanNode): boolean {
  switch (node.kind) {
    case 'scan':
      return true;
    case 'rollup':
      return false;
    case 'join':
      return readsRanges(node.left) || readsRanges(node.right);
    case 'union':
      return node.inputs.some(readsRanges);
    case 'extend':
    case 'filter':
    case 'number':
    case 'group':
    case 'per-period':
    case 'order':
    case 'limit':
      return readsRanges(node.input);
  }
}

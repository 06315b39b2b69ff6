// Owns the look through a plan for what a column is.
import type { Expression, PlanNode } from '../types/plan';

/** How a column is computed from stored fields, seen through filters, other columns and the left side of joins. */
export function definitionOf(column: string, node: PlanNode): Expression | undefined {
  switch (node.kind) {
    case 'filter':
      return definitionOf(column, node.input);
    case 'join':
      return node.columns.some(({ name }) => name === column) ? undefined : definitionOf(column, node.left);
    case 'extend':
      return node.columns.find(({ name }) => name === column)?.value ?? definitionOf(column, node.input);
    case 'scan':
    case 'rollup':
    case 'union':
    case 'number':
    case 'group':
    case 'per-period':
    case 'order':
    case 'limit':
      return undefined;
  }
}

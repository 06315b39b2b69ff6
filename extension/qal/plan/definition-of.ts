// Owns the look through a plan for what a column is.
import type { Expression, PlanNode } from '../types/plan';

/** How a column is computed from stored fields, seen through other names, filters and the left side of joins. */
export function definitionOf(column: string, node: PlanNode): Expression | undefined {
  switch (node.kind) {
    case 'filter':
      return definitionOf(column, node.input);
    case 'join':
      return node.columns.some(({ name }) => name === column) ? undefined : definitionOf(column, node.left);
    case 'extend': {
      const value = node.columns.find(({ name }) => name === column)?.value;
      if (value === undefined) return definitionOf(column, node.input);
      return value.kind === 'column' ? (definitionOf(value.column, node.input) ?? value) : value;
    }
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

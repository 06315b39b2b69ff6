// Owns the look through a plan for what a column is.
import type { Expression, PlanNode } from '../types/plan';

/** How a column is computed from stored fields, seen through filters and other columns. */
export function definitionOf(column: string, node: PlanNode): Expression | undefined {
  if (node.kind === 'filter') return definitionOf(column, node.input);
  if (node.kind !== 'extend') return undefined;
  return node.columns.find(({ name }) => name === column)?.value ?? definitionOf(column, node.input);
}

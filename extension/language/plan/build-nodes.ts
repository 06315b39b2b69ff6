// Builders for nodes that several passes use.
import type { Aggregate, ComputedColumn, ExtendNode, PlanCondition, PlanNode } from '../types/plan';

/** Adds columns; without any, returns the same node. */
export const extended = (input: PlanNode, columns: readonly ComputedColumn[]): PlanNode =>
  columns.length === 0 ? input : { kind: 'extend', input, columns };

/** Removes some computed columns. */
export const withoutColumns = (
  { input, columns }: ExtendNode,
  removed: readonly ComputedColumn[],
): PlanNode =>
  extended(
    input,
    columns.filter((column) => !removed.includes(column)),
  );

/** Keeps the rows that pass all conditions; without any, returns the same node. */
export const filtered = (input: PlanNode, conditions: readonly PlanCondition[]): PlanNode =>
  conditions.length === 0 ? input : { kind: 'filter', input, conditions };

/** The number of rows of a group. */
export const countRows = (name: string): Aggregate => ({
  name,
  function: 'COUNT',
  column: null,
  type: 'int',
  within: [],
});

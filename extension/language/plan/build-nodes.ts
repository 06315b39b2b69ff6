// Short forms of nodes that several passes build.
import type { Aggregate, ComputedColumn, ExtendNode, PlanCondition, PlanNode } from '../types/plan';

/** The rows with these columns added; the same node without any. */
export const extended = (input: PlanNode, columns: readonly ComputedColumn[]): PlanNode =>
  columns.length === 0 ? input : { kind: 'extend', input, columns };

/** The rows without some of their computed columns. */
export const withoutColumns = (
  { input, columns }: ExtendNode,
  removed: readonly ComputedColumn[],
): PlanNode =>
  extended(
    input,
    columns.filter((column) => !removed.includes(column)),
  );

/** The rows that pass all conditions; the same node without any. */
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

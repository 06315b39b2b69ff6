import type { ColumnType } from '../../../manifests/reader/schema';
import type { Aggregate, ComputedColumn, ExtendNode, OrderKey, PlanCondition, PlanNode } from '../types/plan';

/** Adds computed columns. Returns the same node if `columns` is empty. */
export const extended = (input: PlanNode, columns: readonly ComputedColumn[]): PlanNode =>
  columns.length === 0 ? input : { kind: 'extend', input, columns };

export const withoutColumns = (
  { input, columns }: ExtendNode,
  removed: readonly ComputedColumn[],
): PlanNode =>
  extended(
    input,
    columns.filter((column) => !removed.includes(column)),
  );

/** Keeps the rows that pass all conditions. Returns the same node if `conditions` is empty. */
export const filtered = (input: PlanNode, conditions: readonly PlanCondition[]): PlanNode =>
  conditions.length === 0 ? input : { kind: 'filter', input, conditions };

export const countRows = (name: string): Aggregate => ({
  name,
  function: 'COUNT',
  column: null,
  type: 'int',
  within: [],
});

export const ascending = (column: string, type: ColumnType): OrderKey => ({ column, type, direction: 'asc' });

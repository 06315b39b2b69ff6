// Removes a grouping in which every group has a single row.

// Proof: `isUnique` shows that no two rows have equal keys, so the SUM, MIN and MAX of a group are the value of its only row.
// The SUM of null is 0, so only sums of values that are never null qualify.
import type { Aggregate, ComputedColumn, PlanNode } from '../../types/plan';
import type { Pass } from '../pass';
import { definitionOf, isUnique } from '../plan-facts';

export const ungroupSingleRows: Pass = {
  name: 'ungroup-single-rows',
  rewrites: {
    group({ input, keys, aggregates }, { manifest, because }) {
      if (keys.length === 0 || !isUnique(input, keys, manifest)) return undefined;
      if (!aggregates.every((aggregate) => isValueOfRow(aggregate, input)))
        return because('Every group has a single row, but an aggregate is not a value of that row.');
      const columns = aggregates.map(
        ({ name, column }): ComputedColumn => ({ name, value: { kind: 'column', column: column ?? name } }),
      );
      return { kind: 'extend', input, columns };
    },
  },
};

/** A product contains only counts and sums, which are never null. */
function isValueOfRow({ function: fn, column }: Aggregate, input: PlanNode): boolean {
  if (column === null) return false;
  return fn === 'MIN' || fn === 'MAX' || (fn === 'SUM' && definitionOf(column, input)?.kind === 'product');
}

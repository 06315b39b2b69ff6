// Pass: a grouping in which every row is a group of its own is left out.

// Proof: no two rows are equal in the keys, as the groups below say. So the sum, the least and the greatest of a group are
// the value of its one row; a sum is 0 where there is none, so that only sums of what is never null are taken.
import type { Aggregate, ComputedColumn, PlanNode } from '../../types/plan';
import { definitionOf } from '../definition-of';
import { isUnique } from '../is-unique';
import { mapInputs } from '../map-inputs';
import type { PassContext } from '../pass';

export function ungroupSingleRows(node: PlanNode, context: PassContext): PlanNode {
  const mapped = mapInputs(node, (input) => ungroupSingleRows(input, context));
  if (mapped.kind !== 'group' || mapped.keys.length === 0) return mapped;
  const { input, keys, aggregates } = mapped;
  if (!isUnique(input, keys, context.manifest)) return mapped;
  if (!aggregates.every((aggregate) => isValueOfRow(aggregate, input))) {
    context.because('Every row is a group of its own, but more is asked than its values.');
    return mapped;
  }
  const columns = aggregates.map(
    ({ name, column }): ComputedColumn => ({ name, value: { kind: 'column', column: column ?? name } }),
  );
  return { kind: 'extend', input, columns };
}

/** Products are of counts and sums, which are never null. */
function isValueOfRow({ function: name, column }: Aggregate, input: PlanNode): boolean {
  if (column === null) return false;
  return (
    name === 'MIN' || name === 'MAX' || (name === 'SUM' && definitionOf(column, input)?.kind === 'product')
  );
}

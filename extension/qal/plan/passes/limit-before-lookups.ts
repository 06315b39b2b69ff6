// Pass: a cut list looks up its texts after the cut, for the rows that are left.
// Proof: a look-up neither drops nor multiplies rows, and none of the moved columns takes part in the order;
// so the same rows pass the cut. The order is put on again above, since a join promises none.
import type { ComputedColumn, PlanNode } from '../../types/plan';
import { mapInputs } from '../map-inputs';
import type { PassContext } from '../pass';

export function limitBeforeLookups(node: PlanNode, context: PassContext): PlanNode {
  const mapped = mapInputs(node, (input) => limitBeforeLookups(input, context));
  if (mapped.kind !== 'limit' || mapped.input.kind !== 'order' || mapped.input.input.kind !== 'extend')
    return mapped;
  const order = mapped.input;
  const extend = mapped.input.input;
  const ordering = new Set(order.by.map((key) => key.column));
  const lookups = extend.columns.filter(isLookup);
  const late = lookups.filter((column) => !ordering.has(column.name));
  if (lookups.length > late.length)
    context.because('A text by which rows are sorted must be known of all of them.');
  if (late.length === 0) return mapped;
  const early = extend.columns.filter((column) => !late.includes(column));
  const input: PlanNode = early.length === 0 ? extend.input : { ...extend, columns: early };
  const cut: PlanNode = { ...mapped, input: { ...order, input } };
  return { ...order, input: { kind: 'extend', input: cut, columns: late } };
}

const isLookup = ({ value }: ComputedColumn): boolean =>
  value.kind === 'lookup' || value.kind === 'joined-texts';

// Owns the reading of filtered and extended rows of one scan: what stored fields a column goes back to, which conditions
// there are, and the same steps over other rows that have some of these fields.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOf } from '../../types/columns-of';
import {
  type Expression,
  type ExtendNode,
  type FilterNode,
  type PlanCondition,
  type PlanNode,
  type ScanNode,
  SITE_FIELD,
} from '../../types/plan';

/** A scan, and what stands on it, the first step first: nothing that multiplies or merges rows. */
export interface RowChain {
  readonly scan: ScanNode;
  readonly steps: readonly (ExtendNode | FilterNode)[];
}

/** A column as it is after the first `steps` steps. */
export interface PlacedColumn {
  readonly column: string;
  readonly steps: number;
}

export interface PlacedCondition extends PlacedColumn {
  readonly condition: PlanCondition;
}

/** The node as such a chain; undefined when it is anything else, or has a dimension filter. */
export function chainOf(node: PlanNode): RowChain | undefined {
  if (node.kind === 'scan') return { scan: node, steps: [] };
  if (node.kind !== 'extend' && node.kind !== 'filter') return undefined;
  if (node.kind === 'filter' && node.dimensionFilters !== undefined) return undefined;
  const below = chainOf(node.input);
  return below && { ...below, steps: [...below.steps, node] };
}

export const atTop = (column: string, { steps }: RowChain): PlacedColumn => ({ column, steps: steps.length });

export const conditionsOf = ({ steps }: RowChain): readonly PlacedCondition[] =>
  steps.flatMap((step, index) =>
    step.kind === 'filter'
      ? step.conditions.map((condition) => ({ condition, column: condition.column, steps: index }))
      : [],
  );

/** What a column is computed by, of columns after the first `steps` steps. */
interface PlacedValue {
  readonly value: Expression;
  readonly steps: number;
}

/** The value of a column, seen through other names for it; a stored field is a column after no step at all. */
export function valueBehind({ column, steps }: PlacedColumn, chain: RowChain): PlacedValue {
  const index = chain.steps.findLastIndex(
    (step, at) => at < steps && step.kind === 'extend' && step.columns.some(({ name }) => name === column),
  );
  const step = chain.steps[index];
  const value = step?.kind === 'extend' ? step.columns.find(({ name }) => name === column)?.value : undefined;
  if (value === undefined) return { value: { kind: 'column', column }, steps: 0 };
  return value.kind === 'column'
    ? valueBehind({ column: value.column, steps: index }, chain)
    : { value, steps: index };
}

/** The stored field that a column is, as it is or as a number; undefined where it is computed in any other way. */
export function storedField(placed: PlacedColumn, chain: RowChain): string | undefined {
  const { value, steps } = valueBehind(placed, chain);
  if (value.kind === 'flag') return storedField({ column: value.column, steps }, chain);
  return value.kind === 'column' ? value.column : undefined;
}

/** All stored fields that a column depends on, but for the site. */
export function fieldsBehind(placed: PlacedColumn, chain: RowChain, manifest: Manifest): readonly string[] {
  const { value, steps } = valueBehind(placed, chain);
  if (value.kind === 'column') return value.column === SITE_FIELD ? [] : [value.column];
  const read = columnsOf(value);
  return [...new Set(read.flatMap((column) => fieldsBehind({ column, steps }, chain, manifest)))];
}

/** All steps over other rows with the same fields. */
export const overRows = ({ steps }: RowChain, rows: PlanNode): PlanNode =>
  steps.reduce<PlanNode>((input, step) => ({ ...step, input }), rows);

/** What of the steps depends on these fields and the site alone, over rows that have no others. */
export function overFields(
  chain: RowChain,
  rows: PlanNode,
  fields: readonly string[],
  manifest: Manifest,
): PlanNode {
  const isKnown = (column: string, steps: number): boolean =>
    fieldsBehind({ column, steps }, chain, manifest).every((field) => fields.includes(field));
  return chain.steps.reduce<PlanNode>((input, step, index) => {
    if (step.kind === 'filter') {
      const conditions = step.conditions.filter(({ column }) => isKnown(column, index));
      return conditions.length === 0 ? input : { ...step, input, conditions };
    }
    const columns = step.columns.filter(({ name }) => isKnown(name, index + 1));
    return columns.length === 0 ? input : { ...step, input, columns };
  }, rows);
}

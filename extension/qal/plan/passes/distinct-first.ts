// Pass: different values are found by hashing (group, value) once, instead of sorting the rows of every group.
// Proof: each different value of a group is one row of the inner grouping, so COUNT of them is COUNTUNIQUE; null is
// one row too, and COUNT leaves it out. The other aggregates merge. For few groups only: with many it saves nothing.
import type { Manifest } from '../../../../manifests/reader/manifest';
import type { Expression, GroupNode, PlanNode } from '../../types/plan';
import { definitionOf } from '../definition-of';
import { mapInputs } from '../map-inputs';
import { isMergeable, merged, partialsOf, ratiosOf } from '../merge-aggregates';
import type { PassContext } from '../pass';

export function distinctFirst(node: PlanNode, context: PassContext): PlanNode {
  const { manifest } = context;
  const mapped = mapInputs(node, (input) => distinctFirst(input, context));
  if (mapped.kind !== 'group') return mapped;
  const unique = mapped.aggregates.filter((aggregate) => !isMergeable(aggregate));
  const [first] = unique;
  // Two columns would have to be hashed together, which saves nothing unless one follows from the other.
  if (first?.column == null || unique.some(({ column }) => column !== first.column)) return mapped;
  if (unique.some((aggregate) => aggregate.function !== 'COUNTUNIQUE')) return mapped;
  const isFew = mapped.keys.every((key) => hasFewValues(definitionOf(key, mapped.input), manifest));
  return isFew ? inTwoSteps(mapped, first.column, first.within) : mapped;
}

/** Whether a column takes a handful of values on any site: flags, parts of the time, shared dictionaries. */
function hasFewValues(value: Expression | undefined, manifest: Manifest): boolean {
  switch (value?.kind) {
    case 'flag':
    case 'time-part':
    case 'converted':
    case 'has-rows':
      return true;
    case 'lookup':
      return manifest.dictionaries.get(value.dictionary)?.scope === 'shared' || value.bit !== null;
    case 'computed':
      return ['constant', 'has-value', 'word'].includes(value.value.kind);
    case 'column':
    case 'joined-texts':
    case 'ratio':
    case 'product':
    case 'session-of-day':
    case 'where':
    case undefined:
      return false;
  }
}

function inTwoSteps(group: GroupNode, column: string, within: readonly string[]): PlanNode {
  const partials = group.aggregates.filter(isMergeable).flatMap(partialsOf);
  const keys = [...new Set([...group.keys, column, ...within])];
  const values: PlanNode = { ...group, keys, aggregates: partials };
  const counts = group.aggregates
    .filter((aggregate) => !isMergeable(aggregate))
    .map((aggregate) => ({ ...aggregate, function: 'COUNT', within: [] }) as const);
  const outer: PlanNode = { ...group, input: values, aggregates: [...partials.map(merged), ...counts] };
  const ratios = ratiosOf(group.aggregates);
  return ratios.length === 0 ? outer : { kind: 'extend', input: outer, columns: ratios };
}

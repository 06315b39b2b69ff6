// Pass: different values are found by hashing (group, value) once, instead of sorting the rows of every group.

// Proof: each different value of a group is one row of the inner grouping, so COUNT of them is COUNTUNIQUE; null is
// one row too, and COUNT leaves it out. The other aggregates merge. Of several columns every combination is a row, whose
// values are counted as before: worth it where there are about as many combinations as visits.
// A value that no two rows share is counted as it is.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate, eachOnce } from '../../types/columns-of';
import type { Aggregate, GroupNode, PlanNode } from '../../types/plan';
import { isUnique } from '../is-unique';
import { mapInputs } from '../map-inputs';
import { isMergeable, merged, partialsOf, withRatios } from '../merge-aggregates';
import { isOfVisit } from '../of-visit';
import type { PassContext } from '../pass';

/** With so few keys, and nothing beside, hashing is not slower than sorting even where nearly all rows are different. */
const FEW_KEYS = 2;

export function distinctFirst(node: PlanNode, context: PassContext): PlanNode {
  const mapped = mapInputs(node, (input) => distinctFirst(input, context));
  if (mapped.kind !== 'group') return mapped;
  const group = withoutSingleValues(mapped, context.manifest);
  const values = group.aggregates.filter((aggregate) => !isMergeable(aggregate));
  if (values.length === 0) return group;
  if (values.some((aggregate) => aggregate.function !== 'COUNTUNIQUE')) {
    context.because('What is first or last in a group is found by its rows alone.');
    return group;
  }
  const columns = eachOnce(values.flatMap(columnsOfAggregate));
  const keys = eachOnce([...group.keys, ...columns]);
  const isOne = values.every((aggregate) => columnsOfAggregate(aggregate).join() === columns.join());
  const isAlone = values.length === group.aggregates.length;
  if (isOne && isAlone && group.keys.length <= FEW_KEYS) return inTwoSteps(group, keys, countedRow);
  if (!isOne && isReduced(group.input, columns)) {
    context.because('The rows are grouped by the counted values already.');
    return group;
  }
  if (isOfVisit(isOne ? group.keys : keys, group.input, context.manifest))
    return inTwoSteps(group, keys, isOne ? countedRow : (it) => it);
  context.because('There are about as many combinations of keys and counted values as rows.');
  return group;
}

/** A value that no two rows share is different in each of them. */
function withoutSingleValues(group: GroupNode, manifest: Manifest): GroupNode {
  const isSingle = (aggregate: Aggregate): boolean =>
    aggregate.function === 'COUNTUNIQUE' && isUnique(group.input, columnsOfAggregate(aggregate), manifest);
  return group.aggregates.some(isSingle)
    ? { ...group, aggregates: group.aggregates.map((it) => (isSingle(it) ? countedRow(it) : it)) }
    : group;
}

const countedRow = (aggregate: Aggregate): Aggregate => ({ ...aggregate, function: 'COUNT', within: [] });

/** Whether the rows are combinations of these columns already. */
function isReduced(node: PlanNode, columns: readonly string[]): boolean {
  if (node.kind === 'extend' || node.kind === 'filter') return isReduced(node.input, columns);
  return node.kind === 'group' && columns.every((column) => node.keys.includes(column));
}

/** By all these keys with partial aggregates first; then the partials are merged, and the values are counted. */
function inTwoSteps(
  group: GroupNode,
  keys: readonly string[],
  counted: (values: Aggregate) => Aggregate,
): PlanNode {
  const partials = group.aggregates.filter(isMergeable).flatMap(partialsOf);
  const combinations: PlanNode = { ...group, keys, aggregates: partials };
  const counts = group.aggregates.filter((aggregate) => !isMergeable(aggregate)).map(counted);
  const outer: PlanNode = { ...group, input: combinations, aggregates: [...partials.map(merged), ...counts] };
  return withRatios(outer, group.aggregates);
}

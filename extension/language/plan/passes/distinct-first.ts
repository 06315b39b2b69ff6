// Finds distinct values by hashing (group, value) instead of sorting the rows of every group.

// Proof: each distinct value of a group is one row of the inner grouping, so COUNT over these rows is COUNTUNIQUE. COUNT ignores
// the row for null. The other aggregates can be merged. If several columns are counted, each combination is a row, and the outer
// grouping counts distinct values over these rows. This pays off if there are at most about as many combinations as
// sessions. If no two rows share a value, COUNT replaces COUNTUNIQUE.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate, eachOnce } from '../../types/columns-of';
import type { Aggregate, GroupNode, PlanNode } from '../../types/plan';
import { rowSteps } from '../../types/walk-plan';
import { isUniqueCount, merged, NEEDS_ROWS, splitAggregates } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { isSessionConstant, isUnique } from '../plan-facts';

/** With at most this many keys and no other aggregates, hashing is no slower than sorting, even if nearly all rows differ. */
const FEW_KEYS = 2;

export const distinctFirst: Pass = {
  name: 'distinct-first',
  only: 'rows',
  rewrites: { group: (group, context) => inTwoSteps(countUniqueRows(group, context.manifest), context) },
};

function countUniqueRows(group: GroupNode, manifest: Manifest): GroupNode {
  const isUniqueValue = (aggregate: Aggregate): boolean =>
    isUniqueCount(aggregate) && isUnique(group.input, columnsOfAggregate(aggregate), manifest);
  if (!group.aggregates.some(isUniqueValue)) return group;
  return { ...group, aggregates: group.aggregates.map((it) => (isUniqueValue(it) ? counted(it) : it)) };
}

const counted = (aggregate: Aggregate): Aggregate => ({ ...aggregate, function: 'COUNT', within: [] });

function inTwoSteps(group: GroupNode, { manifest, because }: PassContext): PlanNode {
  const { partials, unmergeable: values } = splitAggregates(group);
  if (values.length === 0) return group;
  const keep = (reason: string): PlanNode => because(reason) ?? group;
  if (!values.every(isUniqueCount)) return keep(NEEDS_ROWS);
  const columns = eachOnce(values.flatMap(columnsOfAggregate));
  const keys = eachOnce([...group.keys, ...columns]);
  const isOne = values.every((value) => columnsOfAggregate(value).join() === columns.join());
  const isCheap = isOne && values.length === group.aggregates.length && group.keys.length <= FEW_KEYS;
  const { base } = rowSteps(group.input);
  if (!isOne && base.kind === 'group' && columns.every((column) => base.keys.includes(column)))
    return keep('The rows are already grouped by the counted values.');
  if (!isCheap && !isSessionConstant(isOne ? group.keys : keys, group.input, manifest))
    return keep('There are about as many combinations of keys and counted values as rows.');
  return {
    ...group,
    input: { ...group, keys, aggregates: partials },
    aggregates: [...partials.map(merged), ...(isOne ? values.map(counted) : values)],
  };
}

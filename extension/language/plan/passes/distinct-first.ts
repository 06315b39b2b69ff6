// Finds distinct values by hashing (group, value) instead of sorting the rows of every group.

// Proof: each distinct value of a group is one row of the inner grouping, so COUNT over these rows is COUNTUNIQUE; null is
// also a row, which COUNT ignores. The other aggregates merge. If several columns are counted, each combination is a row, and
// the outer grouping counts distinct values over these rows. That pays off if there are about as many combinations as sessions.
// A value that no two rows share is counted directly.
import type { Manifest } from '../../../../manifests/reader/manifest';
import { columnsOfAggregate, eachOnce } from '../../types/columns-of';
import type { Aggregate, GroupNode, PlanNode } from '../../types/plan';
import { rowSteps } from '../../types/walk-plan';
import { isUniqueCount, merged, mergedGroup, splitAggregates } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { isSessionConstant, isUnique } from '../plan-facts';

/** With at most this many keys and no other aggregates, hashing is no slower than sorting, even if nearly all rows differ. */
const FEW_KEYS = 2;

export const distinctFirst: Pass = {
  name: 'distinct-first',
  only: 'rows',
  rewrites: { group: (group, context) => inTwoSteps(countSingleValues(group, context.manifest), context) },
};

/** Replaces COUNTUNIQUE by COUNT if no two rows share the value. */
function countSingleValues(group: GroupNode, manifest: Manifest): GroupNode {
  const isSingle = (aggregate: Aggregate): boolean =>
    isUniqueCount(aggregate) && isUnique(group.input, columnsOfAggregate(aggregate), manifest);
  if (!group.aggregates.some(isSingle)) return group;
  return { ...group, aggregates: group.aggregates.map((it) => (isSingle(it) ? counted(it) : it)) };
}

const counted = (aggregate: Aggregate): Aggregate => ({ ...aggregate, function: 'COUNT', within: [] });

/** First also groups by the counted values; then merges the partials and counts the values. */
function inTwoSteps(group: GroupNode, { manifest, because }: PassContext): PlanNode {
  const { partials, unmergeable: values } = splitAggregates(group);
  if (values.length === 0) return group;
  const leave = (reason: string): PlanNode => because(reason) ?? group;
  if (!values.every(isUniqueCount))
    return leave('FIRST, LAST and PERCENTILE can be computed only from the rows of a group.');
  const columns = eachOnce(values.flatMap(columnsOfAggregate));
  const keys = eachOnce([...group.keys, ...columns]);
  const isOne = values.every((value) => columnsOfAggregate(value).join() === columns.join());
  const isCheap = isOne && values.length === group.aggregates.length && group.keys.length <= FEW_KEYS;
  if (!isOne && isGroupedBy(group.input, columns))
    return leave('The rows are grouped by the counted values already.');
  if (!isCheap && !isSessionConstant(isOne ? group.keys : keys, group.input, manifest))
    return leave('There are about as many combinations of keys and counted values as rows.');
  return mergedGroup(group, { ...group, keys, aggregates: partials }, [
    ...partials.map(merged),
    ...(isOne ? values.map(counted) : values),
  ]);
}

/** Whether the rows already are combinations of these columns. */
function isGroupedBy(node: PlanNode, columns: readonly string[]): boolean {
  const { base } = rowSteps(node);
  return base.kind === 'group' && columns.every((column) => base.keys.includes(column));
}

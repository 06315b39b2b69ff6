// Counts the groups with at least two distinct values, such as visitors with two visits, from the columnar copy's counts.

// Proof: the inner groups are the combinations of a repeated value and the other inner keys, and a filter keeps those with at
// least two values of the field `repeatedIn`. Such a combination is repeated in a range if the range contains a `since` and its
// `quarter`. Neither decreases from one of its rows to the next, so among the rows with a `since` in the range, exactly one has its
// `previous` outside, and none has an earlier `quarter`. The sum of these rows is the number of combinations, for any grouping by
// functions of the keys.
import type { GroupNode, PlanCondition, PlanNode } from '../../types/plan';
import { rowSteps } from '../../types/walk-plan';
import { filtered } from '../build-nodes';
import { countedRows, summed } from '../counted-rows';
import { isUniqueCount } from '../merge-aggregates';
import type { Pass, PassContext } from '../pass';
import { storedFieldOf } from '../plan-facts';
import { groupingOf } from './unique-counts';

export const repeatCounts: Pass = {
  name: 'repeat-counts',
  only: 'columns',
  rewrites: {
    group(group, context) {
      const { steps, base: inner } = rowSteps(group.input);
      if (inner.kind !== 'group') return undefined;
      const [count, ...others] = inner.aggregates;
      if (others.length > 0 || count?.column == null || !isUniqueCount(count)) return undefined;
      let rows = inner.input;
      let isFiltered = false;
      for (const step of steps.toReversed()) {
        if (step.kind === 'extend') rows = { ...step, input: rows };
        else {
          const kept = step.conditions.filter((it) => !isAtLeastTwo(it, count.name, step.input));
          isFiltered ||= kept.length < step.conditions.length;
          rows = filtered(rows, kept);
        }
      }
      return isFiltered
        ? overRows(group, inner, storedFieldOf(count.column, inner.input), rows, context)
        : context.because('The groups are not filtered by at least two distinct values.');
    },
  },
};

/** Whether the condition is that the inner groups have at least two distinct values. */
function isAtLeastTwo(condition: PlanCondition, count: string, input: PlanNode): boolean {
  if (!('test' in condition) || storedFieldOf(condition.column, input) !== count) return false;
  const { test } = condition;
  return (test.operator === 'gte' && test.value === 2) || (test.operator === 'gt' && test.value === 1);
}

/** The outer groups, computed from the counts of values that are repeated in a field. `rows` has the steps of both groupings. */
function overRows(
  group: GroupNode,
  inner: GroupNode,
  repeatedIn: string,
  rows: PlanNode,
  context: PassContext,
): PlanNode | undefined {
  const { manifest, because } = context;
  const { base: scan } = rowSteps(rows);
  if (scan.kind !== 'scan') return because('The rows are joined, numbered or limited first.');
  const grouping = groupingOf(inner, scan, context);
  if (grouping === undefined) return undefined;
  if (scan.siteIds.length > 1)
    return because(
      'A value on several sites is counted only once, but the values are counted in advance for each site.',
    );
  if (grouping.periods.length > 0) return because('Repeated values are not counted in advance by period.');
  const { value } =
    manifest.materials
      .get(scan.material)
      ?.uniqueCounts.find((it) => it.repeatedIn === repeatedIn && grouping.fields.includes(it.value)) ?? {};
  const isCount = group.aggregates.every(
    (it) => it.function === 'COUNT' && (it.column === null || storedFieldOf(it.column, rows) === value),
  );
  if (value === undefined || !isCount)
    return because(
      'The groups are not values that are counted in advance, or more than their number is read.',
    );
  const fields = grouping.fields.filter((field) => field !== value);
  const ofRows = { input: rows, keys: group.keys };
  const found = countedRows({ value, repeatedIn }, { ...grouping, fields }, ofRows, scan, context);
  return found && summed(group, found.rows);
}

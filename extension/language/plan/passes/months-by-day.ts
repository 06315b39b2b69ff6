// Groups by local day before local month, so that a month is formatted as text once per day instead of once per row.

// Proof: the local day determines the local month on the same clock. So a group by month is the union of its groups by day,
// and the groups by day can be merged for COUNT, SUM, MIN and MAX.
import type { ComputedColumn, GroupNode, PlanNode } from '../../types/plan';
import { extended } from '../build-nodes';
import { merged, splitAggregates } from '../merge-aggregates';
import type { Pass } from '../pass';
import { definitionOf, localPeriodOf } from '../plan-facts';

export const monthsByDay: Pass = {
  name: 'months-by-day',
  only: 'columns',
  rewrites: {
    group(group, { because }) {
      const month = monthOf(group);
      if (month === undefined) return undefined;
      const { partials, unmergeable } = splitAggregates(group);
      if (unmergeable.length > 0)
        return because(
          'COUNTUNIQUE, FIRST, LAST and PERCENTILE of a month cannot be computed from its days.',
        );
      const { day, key } = month;
      const byDay: PlanNode = {
        ...group,
        input: extended(group.input, [day]),
        keys: group.keys.map((other) => (other === key ? day.name : other)),
        aggregates: partials,
      };
      const named: ComputedColumn = {
        name: key,
        value: { kind: 'time-part', part: 'month', column: day.name, clock: null },
      };
      return { ...group, input: extended(byDay, [named]), aggregates: partials.map(merged) };
    },
  },
};

/** The first key that is a local month, and the day of the same instant. */
function monthOf({ keys, input }: GroupNode): { key: string; day: ComputedColumn } | undefined {
  for (const key of keys) {
    const period = localPeriodOf(definitionOf(key, input));
    if (period?.unit !== 'month') continue;
    const { column, clock } = period;
    return { key, day: { name: `${key}.day`, value: { kind: 'time-part', part: 'date', column, clock } } };
  }
  return undefined;
}

// Reads groups by local day, week or month one period at a time, using the index on time.

// Proof: the periods are disjoint, cover the range, and contain exactly the instants of their local date. No group
// spans two periods. The pass does not fire if the clocks go back across midnight between two periods.
import type { ColumnType } from '../../../../manifests/reader/schema';
import { localPeriods, type Period } from '../../time/local-periods';
import type { GroupNode, PlanNode } from '../../types/plan';
import { type NodeRewrites, rewritePlan, rowSteps } from '../../types/walk-plan';
import { countRows, filtered } from '../build-nodes';
import type { Pass } from '../pass';
import { definitionOf, localPeriodOf, scanBelow } from '../plan-facts';

/** Reading more periods than this costs more time than it saves. */
const MAX_PERIODS = 1_100;
const ROWS = 'period.rows';

export const periodsAsRanges: Pass = {
  name: 'periods-as-ranges',
  only: 'rows',
  requiresOneMachine: true,
  rewrites: {
    group(group, { because }) {
      const bounds = scanBelow(group.input)?.bounds;
      for (const key of group.keys) {
        const period = localPeriodOf(definitionOf(key, group.input));
        if (period === undefined) continue;
        if (bounds?.kind !== 'range' || bounds.field !== period.column) {
          because('The day, week or month is not derived from the time column that limits the rows read.');
          continue;
        }
        if (readsManyIds(group.input)) {
          because('The rows are found by many ids, which would have to be looked up again for each period.');
          continue;
        }
        const periods = localPeriods(bounds, period.clock, period.unit, MAX_PERIODS);
        if (periods !== undefined) return perPeriod(group, key, period.type, periods);
        because(
          `The range has more than ${MAX_PERIODS} days, starts before the year 1, or includes a time at which the clocks go back across midnight.`,
        );
      }
      return undefined;
    },
  },
};

/** Whether a filter selects every id whose dimension row passes a test. */
const readsManyIds = (node: PlanNode): boolean =>
  rowSteps(node).steps.some(
    (step) => step.kind === 'filter' && step.dimensionFilters?.some(({ found }) => found === 'any') === true,
  );

function perPeriod(group: GroupNode, key: string, type: ColumnType, periods: readonly Period[]): PlanNode {
  const keys = group.keys.filter((other) => other !== key);
  // Without a second key, a period without rows would return a row.
  const isAlone = keys.length === 0;
  const aggregates = isAlone ? [...group.aggregates, countRows(ROWS)] : group.aggregates;
  const input = { ...group, input: rewritePlan(group.input, PERIOD_BOUNDS, undefined), keys, aggregates };
  return filtered(
    { kind: 'per-period', input, column: key, type, periods },
    isAlone ? [{ column: ROWS, type: 'int', test: { operator: 'gt', value: 0 } }] : [],
  );
}

const PERIOD_BOUNDS: NodeRewrites<undefined> = {
  scan: ({ bounds, ...scan }) =>
    bounds.kind === 'range' ? { ...scan, bounds: { kind: 'period', field: bounds.field } } : undefined,
};

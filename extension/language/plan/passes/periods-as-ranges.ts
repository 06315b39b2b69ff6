// Reads groups by local day, week or month period by period, with the index on time.

// Proof: the periods are disjoint, cover the range, and contain exactly the instants of their local date, since no clock
// goes back across midnight between them (otherwise the pass does not fire). No group spans two periods.
import type { ColumnType } from '../../../../manifests/reader/schema';
import { localPeriods, type Period } from '../../time/local-periods';
import type { GroupNode, PlanNode } from '../../types/plan';
import { mapInputs, rowSteps } from '../../types/walk-plan';
import { countRows } from '../build-nodes';
import type { Pass } from '../pass';
import { definitionOf, localPeriodOf, scanBelow } from '../plan-facts';

/** More periods take longer than they save. */
const MOST = 1_100;
const ROWS = 'period.rows';

export const periodsAsRanges: Pass = {
  name: 'periods-as-ranges',
  only: 'rows',
  isForOneMachine: true,
  rewrites: {
    group(group, { because }) {
      const bounds = scanBelow(group.input)?.bounds;
      for (const key of group.keys) {
        const period = localPeriodOf(definitionOf(key, group.input));
        if (period === undefined) continue;
        if (bounds?.kind !== 'range' || bounds.field !== period.column) {
          because('The day, week or month is not that of the time by which the table is read.');
          continue;
        }
        if (readsManyIds(group.input)) {
          because('The rows are found by many ids, which would have to be looked up again for each period.');
          continue;
        }
        const periods = localPeriods(bounds, period.clock, period.unit, MOST);
        if (periods !== undefined) return perPeriod(group, key, period.type, periods);
        because(
          `The range has more than ${MOST} days, or days before the year 1, or its clocks go back across a midnight.`,
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
  const input = withPeriodBounds(group.input);
  if (keys.length > 0) {
    return { kind: 'per-period', input: { ...group, input, keys }, column: key, type, periods };
  }
  // Without another key, a period without rows would return a row.
  const counted: PlanNode = { ...group, input, keys, aggregates: [...group.aggregates, countRows(ROWS)] };
  return {
    kind: 'filter',
    input: { kind: 'per-period', input: counted, column: key, type, periods },
    conditions: [{ column: ROWS, type: 'int', test: { operator: 'gt', value: 0 } }],
  };
}

function withPeriodBounds(node: PlanNode): PlanNode {
  if (node.kind !== 'scan' || node.bounds.kind !== 'range') return mapInputs(node, withPeriodBounds);
  return { ...node, bounds: { kind: 'period', field: node.bounds.field } };
}

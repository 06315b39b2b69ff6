// Pass: groups by local day or month are read one period after the other, by the index on time.
// Proof: the periods are disjoint, cover the range, and hold exactly the instants whose local date is theirs, since
// clocks never go back across a midnight between them (else the pass does not fire). Groups never span two periods.
import type { ColumnType } from '../../../../manifests/reader/schema';
import { localPeriods } from '../../../time/local-periods';
import type { GroupNode, Period, PlanNode } from '../../types/plan';
import { definitionOf } from '../definition-of';
import { localPeriodOf } from '../local-period';
import { mapInputs } from '../map-inputs';
import type { PassContext } from '../pass';
import { scanBelow } from '../scan-below';

/** More periods than this cost more than they save. */
const MOST = 1_100;
const ROWS = 'period.rows';

export function periodsAsRanges(node: PlanNode, context: PassContext): PlanNode {
  const mapped = mapInputs(node, (input) => periodsAsRanges(input, context));
  if (mapped.kind !== 'group') return mapped;
  const bounds = scanBelow(mapped.input)?.bounds;
  const isByIds = looksThroughIds(mapped.input);
  for (const key of mapped.keys) {
    const period = localPeriodOf(definitionOf(key, mapped.input));
    if (period === undefined) continue;
    if (bounds?.kind !== 'range' || bounds.field !== period.column) {
      context.because(
        'The rows of a day or month cannot be told by the time at which the table is read alone.',
      );
      continue;
    }
    if (isByIds) {
      context.because('The rows are found by many ids, which would be asked for in each period anew.');
      continue;
    }
    const periods = localPeriods(bounds, period.clock, period.unit, MOST);
    if (periods !== undefined) return perPeriod(mapped, key, period.type, periods);
    context.because(
      `The range has more than ${MOST} days, or days before the year 1, or its clocks go back across a midnight.`,
    );
  }
  return mapped;
}

/** Whether every id of a dimension that passes a test is asked for. */
function looksThroughIds(node: PlanNode): boolean {
  if (node.kind !== 'extend' && node.kind !== 'filter') return false;
  const isHere = node.kind === 'filter' && node.entries?.some(({ found }) => found === 'any') === true;
  return isHere || looksThroughIds(node.input);
}

function perPeriod(group: GroupNode, key: string, type: ColumnType, periods: readonly Period[]): PlanNode {
  const keys = group.keys.filter((other) => other !== key);
  const input = withPeriodBounds(group.input);
  if (keys.length > 0) {
    return { kind: 'per-period', input: { ...group, input, keys }, column: key, type, periods };
  }
  // Without another key a period without rows would be a row.
  const rows = { name: ROWS, function: 'COUNT', column: null, type: 'int', within: [] } as const;
  const counted: PlanNode = { ...group, input, keys, aggregates: [...group.aggregates, rows] };
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

// Pass: groups by local day or month are read one period after the other, by the index on time.
// Proof: the periods are disjoint, cover the range, and hold exactly the instants whose local date is theirs, since
// clocks never go back across a midnight between them (else the pass does not fire). Groups never span two periods.
import type { ColumnType, TimePart } from '../../../../manifests/reader/schema';
import { localPeriods } from '../../time/local-periods';
import type { GroupNode, Period, PlanNode, ScanNode } from '../../types/plan';
import { definitionOf } from '../definition-of';
import { mapInputs } from '../map-inputs';

/** More periods than this cost more than they save. */
const MOST = 1_100;
const ROWS = 'period.rows';

const UNITS: Readonly<Partial<Record<TimePart, { unit: 'day' | 'month'; type: ColumnType }>>> = {
  date: { unit: 'day', type: 'date' },
  month: { unit: 'month', type: 'text' },
};

export function periodsAsRanges(node: PlanNode): PlanNode {
  const mapped = mapInputs(node, periodsAsRanges);
  if (mapped.kind !== 'group') return mapped;
  const bounds = scanOf(mapped.input)?.bounds;
  if (bounds?.kind !== 'range') return mapped;
  for (const key of mapped.keys) {
    const part = definitionOf(key, mapped.input);
    const found = part?.kind === 'time-part' && part.column === bounds.field ? UNITS[part.part] : undefined;
    if (part?.kind !== 'time-part' || part.clock === null || found === undefined) continue;
    const periods = localPeriods(bounds, part.clock, found.unit, MOST);
    if (periods !== undefined) return perPeriod(mapped, key, found.type, periods);
  }
  return mapped;
}

/** The scan below filters and computed columns: rows that were grouped or cut already are no rows of a period. */
function scanOf(node: PlanNode): ScanNode | undefined {
  if (node.kind === 'scan') return node;
  return node.kind === 'extend' || node.kind === 'filter' ? scanOf(node.input) : undefined;
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

// Owns the first plan of a query: the meaning of QAL spelled in relational nodes, without any cleverness.
// ResolvedQuery -> Plan. Cannot fail.

import type { LocalClock } from '../../time/local-clock';
import { zoneOffsets } from '../../time/zone-offsets';
import type { GroupNode, PlanNode } from '../types/plan';
import type { ResolvedQuery } from '../types/resolved-query';
import type { Plan } from '../types/whole-plan';
import { lowerView, type ViewRows } from './lower-view';

const TOTAL = 'total';
/** So many rows are sooner read than all of them counted; a greater cut bounds the number alone. */
const FEW_ROWS = 10_000;

/** `alwaysCount`: count the rows of cut lists too. */
export function lowerQuery(query: ResolvedQuery, alwaysCount: boolean): Plan {
  const { use: view, limit, countOnly } = query;
  const top = view.sort?.top ?? null;
  const lowered = lowerView(query, view);
  const output = {
    view: view.name,
    clock: outputClock(query),
    columns: view.output.map(({ name, type }) => ({ name, type, column: lowered.column(name) })),
    limit,
    top,
  };
  if (countOnly) {
    return { root: counted(lowered, top), counted: null, output: { ...output, kind: 'count', total: TOTAL } };
  }
  const whole = top !== null && top <= limit;
  // One row more than asked for tells whether the list was cut; what was grouped is counted on the way.
  const count = whole ? top : lowered.isSmall || alwaysCount ? limit : limit + 1;
  const countAs = lowered.isSmall && !whole ? TOTAL : null;
  const ordered: PlanNode = { kind: 'order', input: lowered.rows, by: lowered.order };
  const apart = alwaysCount && !lowered.isSmall && !whole;
  return {
    root: { kind: 'limit', input: ordered, count, countAs },
    counted: apart ? counted(lowered, top) : null,
    output: { ...output, kind: 'table', total: countAs ?? (apart ? TOTAL : null) },
  };
}

/** Rows lie in the range; a time that fills rows without a match may be any. */
function outputClock({ views, range }: ResolvedQuery): LocalClock {
  const fills = views.flatMap(({ join }) =>
    (join?.fill ?? []).flatMap(({ type, value }) => (type === 'datetime' ? [Number(value)] : [])),
  );
  return zoneOffsets(
    Math.min(range.start, ...fills),
    Math.max(range.end, ...fills.map((instant) => instant + 1)),
    range.zone,
  );
}

/** One row: how many rows the view has. Which of them a cut would keep does not matter for that. */
function counted({ rows, isSmall }: ViewRows, top: number | null): GroupNode {
  const isCut = top !== null && (isSmall || top <= FEW_ROWS);
  return {
    kind: 'group',
    input: isCut ? { kind: 'limit', input: keysAlone(rows), count: top, countAs: null } : keysAlone(rows),
    keys: [],
    aggregates: [{ name: TOTAL, function: 'COUNT', column: null, type: 'int', within: [] }],
  };
}

/** Groups are as many as their keys; without keys they are one because of what is computed. */
const keysAlone = (rows: PlanNode): PlanNode =>
  rows.kind === 'group' && rows.keys.length > 0 ? { ...rows, aggregates: [] } : rows;

// The first plan of a query: the meaning of QAL in relational nodes, not yet optimized.

import type { LocalClock } from '../time/local-clock';
import { zoneOffsets } from '../time/zone-offsets';
import type { GroupNode, Plan, PlanNode } from '../types/plan';
import type { ResolvedQuery } from '../types/resolved-query';
import { countRows } from './build-nodes';
import { type LoweredQuery, lowerView, type ViewRows } from './lower-view';

const TOTAL = 'total';
/** Reading up to this many rows is faster than counting all; a greater cut only bounds the number. */
const FEW_ROWS = 10_000;

/** Whether the rows are counted. */
export interface CountOptions {
  /** Also count the rows of cut lists, which takes as long as reading them. */
  readonly alwaysCount: boolean;
  /** Rows are sent while they are read, in any number, and the first row has the number of all rows. */
  readonly isStreamed?: boolean | undefined;
}

/** Plans the query as written. */
export function lowerQuery(query: LoweredQuery, { alwaysCount, isStreamed = false }: CountOptions): Plan {
  const { use: view, limit, offset, countOnly } = query;
  const lowered = lowerView(query, view);
  const { top } = lowered;
  const output = {
    view: view.name,
    clock: outputClock(query),
    columns: view.output.map(({ name, type }) => ({ name, type, column: lowered.column(name) })),
    limit,
    offset,
    top,
  };
  if (countOnly) {
    return { root: counted(lowered), counted: null, output: { ...output, kind: 'count', total: TOTAL } };
  }
  const counts = alwaysCount || isStreamed;
  const whole = top !== null && top <= offset + limit;
  // One extra row shows whether the list was cut; groups are counted anyway.
  const count = whole ? Math.max(0, top - offset) : lowered.isSmall || counts ? limit : limit + 1;
  const countAs = lowered.isSmall && (!whole || isStreamed) ? TOTAL : null;
  const ordered: PlanNode = { kind: 'order', input: lowered.rows, by: lowered.order };
  const apart = !lowered.isSmall && (whole ? isStreamed : counts);
  return {
    root: { kind: 'limit', input: ordered, count, ...(offset > 0 && { offset }), countAs },
    counted: apart ? counted(lowered) : null,
    output: { ...output, kind: 'table', total: countAs ?? (apart ? TOTAL : null) },
  };
}

/** Covers the ranges of the rows and the datetimes of `fill`, which may be any. */
function outputClock({ views, range }: ResolvedQuery): LocalClock {
  const fills = views.flatMap(({ join }) =>
    (join?.fill ?? []).flatMap(({ type, value }) => (type === 'datetime' ? [Number(value)] : [])),
  );
  const starts = views.map((view) => view.range.start);
  const ends = views.map((view) => view.range.end);
  return zoneOffsets(
    Math.min(range.start, ...starts, ...fills),
    Math.max(range.end, ...ends, ...fills.map((instant) => instant + 1)),
    range.zone,
  );
}

/** One row with the number of rows of the view. It does not matter which rows a cut would keep. */
function counted({ rows, isSmall, top }: ViewRows): GroupNode {
  const isCut = top !== null && (isSmall || top <= FEW_ROWS);
  return {
    kind: 'group',
    input: isCut ? { kind: 'limit', input: keysAlone(rows), count: top, countAs: null } : keysAlone(rows),
    keys: [],
    aggregates: [countRows(TOTAL)],
  };
}

/** The number of groups depends on their keys only; without keys, the aggregates return one row. */
function keysAlone(rows: PlanNode): PlanNode {
  if (rows.kind === 'extend' && rows.input.kind === 'group') return keysAlone(rows.input);
  return rows.kind === 'group' && rows.keys.length > 0 ? { ...rows, aggregates: [] } : rows;
}

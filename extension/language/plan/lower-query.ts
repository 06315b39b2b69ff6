// The initial, unoptimized plan of a query.
import { type LocalClock, withEarlyInstants, zoneOffsets } from '../time/zone-offsets';
import type { GroupNode, Plan, PlanNode } from '../types/plan';
import type { ResolvedQuery } from '../types/resolved-query';
import { countRows } from './build-nodes';
import { type LoweredQuery, lowerView, type ViewRows } from './lower-view';

const TOTAL = 'total';
/** Reading up to this many rows is faster than counting all of them. A larger `top` is applied to the count instead. */
const FEW_ROWS = 10_000;

export interface CountOptions {
  /** Whether to also count the rows of a truncated result, which takes as long as reading them. */
  readonly alwaysCount: boolean;
  /** Whether rows are sent as they are read, however many there are. The first row contains the total. */
  readonly isStreamed?: boolean | undefined;
}

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
  const isWhole = top !== null && top <= offset + limit;
  // One extra row shows whether the result was truncated. Groups are counted anyway.
  const count = isWhole ? Math.max(0, top - offset) : lowered.isSmall || counts ? limit : limit + 1;
  const countAs = lowered.isSmall && (!isWhole || isStreamed) ? TOTAL : null;
  const ordered: PlanNode = { kind: 'order', input: lowered.rows, by: lowered.order };
  const countsSeparately = !lowered.isSmall && (isWhole ? isStreamed : counts);
  return {
    root: { kind: 'limit', input: ordered, count, ...(offset > 0 && { offset }), countAs },
    counted: countsSeparately ? counted(lowered) : null,
    output: { ...output, kind: 'table', total: countAs ?? (countsSeparately ? TOTAL : null) },
  };
}

/** Covers the ranges of all views, and the datetimes in `fill`, which may be outside them. */
function outputClock({ views, range }: ResolvedQuery): LocalClock {
  const fills = views.flatMap(({ join }) =>
    (join?.fill ?? []).flatMap(({ type, value }) => (type === 'datetime' ? [Number(value)] : [])),
  );
  const ranges = [range, ...views.map((view) => view.range)];
  const clock = zoneOffsets(
    Math.min(...ranges.map(({ start }) => start), ...fills),
    Math.max(...ranges.map(({ end }) => end), ...fills.map((instant) => instant + 1)),
    range.zone,
  );
  return withEarlyInstants(clock, fills, range.zone);
}

/** One row with the view's row count. The count does not depend on which rows `top` keeps, so they are not sorted. */
function counted({ rows, isSmall, top }: ViewRows): GroupNode {
  const isCut = top !== null && (isSmall || top <= FEW_ROWS);
  return {
    kind: 'group',
    input: isCut ? { kind: 'limit', input: onlyKeys(rows), count: top, countAs: null } : onlyKeys(rows),
    keys: [],
    aggregates: [countRows(TOTAL)],
  };
}

/** The number of groups depends only on their keys. Without keys, the aggregates return one row. */
function onlyKeys(rows: PlanNode): PlanNode {
  if (rows.kind === 'extend' && (rows.input.kind === 'group' || rows.input.kind === 'fill'))
    return onlyKeys(rows.input);
  if (rows.kind === 'fill') return { ...rows, input: onlyKeys(rows.input), zeros: [] };
  return rows.kind === 'group' && rows.keys.length > 0 ? { ...rows, aggregates: [] } : rows;
}

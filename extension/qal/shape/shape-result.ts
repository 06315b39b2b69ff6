// Owns the last phase: rows of the database -> the answer, before any contract spells it.
import type { Row } from '../types/compiled-query';
import type { PlanOutput } from '../types/plan';
import type { QueryResult } from '../types/query-result';

/** Cuts what was fetched to see whether there is more, and tells how many rows there are where that is known. */
export function shapeResult(output: PlanOutput, fetched: readonly Row[]): QueryResult {
  const { view, kind, limit } = output;
  if (kind === 'count') {
    return {
      view,
      columns: [],
      rows: [],
      count: Number(fetched[0]?.[0]),
      limit,
      totalCount: null,
      truncated: false,
    };
  }
  const width = output.columns.length;
  const isWhole = fetched.length <= limit;
  const cut = isWhole ? fetched : fetched.slice(0, limit);
  const rows = output.total === null ? cut : cut.map((row) => row.slice(0, width));
  const totalCount = totalOf(output, fetched, width);
  return {
    view,
    columns: output.columns.map((column) => column.name),
    rows,
    count: null,
    limit,
    totalCount,
    truncated: totalCount === null || totalCount > rows.length,
  };
}

/** The total stands behind the columns of every row; without it, one row too many says that the list was cut. */
function totalOf({ total, top, limit }: PlanOutput, fetched: readonly Row[], width: number): number | null {
  if (total === null) return fetched.length <= limit ? fetched.length : null;
  const counted = Number(fetched[0]?.[width] ?? 0);
  return top === null ? counted : Math.min(counted, top);
}

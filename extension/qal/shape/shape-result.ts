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
      count: bounded(fetched[0]?.[0], output),
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
function totalOf(output: PlanOutput, fetched: readonly Row[], width: number): number | null {
  if (output.total === null) return fetched.length <= output.limit ? fetched.length : null;
  return bounded(fetched[0]?.[width], output);
}

/** A number of rows, of which the view's own cut leaves no more than its top. */
function bounded(rows: Row[number] | undefined, { top }: PlanOutput): number {
  const counted = Number(rows ?? 0);
  return top === null ? counted : Math.min(counted, top);
}

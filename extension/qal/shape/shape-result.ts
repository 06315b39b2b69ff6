// The last phase: rows of the database -> the result, before a contract turns it into a response.
import type { Row } from '../types/compiled-query';
import type { PlanOutput } from '../types/plan';
import type { QueryResult } from '../types/query-result';

/** Cuts the extra row that was fetched to see whether there is more, and gives the number of all rows where it is known. */
export function shapeResult(output: PlanOutput, fetched: readonly Row[]): QueryResult {
  const { view, kind, limit, offset } = output;
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
    truncated: totalCount === null ? !isWhole : totalCount > offset + rows.length,
  };
}

/**
 * The total is the last value of every row; without it, one row too many shows that the list was cut. A page behind the end
 * has no row to tell it.
 */
function totalOf(output: PlanOutput, fetched: readonly Row[], width: number): number | null {
  const { total, limit, offset } = output;
  if (fetched.length === 0 && offset > 0) return null;
  if (total === null) return fetched.length <= limit ? offset + fetched.length : null;
  return bounded(fetched[0]?.[width], output);
}

/** A number of rows, limited by the view's own cut. */
function bounded(rows: Row[number] | undefined, { top }: PlanOutput): number {
  const counted = Number(rows ?? 0);
  return top === null ? counted : Math.min(counted, top);
}

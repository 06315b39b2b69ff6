// The last phase of a query, before a contract formats the response: truncates the rows to the limit and counts them.
import type { Row, RowBatches } from '../types/compiled-query';
import type { PlanOutput } from '../types/plan';
import type { ResultHead } from '../types/query-result';

type Extent = Pick<ResultHead, 'rowCount' | 'totalCount' | 'truncated'>;

export interface ShapedRows {
  readonly head: Omit<ResultHead, keyof Extent>;
  /** The number of rows before truncation, if it is known from the first row. */
  readonly total: number | null;
  readonly rows: RowBatches;
  /** Must be called after all rows are read. */
  extent(): Extent;
  /** Closes the rows if none of them were read. */
  end(): Promise<unknown>;
}

/** Reads the first batch. If that throws, the rows are closed. */
export async function shapeRows(output: PlanOutput, fetched: RowBatches): Promise<ShapedRows> {
  const { value: first = [] } = await fetched.next();
  const { view, limit } = output;
  if (output.kind === 'count') {
    await fetched.return();
    const count = bounded(first[0]?.[0], output);
    return {
      head: { view, limit, count, columns: [{ name: 'count', type: 'int' }] },
      total: 1,
      rows: oneBatch([[count]]),
      extent: () => ({ rowCount: 1, totalCount: 1, truncated: false }),
      end: () => fetched.return(),
    };
  }
  const width = output.columns.length;
  const total = totalOf(output, first, width);
  const seen = { rows: 0, more: false };
  return {
    head: { view, limit, count: null, columns: output.columns.map(({ name, type }) => ({ name, type })) },
    total,
    rows: cutRows(first, fetched, { width, limit, seen }),
    extent: () => extentOf(output, total, seen),
    end: () => fetched.return(),
  };
}

function totalOf(output: PlanOutput, [first]: readonly Row[], width: number): number | null {
  if (first === undefined) return output.offset === 0 ? 0 : null;
  // The total is the last value in every row.
  return output.total === null ? null : bounded(first[width], output);
}

interface Seen {
  rows: number;
  /** Whether there was an extra row, which shows that the rows were truncated. */
  more: boolean;
}

function extentOf({ offset }: PlanOutput, total: number | null, { rows: rowCount, more }: Seen): Extent {
  const isPastEnd = rowCount === 0 && offset > 0;
  const totalCount = total ?? (more || isPastEnd ? null : offset + rowCount);
  return { rowCount, totalCount, truncated: totalCount === null ? more : totalCount > offset + rowCount };
}

async function* oneBatch(rows: readonly Row[]): RowBatches {
  yield rows;
}

async function* cutRows(
  first: readonly Row[],
  rest: RowBatches,
  { width, limit, seen }: { width: number; limit: number; seen: Seen },
): RowBatches {
  let batch = first;
  try {
    while (batch.length > 0) {
      // Reads to the end anyway: stopping early would cancel the statement, and only the extra row is left.
      seen.more ||= seen.rows + batch.length > limit;
      const rows = seen.more ? batch.slice(0, limit - seen.rows) : batch;
      seen.rows += rows.length;
      if (rows.length > 0) yield rows.map((row) => (row.length > width ? row.slice(0, width) : row));
      const next = await rest.next();
      batch = next.done === true ? [] : next.value;
    }
  } finally {
    await rest.return();
  }
}

/** The number of rows, but at most the view's `top`. */
function bounded(rows: Row[number] | undefined, { top }: PlanOutput): number {
  const counted = Number(rows ?? 0);
  return top === null ? counted : Math.min(counted, top);
}

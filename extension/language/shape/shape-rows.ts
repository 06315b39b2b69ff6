// The last phase: rows of the database -> rows of the result and their number, before a contract formats the response.
import type { Row, RowBatches } from '../types/compiled-query';
import type { PlanOutput } from '../types/plan';
import type { ResultHead } from '../types/query-result';

type Extent = Pick<ResultHead, 'rowCount' | 'totalCount' | 'truncated'>;

export interface ShapedRows {
  readonly head: Omit<ResultHead, keyof Extent>;
  /** Rows of the view before any cut, if the first row has the number; a page past the end has no row. */
  readonly total: number | null;
  /** Cut to the result's columns and limit. */
  readonly rows: RowBatches;
  /** The number of rows; call it after all of them are read. */
  extent(): Extent;
  /** Closes rows of which none was read. */
  end(): Promise<unknown>;
}

/** Reads the first batch; if that throws, the rows are closed. */
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

/** The total is the last value of every row. */
function totalOf(output: PlanOutput, [first]: readonly Row[], width: number): number | null {
  if (first === undefined) return output.offset === 0 ? 0 : null;
  return output.total === null ? null : bounded(first[width], output);
}

/** Without a total, one extra row shows that the list was cut. */
function extentOf(
  { offset }: PlanOutput,
  total: number | null,
  seen: { rows: number; more: boolean },
): Extent {
  const { rows: rowCount, more } = seen;
  const isBehindEnd = rowCount === 0 && offset > 0;
  const totalCount = total ?? (more || isBehindEnd ? null : offset + rowCount);
  return {
    rowCount,
    totalCount,
    truncated: totalCount === null ? more : totalCount > offset + rowCount,
  };
}

async function* oneBatch(rows: readonly Row[]): RowBatches {
  yield rows;
}

async function* cutRows(
  first: readonly Row[],
  rest: RowBatches,
  { width, limit, seen }: { width: number; limit: number; seen: { rows: number; more: boolean } },
): RowBatches {
  let batch = first;
  try {
    while (batch.length > 0) {
      // Read to the end anyway: leaving early would cancel the statement, and the extra row is the last one.
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

/** A number of rows, limited by the cut of the view. */
function bounded(rows: Row[number] | undefined, { top }: PlanOutput): number {
  const counted = Number(rows ?? 0);
  return top === null ? counted : Math.min(counted, top);
}

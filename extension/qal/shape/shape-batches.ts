// Rows of the database in batches -> the result in batches. How many rows there are is known with the first batch.
import type { Row, RowBatches } from '../types/compiled-query';
import type { PlanOutput } from '../types/plan';
import type { BatchedResult } from '../types/query-result';
import { shapeResult } from './shape-result';

/** Reads the first batch, of a plan that counts its rows. `countAll` counts them where there is no row to tell it: behind the end. */
export async function shapeBatches(
  output: PlanOutput,
  fetched: RowBatches,
  countAll: () => Promise<number>,
): Promise<BatchedResult> {
  const { value } = await fetched.next();
  const first = value ?? [];
  const { view, limit, count, ...shaped } = shapeResult(output, first);
  if (count !== null) {
    await fetched.return();
    return {
      ...{ view, limit, totalCount: 1, rowCount: 1, truncated: false },
      columns: [{ name: 'count', type: 'int' }],
      batches: oneBatch([[count]]),
    };
  }
  const totalCount = shaped.totalCount ?? (await countAll());
  const rowCount = Math.min(Math.max(0, totalCount - output.offset), limit);
  const batches = allRows(first, fetched, { width: output.columns.length, rowCount });
  // A generator that has not begun would not end what it reads from.
  await batches.next();
  return {
    ...{ view, limit, totalCount, rowCount, truncated: totalCount > output.offset + rowCount },
    columns: output.columns.map(({ name, type }) => ({ name, type })),
    batches,
  };
}

async function* oneBatch(rows: readonly Row[]): RowBatches {
  yield rows;
}

/** An empty batch first. Throws at an end that comes too early: the failure of an engine may look like one. */
async function* allRows(
  first: readonly Row[],
  rest: RowBatches,
  { width, rowCount }: { readonly width: number; readonly rowCount: number },
): RowBatches {
  const cut = (batch: readonly Row[]) => batch.map((row) => (row.length > width ? row.slice(0, width) : row));
  let given = first.length;
  try {
    yield [];
    if (given > 0) yield cut(first);
    for await (const batch of rest) {
      given += batch.length;
      yield cut(batch);
    }
  } finally {
    await rest.return();
  }
  if (given !== rowCount) throw new Error(`An answer of ${rowCount} rows ended after ${given}.`);
}

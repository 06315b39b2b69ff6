// Remembers which stored rows a file has contained so far, and on which lines: to detect two rows with the same key,
// and to undo the import.
import type { ClientBase } from 'pg';
import { countNoted, forget, notedLines, noting } from '../change/noted';
import { openStaging } from '../change/staging';
import { type RowBatch, valueAt } from '../rows/row-batch';
import type { TableLayout } from '../rows/table-layout';
import type { LoaderContext } from './loader-context';

const kindOf = (table: string): string => `row of ${table}`;

/**
 * SQL for the rows of a table (row_id and line) that the file has contained so far, available once `search` has been
 * called.
 */
export const fileRow = (table: string): string => `(${notedLines(`= '${kindOf(table)}'`)})`;

export type FileRows = ReturnType<typeof fileRows>;

/** Numbers from a batch, such as ids; if they are consecutive, only the first is stored. */
type Numbers = number | Float64Array;

interface NotedBatch {
  readonly count: number;
  readonly ids: Numbers;
  readonly lines: Numbers;
}

const packed = (numbers: readonly number[]): Numbers => {
  const [first = 0] = numbers;
  return numbers.every((number, place) => number === first + place) ? first : Float64Array.from(numbers);
};

const unpacked = (numbers: Numbers, count: number): readonly number[] =>
  typeof numbers === 'number' ? Array.from({ length: count }, (_, place) => numbers + place) : [...numbers];

/**
 * The rows of one table in one import. Most files contain no row that is already stored, so the rows stay in memory until one of
 * them matches, or until there are too many.
 */
export function fileRows(
  { client, siteId, importId, limits }: LoaderContext,
  { table, fieldOf }: TableLayout,
  rowId: string,
) {
  let batches: NotedBatch[] = [];
  let size = 0;
  let isSearched = false;
  /** Writes rows to the staging table, and returns the ids that it did not contain. */
  const write = async (ids: readonly number[], lines: readonly number[]): Promise<readonly number[]> => {
    const { rows } = await client.query<{ id: number }>(WRITE, [kindOf(table), list(ids), list(lines)]);
    return rows.map(({ id }) => id);
  };
  /** Writes the rows to the staging table, which is searched from then on. */
  const search = async (): Promise<void> => {
    if (isSearched) return;
    isSearched = true;
    await openStaging(client);
    await forget(client, kindOf(table));
    for (const { count, ids, lines } of batches) await write(unpacked(ids, count), unpacked(lines, count));
    [batches, size] = [[], 0];
    await countNoted(client);
  };
  return {
    search,
    /**
     * Notes rows of a batch, whose ids are set, with their line numbers; `isNew` if the import added them. A new row is noted only
     * once.
     */
    async note(batch: RowBatch, rows: readonly number[], isNew: boolean): Promise<void> {
      const field = fieldOf(rowId);
      let ids: readonly number[] = rows.map((row) => valueAt(batch, row, field));
      const lines = rows.map((row) => batch.lines[row] ?? 0);
      if (ids.length === 0) return;
      if (isSearched) ids = await write(ids, lines);
      else {
        const noted = { count: ids.length, ids: packed(ids), lines: packed(lines) };
        for (const numbers of [noted.ids, noted.lines])
          if (typeof numbers !== 'number') size += numbers.length;
        batches.push(noted);
        if (size > limits.fileRows) await search();
      }
      if (importId !== undefined && ids.length > 0)
        await noteForUndo(client, [siteId, importId, table, isNew ? 'added' : 'met'], ids);
    },
    /** Forgets the rows of the file, because another file of the same import follows. */
    async nextFile(): Promise<void> {
      if (isSearched) await forget(client, kindOf(table));
      [batches, size, isSearched] = [[], 0, false];
    },
  };
}

const WRITE = `${noting('SELECT $1, * FROM unnest($2::bigint[], $3::bigint[])')} RETURNING id::float8 AS id`;

/** Consecutive ids, such as generated ones, become a single range. */
async function noteForUndo(
  client: ClientBase,
  record: readonly [siteId: number, importId: number, table: string, kind: 'added' | 'met'],
  ids: readonly number[],
): Promise<void> {
  const sorted = Float64Array.from(ids).sort();
  const lows: number[] = [];
  const highs: number[] = [];
  for (const id of sorted) {
    if (lows.length > 0 && id - 1 === highs[highs.length - 1]) highs[highs.length - 1] = id;
    else {
      lows.push(id);
      highs.push(id);
    }
  }
  await client.query(
    `INSERT INTO analytics.import_record (site_id, import_id, table_name, kind, ids)
     SELECT $1, $2, $3, $4, range_agg(int8range(low, high, '[]')) FROM unnest($5::bigint[], $6::bigint[]) AS u(low, high)`,
    [...record, list(lows), list(highs)],
  );
}

/** An array literal for PostgreSQL, built here because the driver would quote every number. */
const list = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

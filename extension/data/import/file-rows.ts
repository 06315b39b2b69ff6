// Which stored rows a file has given so far, and on which line: for two rows of one key, and for undoing the import. They are
// kept in the database, because a file may have any number of rows.
import type { ClientBase } from 'pg';
import { openStaging } from '../change/steps';
import type { LoaderContext } from './loader-context';

export interface FileRows {
  /** Notes rows of a batch by their numbers and lines; `isNew` if the import added them. No row is noted twice. */
  note(ids: readonly number[], lines: readonly number[], isNew: boolean): Promise<void>;
  /** Fills file_row, which is searched from now on. */
  search(): Promise<void>;
  /** Forgets the rows of the file, because another file of the same import follows. */
  nextFile(): Promise<void>;
}

/** The rows of one table that one import gives. */
export async function fileRows({ client, siteId, undo }: LoaderContext, table: string): Promise<FileRows> {
  await openStaging(client);
  let isSearched = false;
  return {
    async note(ids, lines, isNew) {
      if (ids.length === 0) return;
      await client.query(
        isSearched
          ? 'INSERT INTO file_row SELECT id, line, $3 FROM unnest($1::bigint[], $2::bigint[]) AS u(id, line)'
          : 'INSERT INTO file_batch VALUES ($1, $2, $3)',
        [list(ids), list(lines), isNew],
      );
      if (undo !== undefined)
        await noteForUndo(client, [siteId, undo.importId, table, isNew ? 'added' : 'met'], ids);
    },
    async search() {
      if (isSearched) return;
      isSearched = true;
      await client.query(
        'INSERT INTO file_row SELECT u.*, is_new FROM file_batch, unnest(row_ids, lines) AS u(row_id, line)',
      );
      await client.query('ANALYZE file_row');
    },
    async nextFile() {
      await client.query(`TRUNCATE ${isSearched ? 'file_row' : 'file_batch'}`);
    },
  };
}

/** Consecutive numbers, as generated ones are, become one range. */
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

/** Built here, because the driver would quote every number. */
const list = (numbers: readonly number[]): string => `{${numbers.join(',')}}`;

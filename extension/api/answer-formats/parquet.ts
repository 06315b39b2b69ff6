// Writes a Parquet file and sends it when it is complete. Whichever engine returns the rows, they are written as CSV, and
// DuckDB converts them.
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ColumnType } from '../../../manifests/reader/schema';
import type { ParquetType } from '../../data/export/export-site';
import type { Pieces, StreamedTable } from '../../language/types/query-result';
import { writeParquet } from '../../query/columns/write-parquet';
import { csvPiecesWithEmptyLines } from './csv';

const PIECE_BYTES = 256 * 1024;

/** Flags are numbers, as in JSON; datetimes are local times in the query's tz. */
const TYPES: Readonly<Record<ColumnType, ParquetType>> = {
  id: 'BIGINT',
  int: 'BIGINT',
  num: 'DOUBLE',
  flag: 'INTEGER',
  text: 'VARCHAR',
  datetime: 'TIMESTAMP',
  date: 'DATE',
};

/** Throws errors from reading the rows, the signal's reason, or ColumnsUnavailable if DuckDB cannot be loaded. */
export async function parquetPieces(table: StreamedTable, signal: AbortSignal): Promise<Pieces> {
  // Closes the rows even if no file could be created, so that the query releases its slot.
  const file = writeRows(table, signal).finally(() => table.rows.return());
  // DuckDB still has work to do after the last row is read.
  table.holdPlaceUntil(file);
  return piecesOf(await file);
}

async function writeRows(
  { columns, rows }: Pick<StreamedTable, 'columns' | 'rows'>,
  signal: AbortSignal,
): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'qal-parquet-'));
  try {
    const [csv, file] = [join(folder, 'rows.csv'), join(folder, 'rows.parquet')];
    // A write stream could still create the file after an error, while the folder is being removed.
    await writeFile(csv, csvPiecesWithEmptyLines({ columns, rows }), { mode: 0o600 });
    const typed = columns.map(({ name, type }) => ({ name, type: TYPES[type] }));
    await writeParquet(csv, typed, file, signal);
    // An open file stays readable after it is removed.
    return await open(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* piecesOf(file: FileHandle): Pieces {
  for await (const piece of file.createReadStream({ highWaterMark: PIECE_BYTES })) yield piece;
}

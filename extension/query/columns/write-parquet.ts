// Turns a CSV file into a Parquet file with DuckDB, which may touch the folder of the two and nothing else.
import { dirname } from 'node:path';
import type { ParquetColumn } from '../../data/export/export-site';
import { takeTurns } from '../../data/storage/take-turns';
import { quoted } from './column-file';
import { throwColumnFileError } from './column-file-error';
import { loadDuckDB } from './run-prepared';

const MEMORY_MB = 512;
/** One file at a time: answers written at once would each take the memory of a DuckDB, beside that of the column copy. */
const inTurn = takeTurns(1);

/**
 * Writes the file when no other one is being written; an empty cell is null, "" an empty text. Throws a ColumnFileError, and
 * ColumnsUnavailable where DuckDB cannot be loaded.
 */
export const writeParquet = (csv: string, columns: readonly ParquetColumn[], target: string): Promise<void> =>
  inTurn(() => write(csv, columns, target));

async function write(csv: string, columns: readonly ParquetColumn[], target: string): Promise<void> {
  const { DuckDBInstance } = await loadDuckDB();
  const folder = quoted(dirname(target));
  // Names may differ in letter case alone, which DuckDB takes for one: it reads them by place, and writes the second as `name_1`.
  const types = columns.map(({ type }, place) => `c${place}: ${quoted(type)}`);
  const named = columns.map(({ name }, place) => `c${place} AS "${name.replaceAll('"', '""')}"`);
  const read = `read_csv(${quoted(csv)}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, columns = {${types.join(', ')}})`;
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${MEMORY_MB}MB`,
    threads: '1',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    for (const text of [
      `SET temp_directory = ${folder}`,
      `SET allowed_directories = [${folder}]`,
      'SET enable_external_access = false',
      `COPY (SELECT ${named.join(', ')} FROM ${read}) TO ${quoted(target)} (FORMAT parquet, COMPRESSION zstd)`,
    ])
      await connection.run(text).catch(throwColumnFileError);
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

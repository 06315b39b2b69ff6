// Converts a CSV file to Parquet with DuckDB, which can access only the folder that both files are in.
import { dirname } from 'node:path';
import type { ParquetColumn } from '../../data/export/export-site';
import { takeTurns } from '../../data/storage/take-turns';
import { quoted } from './column-file';
import { throwColumnFileError } from './column-file-error';
import { loadDuckDB } from './run-prepared';

const MEMORY_MB = 512;
/** One file at a time, because each needs the memory of a separate DuckDB instance. */
const inTurn = takeTurns(1);

/** An empty cell is null, and "" is an empty string. Throws a ColumnFileError, or ColumnsUnavailable if DuckDB cannot be loaded. */
export const writeParquet = (csv: string, columns: readonly ParquetColumn[], target: string): Promise<void> =>
  inTurn(() => write(csv, columns, target));

async function write(csv: string, columns: readonly ParquetColumn[], target: string): Promise<void> {
  const { DuckDBInstance } = await loadDuckDB();
  const folder = quoted(dirname(target));
  // Read by position, because names may differ only in case, which DuckDB ignores. It then writes the second one as `name_1`.
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

// Converts a CSV file to Parquet with DuckDB, which can access only the folder that both files are in.
import { dirname } from 'node:path';
import type { WriteParquet } from '../../data/export/export-site';
import { takeTurns } from '../../data/storage/take-turns';
import { quoted } from './column-file';
import { throwColumnFileError } from './column-file-error';
import { interruptible, loadDuckDB } from './run-prepared';

const MEMORY_MB = 256;
/** DuckDB holds a whole row group in memory, several times: 122,880 rows by default. */
const CELLS_PER_GROUP = 1_000_000;
const MAX_ROWS_PER_GROUP = 122_880;
const MAX_BYTES_PER_GROUP = 32_000_000;
/** Enough for the parameters of two joined events, as columns and as JSON. PostgreSQL writes numbers like 9e+307 as 308 digits. */
const MAX_LINE_BYTES = 16_000_000;
/** One file at a time, because each needs the memory of a separate DuckDB instance. */
const inTurn = takeTurns(1);

/**
 * An empty cell becomes null, and "" an empty string. Throws a ColumnFileError, ColumnsUnavailable if DuckDB cannot be loaded, or
 * the signal's reason as soon as the signal is aborted.
 */
export const writeParquet: WriteParquet = (csv, columns, target, signal) =>
  inTurn(() => write(csv, columns, target, signal), signal);

async function write(...[csv, columns, target, signal]: Parameters<WriteParquet>): Promise<void> {
  const { DuckDBInstance } = await loadDuckDB();
  const folder = quoted(dirname(target));
  // Columns are read by position, because names may differ only in case, which DuckDB ignores: it would rename the second to `name_1`.
  const types = columns.map(({ type }, index) => `c${index}: ${quoted(type)}`);
  const named = columns.map(({ name }, index) => `c${index} AS "${name.replaceAll('"', '""')}"`);
  const read = `read_csv(${quoted(csv)}, header = true, auto_detect = false, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, max_line_size = ${MAX_LINE_BYTES}, buffer_size = ${2 * MAX_LINE_BYTES}, columns = {${types.join(', ')}})`;
  const rowsPerGroup = Math.min(Math.ceil(CELLS_PER_GROUP / columns.length), MAX_ROWS_PER_GROUP);
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: `${MEMORY_MB}MB`,
    // A single thread keeps the order anyway, and DuckDB limits the bytes of a row group only if it need not preserve the order.
    threads: '1',
    preserve_insertion_order: 'false',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  try {
    const connection = await instance.connect();
    for (const text of [
      `SET temp_directory = ${folder}`,
      `SET allowed_directories = [${folder}]`,
      'SET enable_external_access = false',
      `COPY (SELECT ${named.join(', ')} FROM ${read}) TO ${quoted(target)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowsPerGroup}, ROW_GROUP_SIZE_BYTES ${MAX_BYTES_PER_GROUP})`,
    ])
      await interruptible(connection, signal, () => connection.run(text).catch(throwColumnFileError));
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}

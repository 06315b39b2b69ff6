// The rows of a statement of DuckDB, chunk by chunk, on a connection of their own.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Row } from '../qal/types/compiled-query';
import { throwColumnFileError } from './column-file-error';
import { bound, type ColumnStatement, type DuckDB, rowsOf } from './run-prepared';

export interface RowStream {
  /**
   * undefined after the last row, and after a failure of DuckDB, which its driver does not tell: the reader must know how
   * many rows there are. Rejects with a RangeError for a whole number that JSON would round.
   */
  next(): Promise<readonly Row[] | undefined>;
  /** Lets go of rows that were not read, and of the connection. Not while `next` runs. */
  end(): Promise<void>;
}

/** Starts a statement. Rejects with a ColumnFileError. */
export async function openRowStream(
  duckdb: DuckDB,
  connection: DuckDBConnection,
  { text, bindings = [] }: ColumnStatement,
): Promise<RowStream> {
  const statement = await connection.prepare(text).catch(throwColumnFileError);
  statement.bind(...bound(duckdb, bindings));
  const result = await statement.stream().catch(throwColumnFileError);
  let isOpen = true;
  return {
    async next() {
      const chunk = await result.fetchChunk().catch(throwColumnFileError);
      return chunk === null || chunk.rowCount === 0 ? undefined : rowsOf(chunk.getColumns(), chunk.rowCount);
    },
    async end() {
      if (!isOpen) return;
      isOpen = false;
      // Closing the connection alone would keep the file open until the result is collected.
      connection.interrupt();
      await result.fetchChunk().catch(() => null);
      statement.destroySync();
      connection.closeSync();
    },
  };
}

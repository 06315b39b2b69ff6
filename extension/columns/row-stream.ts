// The rows of a statement of DuckDB as they are computed, in batches that take little time to convert.
import { setImmediate as turn } from 'node:timers/promises';
import type { DuckDBDataChunk } from '@duckdb/node-api';
import type { Row } from '../qal/types/compiled-query';
import { ColumnFileError, throwColumnFileError } from './column-file-error';
import {
  type ColumnStatement,
  type DuckDB,
  type PreparingConnection,
  plainValue,
  prepareBound,
} from './run-prepared';

export interface RowStream {
  /**
   * undefined after the last row. Rejects with a ColumnFileError, and with a RangeError for a whole number that JSON would
   * round.
   */
  next(): Promise<readonly Row[] | undefined>;
  /** Releases rows that were not read. Not while `next` runs. True where the connection can run other statements. */
  end(): Promise<boolean>;
}

/** A stream that fails just ends: the driver does not report it. So the last row is one that only a whole result has. */
const withEnd = (text: string): string =>
  `SELECT *, false AS is_end FROM (${text}) UNION ALL BY NAME SELECT true AS is_end`;

/** Starts a statement. Rejects with a ColumnFileError. */
export async function openRowStream(
  duckdb: DuckDB,
  own: PreparingConnection,
  { text, bindings = [] }: ColumnStatement,
): Promise<RowStream> {
  const { statement, done } = await prepareBound(duckdb, own, { text: withEnd(text), bindings });
  const result = await statement.stream().catch((error) => {
    done();
    throwColumnFileError(error);
  });
  let slices: Generator<readonly Row[], void, undefined> | undefined;
  let isWhole = false;
  return {
    async next() {
      if (slices !== undefined) {
        await turn();
        const { value } = slices.next();
        if (value !== undefined) return value;
      }
      if (isWhole) return undefined;
      const chunk = await result.fetchChunk().catch(throwColumnFileError);
      if (chunk === null || chunk.rowCount === 0)
        throw new ColumnFileError(new Error('Broken Stream Error: not all rows came.'));
      const width = chunk.columnCount - 1;
      isWhole = chunk.getColumnVector(width).getItem(chunk.rowCount - 1) === true;
      const count = chunk.rowCount - (isWhole ? 1 : 0);
      if (count === 0) return undefined;
      slices = slicesOf(chunk, count, width);
      return slices.next().value ?? undefined;
    },
    async end() {
      if (!isWhole) {
        // Closing the connection alone would keep the file open until the result is collected.
        own.connection.interrupt();
        await result.fetchChunk().catch(() => null);
      }
      done();
      return isWhole;
    },
  };
}

const FIRST_CELLS = 1_024;
const MOST_CELLS = 16_384;
/** Of texts, roughly: the next slice has as many rows as would make so many. */
const SLICE_CHARACTERS = 256 * 1024;

/** The first rows of a chunk, some at a time; a chunk of wide rows would occupy the event loop for long. */
function* slicesOf(chunk: DuckDBDataChunk, count: number, width: number) {
  const vectors = Array.from({ length: width }, (_, column) => chunk.getColumnVector(column));
  const most = Math.max(1, Math.floor(MOST_CELLS / Math.max(1, width)));
  let size = Math.max(1, Math.floor(FIRST_CELLS / Math.max(1, width)));
  for (let from = 0; from < count; ) {
    const length = Math.min(size, count - from);
    const rows = Array.from({ length }, (): (string | number | null)[] => new Array(width));
    let characters = 0;
    for (const [column, vector] of vectors.entries())
      for (const [place, row] of rows.entries()) {
        const value = plainValue(vector.getItem(from + place));
        row[column] = value;
        if (typeof value === 'string') characters += value.length;
      }
    yield rows;
    from += length;
    size = Math.min(most, Math.max(1, Math.floor((length * SLICE_CHARACTERS) / Math.max(1, characters))));
  }
}

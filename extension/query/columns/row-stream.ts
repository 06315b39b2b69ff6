// Streams the rows of a DuckDB statement as they are computed, in batches that are quick to convert.
import { setImmediate as turn } from 'node:timers/promises';
import type { DuckDBDataChunk, DuckDBResult } from '@duckdb/node-api';
import type { Row } from '../../language/types/compiled-query';
import { ColumnFileError, throwColumnFileError } from './column-file-error';
import type { ConnectionPool, SnapshotCheck } from './connection-pool';
import {
  type ColumnStatement,
  type DuckDB,
  interruptible,
  type PreparingConnection,
  plainValue,
  prepareBound,
} from './run-prepared';

export interface RowStream {
  /**
   * Undefined after the last row. Rejects with a ColumnFileError, with the signal's reason if the signal is aborted, or with a
   * RangeError for an integer that JSON would round.
   */
  next(ending: AbortSignal): Promise<readonly Row[] | undefined>;
  /** Discards unread rows and returns the connection. Must not be called while `next` is running. */
  end(): Promise<void>;
}

/** The driver does not report that a stream failed; the stream just ends. So this appends a row that marks a complete result. */
const withEnd = (text: string): string =>
  `SELECT *, false AS is_end FROM (${text}) UNION ALL BY NAME SELECT true AS is_end`;

/** The statement starts when its first rows are requested. */
export function rowStream(
  duckdb: DuckDB,
  { take, begin, giveBack }: Pick<ConnectionPool, 'take' | 'begin' | 'giveBack'>,
  { text, bindings = [] }: ColumnStatement,
  checked: SnapshotCheck | undefined,
): RowStream {
  let borrowed: PreparingConnection | undefined;
  let prepared: Awaited<ReturnType<typeof prepareBound>> | undefined;
  let result: DuckDBResult | undefined;
  let slices: Generator<readonly Row[], void, undefined> | undefined;
  let isWhole = false;
  let ended: Promise<void> | undefined;

  async function open(connection: PreparingConnection): Promise<DuckDBResult> {
    await begin(connection, checked);
    prepared = await prepareBound(duckdb, connection, { text: withEnd(text), bindings });
    return prepared.statement.stream().catch(throwColumnFileError);
  }

  async function nextRows(connection: PreparingConnection): Promise<readonly Row[] | undefined> {
    if (slices !== undefined) {
      await ownTurn();
      const { value } = slices.next();
      if (value !== undefined) return value;
    }
    if (isWhole) return undefined;
    result ??= await open(connection);
    const chunk = await result.fetchChunk().catch(throwColumnFileError);
    if (chunk === null || chunk.rowCount === 0)
      throw new ColumnFileError(new Error('Broken Stream Error: some rows never arrived.'));
    const width = chunk.columnCount - 1;
    isWhole = chunk.getColumnVector(width).getItem(chunk.rowCount - 1) === true;
    const count = chunk.rowCount - (isWhole ? 1 : 0);
    if (count === 0) return undefined;
    slices = slicesOf(chunk, count, width);
    return slices.next().value ?? undefined;
  }

  /**
   * Fetches the rest of a result. Otherwise, the result would keep the database open until it is garbage-collected, even if its
   * connection is closed.
   */
  async function drain(open: DuckDBResult, { connection }: PreparingConnection): Promise<void> {
    let chunk: DuckDBDataChunk | null;
    do {
      if (!isWhole) connection.interrupt();
      // After an interruption or an earlier failure, there is nothing left to fetch.
      chunk = await open.fetchChunk().catch(() => null);
    } while (chunk !== null && chunk.rowCount > 0);
  }

  async function end(): Promise<void> {
    if (borrowed === undefined) return;
    if (result !== undefined) await drain(result, borrowed);
    prepared?.done();
    await giveBack(borrowed, isWhole);
  }

  return {
    async next(ending) {
      borrowed ??= await take();
      const current = borrowed;
      return interruptible(current.connection, ending, () => nextRows(current));
    },
    end: () => (ended ??= end()),
  };
}

let lastTurn: Promise<unknown> = Promise.resolve();

/** Waits for an event loop iteration that no other stream uses, so that slices from several streams never add up. */
function ownTurn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => turn());
  return lastTurn;
}

const FIRST_CELLS = 1_024;
const MAX_CELLS = 8_192;
const SLICE_CHARACTERS = 256 * 1024;

/** Yields the first `count` rows of a chunk, a few at a time: a chunk of wide rows would block the event loop for too long. */
function* slicesOf(chunk: DuckDBDataChunk, count: number, width: number) {
  const vectors = Array.from({ length: width }, (_, column) => chunk.getColumnVector(column));
  const maxRows = Math.max(1, Math.floor(MAX_CELLS / Math.max(1, width)));
  let size = Math.max(1, Math.floor(FIRST_CELLS / Math.max(1, width)));
  for (let from = 0; from < count; ) {
    const length = Math.min(size, count - from);
    const rows = Array.from({ length }, (): (string | number | null)[] => new Array(width));
    let characters = 0;
    for (const [column, whole] of vectors.entries()) {
      // A vector caches every value that it returns, so the vector of the whole chunk would keep all of them in memory.
      const vector = whole.slice(from, length);
      for (const [index, row] of rows.entries()) {
        const value = plainValue(vector.getItem(index));
        row[column] = value;
        if (typeof value === 'string') characters += value.length;
      }
    }
    yield rows;
    from += length;
    size = Math.min(maxRows, Math.max(1, Math.floor((length * SLICE_CHARACTERS) / Math.max(1, characters))));
  }
}

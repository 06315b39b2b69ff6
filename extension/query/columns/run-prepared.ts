// Runs statements on a connection of DuckDB, which prepares each text once: planning costs as much as a small answer.
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { Row } from '../../language/types/compiled-query';
import { ColumnsUnavailable, throwColumnFileError } from './column-file-error';

export type DuckDB = typeof import('@duckdb/node-api');

/** Throws ColumnsUnavailable. */
export async function loadDuckDB(): Promise<DuckDB> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw new ColumnsUnavailable('DuckDB cannot be loaded on this platform.', cause, 'not loaded');
  }
}

/** A statement and its values. */
export interface ColumnStatement {
  readonly text: string;
  readonly bindings?: readonly unknown[];
}

/** A statement outside of changes. */
export interface ReadStatement extends ColumnStatement {
  /**
   * Whether it stays prepared. By default a statement with values does: what DuckDB plans for another may hold only for the
   * statistics of that moment, and ignore later rows.
   */
  readonly isKept?: boolean;
}

/** Runs a statement within a transaction; rows as arrays, of a change the number of its rows. */
export type RunStatement = (statement: ColumnStatement) => Promise<readonly Row[]>;

/** A connection that remembers its prepared statements; for one caller at a time. */
export interface PreparingConnection {
  readonly connection: DuckDBConnection;
  readonly prepared: LRUCache<string, DuckDBPreparedStatement>;
}

/** An interruption is lost on a statement that is only being prepared, so it is repeated. */
const INTERRUPT_AGAIN_MS = 20;

/** The forms of queries that one connection remembers. */
const MOST_PREPARED = 32;

export const preparingConnection = (connection: DuckDBConnection): PreparingConnection => ({
  connection,
  prepared: new LRUCache({ max: MOST_PREPARED, dispose: (statement) => statement.destroySync() }),
});

/** A statement with its values; `done` after its last row. Rejects with a ColumnFileError. */
export async function prepareBound(
  duckdb: DuckDB,
  { connection, prepared }: PreparingConnection,
  { text, bindings = [], isKept = bindings.length > 0 }: ReadStatement,
): Promise<{ readonly statement: DuckDBPreparedStatement; done(): void }> {
  const statement = prepared.get(text) ?? (await connection.prepare(text).catch(throwColumnFileError));
  if (isKept) prepared.set(text, statement);
  statement.bind(...bound(duckdb, bindings));
  return { statement, done: () => isKept || statement.destroySync() };
}

/** Rows as arrays. Rejects with a ColumnFileError, and with a RangeError for a whole number that JSON would round. */
export async function runPrepared(
  duckdb: DuckDB,
  own: PreparingConnection,
  asked: ReadStatement,
): Promise<readonly Row[]> {
  const { statement, done } = await prepareBound(duckdb, own, asked);
  try {
    const reader = await statement.runAndReadAll().catch(throwColumnFileError);
    return rowsOf(reader.getColumns(), reader.currentRowCount);
  } finally {
    done();
  }
}

/** Values as DuckDB binds them: the text of the statement casts each to its type. */
export function bound(duckdb: DuckDB, bindings: readonly unknown[]): [DuckDBValue[], DuckDBType[]] {
  const { BIGINT, DOUBLE, VARCHAR, LIST, listValue } = duckdb;
  const typed = bindings.map((value): [DuckDBValue, DuckDBType] => {
    if (typeof value === 'number')
      return Number.isSafeInteger(value) ? [BigInt(value), BIGINT] : [value, DOUBLE];
    if (typeof value === 'string' || value === null) return [value, VARCHAR];
    if (!Array.isArray(value)) throw new TypeError(`DuckDB is not given ${String(value)}.`);
    return [listValue(value), LIST(value.some((item) => typeof item === 'number') ? DOUBLE : VARCHAR)];
  });
  return [typed.map(([value]) => value), typed.map(([, type]) => type)];
}

/** Rows of the values of columns. Throws a RangeError for a whole number that JSON would round. */
export function rowsOf(columns: readonly (readonly DuckDBValue[])[], count: number): readonly Row[] {
  const plain = columns.map((column) => column.map(plainValue));
  return Array.from({ length: count }, (_, row) => plain.map((column) => column[row] ?? null));
}

/** Throws a RangeError for a whole number that JSON would round. */
export function plainValue(value: DuckDBValue): string | number | null {
  if (typeof value === 'bigint') {
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER)
      throw new RangeError(`${value} is beyond the whole numbers of JSON.`);
    return Number(value);
  }
  if (typeof value === 'boolean') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`DuckDB returned a value of a type that no column has: ${String(value)}`);
}

/** Rejects with the signal's reason when it is aborted, which ends the statement. */
export async function interruptible<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const endInterrupting = interruptWhenAborted(connection, signal);
  try {
    return await work();
  } finally {
    endInterrupting();
    signal.throwIfAborted();
  }
}

/** Returns a function that stops interrupting. */
function interruptWhenAborted(connection: DuckDBConnection, signal: AbortSignal): () => void {
  let again: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    again = setTimeout(interrupt, INTERRUPT_AGAIN_MS);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  return () => {
    clearTimeout(again);
    signal.removeEventListener('abort', interrupt);
  };
}

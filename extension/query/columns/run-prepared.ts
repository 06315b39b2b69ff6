// Runs statements on a DuckDB connection. Prepares each SQL text once, because planning takes as long as running a small query.
import { availableParallelism } from 'node:os';
import type {
  DuckDBConnection,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
  DuckDBType,
  DuckDBValue,
} from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import type { Row } from '../../language/types/compiled-query';
import { ColumnsUnavailable, throwColumnFileError } from './column-file-error';

export type DuckDB = typeof import('@duckdb/node-api');

/**
 * Options of DuckDB's allocator, which reads them when DuckDB is loaded. By default, it has four arenas per core and keeps freed
 * pages in each of them: up to 200 MB beyond `memory_limit`. Returning them immediately would increase CPU time by half.
 */
export const ALLOCATOR = `narenas:${availableParallelism()},dirty_decay_ms:100,muzzy_decay_ms:0`;

export async function loadDuckDB(): Promise<DuckDB> {
  process.env.DUCKDB_JE_MALLOC_CONF ??= ALLOCATOR;
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw new ColumnsUnavailable('DuckDB cannot be loaded on this platform.', cause, 'not loaded');
  }
}

export interface ColumnStatement {
  readonly text: string;
  readonly bindings?: readonly unknown[];
}

export interface ReadStatement extends ColumnStatement {
  /**
   * Whether the statement stays prepared. By default, only statements with bindings do: the plans of others may depend on current
   * statistics and miss rows that are added later.
   */
  readonly isKept?: boolean;
}

/** Runs a statement in a transaction. If the statement changes rows, the result is their number. */
export type RunStatement = (statement: ColumnStatement) => Promise<readonly Row[]>;

/** A connection with its prepared statements, for one caller at a time. */
export interface PreparingConnection {
  readonly connection: DuckDBConnection;
  readonly prepared: LRUCache<string, DuckDBPreparedStatement>;
}

/** A statement that is still being prepared ignores an interrupt, so the interrupt is repeated. */
const INTERRUPT_AGAIN_MS = 20;

const MAX_PREPARED = 32;

export const preparingConnection = (connection: DuckDBConnection): PreparingConnection => ({
  connection,
  prepared: new LRUCache({ max: MAX_PREPARED, dispose: (statement) => statement.destroySync() }),
});

/** Rejects with a ColumnFileError. Callers must call `done` after the last row. */
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

/** Rejects with a ColumnFileError, or with a RangeError for an integer that JSON would round. */
export async function runPrepared(
  duckdb: DuckDB,
  connection: PreparingConnection,
  request: ReadStatement,
): Promise<readonly Row[]> {
  const { statement, done } = await prepareBound(duckdb, connection, request);
  try {
    return rowsOf(await statement.run().catch(throwColumnFileError));
  } finally {
    done();
  }
}

/** The values and types to bind. The statement casts each value to the type that it needs. */
export function bound(duckdb: DuckDB, bindings: readonly unknown[]): [DuckDBValue[], DuckDBType[]] {
  const { BIGINT, DOUBLE, VARCHAR, LIST, listValue } = duckdb;
  const typed = bindings.map((value): [DuckDBValue, DuckDBType] => {
    if (typeof value === 'number')
      return Number.isSafeInteger(value) ? [BigInt(value), BIGINT] : [value, DOUBLE];
    if (typeof value === 'string' || value === null) return [value, VARCHAR];
    if (!Array.isArray(value)) throw new TypeError(`${String(value)} cannot be bound in DuckDB.`);
    return [listValue(value), LIST(value.some((item) => typeof item === 'number') ? DOUBLE : VARCHAR)];
  });
  return [typed.map(([value]) => value), typed.map(([, type]) => type)];
}

/** The rows of a result that is already in memory, without another round trip to DuckDB. Throws as `plainValue` does. */
export function rowsOf(result: DuckDBMaterializedResult): readonly Row[] {
  const chunks = Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index));
  return chunks.flatMap((chunk) => chunk.getRows().map((row) => row.map(plainValue)));
}

/** Throws a RangeError for an integer that JSON would round. */
export function plainValue(value: DuckDBValue): string | number | null {
  if (typeof value === 'bigint') {
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER)
      throw new RangeError(`${value} is too large for a JSON number.`);
    return Number(value);
  }
  if (typeof value === 'boolean') return Number(value);
  // The quotient of 0 and a negative number is -0 here, and 0 in PostgreSQL.
  if (value === 0) return 0;
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`DuckDB returned a value of an unexpected type: ${String(value)}`);
}

/** If the signal is aborted, interrupts the statement and rejects with the signal's reason. */
export async function interruptible<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  let again: NodeJS.Timeout | undefined;
  const interrupt = () => {
    connection.interrupt();
    again = setTimeout(interrupt, INTERRUPT_AGAIN_MS);
  };
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await work();
  } finally {
    clearTimeout(again);
    signal.removeEventListener('abort', interrupt);
    signal.throwIfAborted();
  }
}

// The DuckDB file of the copy: opened without network, without other files, with bounded memory and threads.
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection, DuckDBInstance, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { Row } from '../qal/types/compiled-query';

export interface ColumnFileOptions {
  /** A folder of the copy's own; created if it is missing. */
  readonly folder: string;
  readonly memoryMb: number;
  readonly threads: number;
}

type DuckDB = typeof import('@duckdb/node-api');

/** Why the copy cannot be used; the message is a sentence. */
export class ColumnsUnavailable extends Error {
  override readonly name = 'ColumnsUnavailable';

  constructor(
    message: string,
    cause: unknown,
    /** Whether another process has the copy open. */
    readonly isLocked: boolean,
  ) {
    super(message, { cause });
  }
}

/** A statement and its values. */
export interface ColumnStatement {
  readonly text: string;
  readonly bindings?: readonly unknown[];
}

export interface ColumnFile {
  /** Files that statements may read, and nothing else. */
  readonly exchangeFolder: string;
  /** Rows as arrays. Rejects with the signal's reason when it is aborted, and ends the statement. */
  read(statement: ColumnStatement, signal?: AbortSignal): Promise<readonly Row[]>;
  /** Runs `work` in one transaction, one at a time; whatever it throws rolls everything back. */
  write<T>(work: (run: (statement: ColumnStatement) => Promise<void>) => Promise<T>): Promise<T>;
  /** On disk, the write-ahead log included. */
  bytes(): Promise<number>;
  close(): void;
}

const FILE = 'columns.duckdb';
/** Each statement uses all threads, and occupies one of the few of Node that also hash passwords and read files. */
const MOST_READS = 3;

/** Opens the file of a folder. Throws ColumnsUnavailable where DuckDB cannot be loaded or another process has the file. */
export async function openColumnFile(options: ColumnFileOptions): Promise<ColumnFile> {
  const duckdb = await loadDuckDB();
  const { folder } = options;
  const file = join(folder, FILE);
  const exchangeFolder = join(folder, 'exchange');
  await rm(exchangeFolder, { recursive: true, force: true });
  await mkdir(exchangeFolder, { recursive: true, mode: 0o700 });
  const instance = await openInstance(duckdb, file, options);
  try {
    const first = await instance.connect();
    for (const text of [
      `SET temp_directory = ${quoted(exchangeFolder)}`,
      `SET allowed_directories = [${quoted(exchangeFolder)}]`,
      'SET enable_external_access = false',
      'SET lock_configuration = true',
    ])
      await first.run(text);
    return columnFile(duckdb, instance, first, { file, exchangeFolder });
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** Deletes the file of a folder; a copy is made of PostgreSQL alone, so nothing is lost. */
export const removeColumnFile = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true });

async function loadDuckDB(): Promise<DuckDB> {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw new ColumnsUnavailable('DuckDB cannot be loaded on this platform.', cause, false);
  }
}

async function openInstance(
  { DuckDBInstance }: DuckDB,
  file: string,
  { memoryMb, threads }: ColumnFileOptions,
): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(file, {
      memory_limit: `${memoryMb}MB`,
      threads: String(threads),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
  } catch (cause) {
    if (cause instanceof Error && /lock/i.test(cause.message))
      throw new ColumnsUnavailable('Another process has the column copy open.', cause, true);
    throw cause;
  }
}

function columnFile(
  duckdb: DuckDB,
  instance: DuckDBInstance,
  first: DuckDBConnection,
  { file, exchangeFolder }: { readonly file: string; readonly exchangeFolder: string },
): ColumnFile {
  const idle: DuckDBConnection[] = [first];
  const reads = turns(MOST_READS);
  const writes = turns(1);
  const borrow = async () => idle.pop() ?? (await instance.connect());
  return {
    exchangeFolder,
    read: (statement, signal) =>
      reads(async () => {
        signal?.throwIfAborted();
        const connection = await borrow();
        const stop = () => connection.interrupt();
        signal?.addEventListener('abort', stop, { once: true });
        try {
          const [values, types] = bound(duckdb, statement);
          const reader = await connection.runAndReadAll(statement.text, values, types);
          return rowsOf(reader.getColumns(), reader.currentRowCount);
        } catch (error) {
          signal?.throwIfAborted();
          throw error;
        } finally {
          signal?.removeEventListener('abort', stop);
          idle.push(connection);
        }
      }),
    write: (work) =>
      writes(async () => {
        const connection = await borrow();
        try {
          await connection.run('BEGIN');
          const result = await work(async (statement) => {
            await connection.run(statement.text, ...bound(duckdb, statement));
          });
          await connection.run('COMMIT');
          idle.push(connection);
          return result;
        } catch (error) {
          // A connection that is gone takes its transaction with it.
          connection.closeSync();
          throw error;
        }
      }),
    async bytes() {
      const sizes = await Promise.all([file, `${file}.wal`].map((path) => stat(path).catch(() => undefined)));
      return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
    },
    close: () => instance.closeSync(),
  };
}

/** Runs so many works at a time, the others in their order. */
function turns(most: number) {
  let free = most;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

/** The values of a statement as DuckDB binds them: the text casts each to its type. */
function bound(duckdb: DuckDB, { bindings = [] }: ColumnStatement): [DuckDBValue[], DuckDBType[]] {
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

function rowsOf(columns: readonly (readonly DuckDBValue[])[], count: number): readonly Row[] {
  const plain = columns.map((column) => column.map(plainValue));
  return Array.from({ length: count }, (_, row) => plain.map((column) => column[row] ?? null));
}

/** Throws a RangeError for a whole number that a double would round. */
function plainValue(value: DuckDBValue): string | number | null {
  if (typeof value === 'bigint') {
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER)
      throw new RangeError(`${value} is beyond the whole numbers of JSON.`);
    return Number(value);
  }
  if (typeof value === 'boolean') return Number(value);
  if (value === null || typeof value === 'string' || typeof value === 'number') return value;
  throw new TypeError(`DuckDB gave a value of a type that no column has: ${String(value)}`);
}

/** A text as SQL, where no value can be bound. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

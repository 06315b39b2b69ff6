// The copy's DuckDB file. DuckDB cannot access the network or other files, and its memory and threads are limited.
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { createFolder } from '../../../host-shim/extension-api';
import { takeTurns } from '../../data/storage/take-turns';
import type { Row, RowBatches } from '../../language/types/compiled-query';
import { onAbort } from '../on-abort';
import {
  asColumnFileError,
  ColumnFileError,
  ColumnsUnavailable,
  throwColumnFileError,
} from './column-file-error';
import { connectionPool, type SnapshotCheck } from './connection-pool';
import { openMarked, openWorkMarks, type WorkMarks } from './crash-marks';
import { type RowStream, rowStream } from './row-stream';
import {
  bound,
  type ColumnStatement,
  type DuckDB,
  loadDuckDB,
  type PreparingConnection,
  type RunStatement,
  rowsOf,
  runPrepared,
} from './run-prepared';

export interface ColumnFileOptions {
  /** Contains only the copy. Created if it is missing. */
  readonly folder: string;
  readonly memoryMb: number;
  readonly tempMb: number;
  readonly threads: number;
}

export interface ColumnFile {
  /** The only folder in which statements can read files. */
  readonly exchangeFolder: string;
  /**
   * Rejects with a ColumnFileError; with the signal's reason if the signal is aborted, which also ends the statement; or with a
   * RangeError for an integer that JSON would round. If the check throws, the read rejects with the same error.
   */
  read(statement: ColumnStatement, signal?: AbortSignal, checked?: SnapshotCheck): Promise<readonly Row[]>;
  /**
   * Like `read`, but in batches, from one snapshot. Each batch is read when it is requested, taking turns with other reads. If the
   * check throws, so does the first batch.
   */
  batches(statement: ColumnStatement, signal?: AbortSignal, checked?: SnapshotCheck): RowBatches;
  /** Runs `work` in a transaction, one transaction at a time. An error rolls it back. */
  write<T>(work: (run: RunStatement) => Promise<T>): Promise<T>;
  /** Whether statements may use several threads. If not, each runs only on the thread that waits for it. */
  allowSeveralThreads(isAllowed: boolean): Promise<void>;
  /** Size on disk, including the write-ahead log. */
  bytes(): Promise<number>;
  close(): Promise<void>;
}

const FILE = 'columns.duckdb';
/** Each statement uses all of DuckDB's threads, and one of Node's few threads, which also hash passwords and read files. */
const MAX_READS = 3;
const MAX_CLOSE_MS = 3_000;
/**
 * DuckDB computes groups in an array if their keys have at most this many bits in total. That is up to three times as fast as
 * hashing, and takes a few megabytes per thread.
 */
const ARRAY_GROUP_BITS = 17;

/**
 * Throws ColumnsUnavailable if DuckDB cannot be loaded or another process has the file open, ColumnFileError if the file is
 * damaged, and CopyCrashed if the previous process crashed while using it.
 */
export async function openColumnFile(options: ColumnFileOptions): Promise<ColumnFile> {
  const duckdb = await loadDuckDB();
  const { folder } = options;
  const file = join(folder, FILE);
  const exchangeFolder = join(folder, 'exchange');
  await createFolder(folder, 0o700);
  const instance = await openMarked(folder, () => openInstance(duckdb, file, options));
  let marks: WorkMarks | undefined;
  let first: DuckDBConnection | undefined;
  try {
    marks = await openWorkMarks(folder);
    // Removed only once the file is open, because until then another process could be using this folder.
    await rm(exchangeFolder, { recursive: true, force: true });
    await mkdir(exchangeFolder, { mode: 0o700 });
    first = await instance.connect();
    for (const text of [
      `SET temp_directory = ${quoted(exchangeFolder)}`,
      `SET max_temp_directory_size = '${options.tempMb}MB'`,
      `SET allowed_directories = [${quoted(exchangeFolder)}]`,
      'SET enable_external_access = false',
      `SET allowed_configs = ['external_threads']`,
      'SET lock_configuration = true',
    ])
      await first.run(text);
    return columnFile(duckdb, instance, first, { file, exchangeFolder, marks, threads: options.threads });
  } catch (error) {
    marks?.end();
    first?.closeSync();
    instance.closeSync();
    throw error;
  }
}

export async function isInUse(folder: string): Promise<boolean> {
  try {
    const file = await openColumnFile({ folder, memoryMb: 64, tempMb: 64, threads: 1 });
    await file.close();
    return false;
  } catch (error) {
    return error instanceof ColumnsUnavailable && error.obstacle === 'in use';
  }
}

async function openInstance(
  { DuckDBInstance }: DuckDB,
  file: string,
  { memoryMb, threads }: ColumnFileOptions,
): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(file, {
      memory_limit: `${memoryMb}MiB`,
      threads: String(threads),
      perfect_ht_threshold: String(ARRAY_GROUP_BITS),
      // No other version of DuckDB reads the file, so it can use every kind of compression.
      storage_compatibility_version: 'latest',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    });
  } catch (cause) {
    const error = asColumnFileError(cause);
    if (error instanceof ColumnFileError && /could not set lock/i.test(error.message))
      throw new ColumnsUnavailable(
        'Another process has the columnar copy open. Each server needs a separate DATA_DIR.',
        cause,
        'in use',
      );
    throw error;
  }
}

interface FileParts {
  readonly file: string;
  readonly exchangeFolder: string;
  readonly marks: WorkMarks;
  readonly threads: number;
}

function columnFile(
  duckdb: DuckDB,
  instance: DuckDBInstance,
  first: DuckDBConnection,
  { file, exchangeFolder, marks, threads }: FileParts,
): ColumnFile {
  const connections = connectionPool(duckdb, instance, first);
  const turns = takeTurns(MAX_READS);
  const reads = <T>(work: () => Promise<T>, signal: AbortSignal) => turns(() => marks.reading(work), signal);
  const writes = takeTurns(1);
  /** The controllers of the work that is running. */
  const inUse = new Map<Promise<unknown>, AbortController>();
  const streams = new Set<RowStream>();
  let closed: ColumnsUnavailable | undefined;
  let isAllowedSeveral = true;

  /** Aborts work when the signal is aborted or the file is closed. */
  function untilClosed<T>(
    signal: AbortSignal | undefined,
    work: (ending: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const ending = new AbortController();
    if (closed !== undefined) ending.abort(closed);
    const unlink = signal && onAbort(signal, (reason) => ending.abort(reason));
    const result = work(ending.signal);
    inUse.set(result, ending);
    const forget = () => {
      inUse.delete(result);
      unlink?.();
    };
    result.then(forget, forget);
    return result;
  }

  const read: ColumnFile['read'] = (statement, signal, checked) =>
    untilClosed(signal, (ending) => {
      const run = (borrowed: PreparingConnection) => runPrepared(duckdb, borrowed, statement);
      return reads(() => connections.withConnection(ending, checked, run), ending);
    });

  return {
    exchangeFolder,
    read,
    async *batches(statement, signal, checked) {
      const stream = rowStream(duckdb, connections, statement, checked);
      const next = () => untilClosed(signal, (ending) => reads(() => stream.next(ending), ending));
      streams.add(stream);
      try {
        for (let rows = await next(); rows !== undefined; rows = await next()) yield rows;
      } finally {
        await stream.end();
        streams.delete(stream);
      }
    },
    write: (work) =>
      untilClosed(undefined, (ending) => {
        const inTransaction = ({ connection }: PreparingConnection) =>
          work(async ({ text, bindings = [] }) => {
            ending.throwIfAborted();
            const values = bound(duckdb, bindings);
            return rowsOf(await connection.run(text, ...values).catch(throwColumnFileError));
          });
        return writes(() => marks.writing(() => connections.inTransaction(ending, inTransaction)), ending);
      }),
    async allowSeveralThreads(isAllowed) {
      if (isAllowed === isAllowedSeveral) return;
      // DuckDB starts only the threads that are not external, and a thread that waits for a statement is external.
      await read({ text: `SET external_threads = ${isAllowed ? 1 : threads}` });
      isAllowedSeveral = isAllowed;
    },
    async bytes() {
      const sizes = await Promise.all([file, `${file}.wal`].map((path) => stat(path).catch(() => undefined)));
      return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
    },
    async close() {
      closed = new ColumnsUnavailable('The columnar copy is closed.', undefined, undefined);
      for (const ending of inUse.values()) ending.abort(closed);
      const end = async () => {
        await Promise.allSettled(inUse.keys());
        await Promise.all([...streams].map((stream) => stream.end()));
      };
      // Work may be waiting for a database that has become unreachable.
      await Promise.race([end(), pause(MAX_CLOSE_MS, undefined, { ref: false })]);
      connections.close();
      instance.closeSync();
      marks.end();
    },
  };
}

/** A string as an SQL literal, for places where values cannot be bound. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

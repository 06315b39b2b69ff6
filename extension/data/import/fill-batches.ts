// Connects reading and writing: batches are filled while earlier ones are written, one after the other. The reader waits when it
// gets too far ahead.

import { emptyBatch, type Origin, type RowBatch, rowBatch } from '../rows/row-batch';
import type { RowSink } from './formats/read-rows';
import { BadValue, ImportError } from './import-error';
import { BATCHES_AHEAD, type ImportLimits } from './limits';
import type { LateRejection, MaterialLoader } from './loader';
import type { RejectedRow } from './rejected-rows';

interface FlowOptions {
  readonly onError: 'stop' | 'skip';
  onRejected(row: RejectedRow): void | Promise<void>;
  readonly limits: ImportLimits;
}

export type Flow = ReturnType<typeof fillBatches>;

interface Writing {
  readonly batch: RowBatch;
  readonly written: Promise<readonly LateRejection[]>;
}

/** The maximum number of rejected rows in memory. It is low, because a rejected row may be as long as a line. */
const REJECTED_AT_ONCE = 16;

/** Connects a reader of files to the loader of a material. */
export function fillBatches(loader: MaterialLoader, options: FlowOptions) {
  const { batchRows, batchCharacters, rejectedRows } = options.limits;
  const free: RowBatch[] = [];
  let filling = rowBatch(loader.checker.shape);
  /** Oldest first. */
  let writing: readonly Writing[] = [];
  let header: readonly string[] | undefined;
  let waiting: RejectedRow[] = [];
  let read = 0;
  let rejected = 0;
  // If a rejected row stops the import, only its line is reported.
  const remembersOrigins = options.onError === 'skip';
  const skipped = new Map<string, number>();

  const reject = (line: number, fault: BadValue, origin: Origin): void => {
    const { column, value, message } = fault;
    if (options.onError === 'stop') throw atLine(line, fault);
    if (rejected === rejectedRows) throw tooManyRejected(rejectedRows);
    rejected += 1;
    waiting.push({
      line,
      column: column ?? null,
      value: value ?? null,
      reason: message,
      ...shownRow(origin, header),
    });
  };

  const rejectLate = ({ lines, origins }: RowBatch, rejections: readonly LateRejection[]): void => {
    for (const { row, fault } of rejections.toSorted((a, b) => a.row - b.row)) {
      const line = lines[row] ?? 0;
      if (options.onError === 'stop') throw atLine(line, fault);
      const origin = origins[row];
      if (origin === undefined) throw new Error(`The origin of row ${row} is not known.`);
      reject(line, fault, origin);
    }
  };

  const last = (): Promise<readonly LateRejection[]> => writing.at(-1)?.written ?? Promise.resolve([]);

  const passOnRejected = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    for (const row of rows) await options.onRejected(row);
  };

  const isFull = (): boolean => filling.end === batchRows || filling.characters >= batchCharacters;

  /** Waits until at most this many batches are being written. */
  const waitFor = async (max: number): Promise<void> => {
    for (const { batch, written } of writing.slice(0, Math.max(0, writing.length - max))) {
      rejectLate(batch, await written);
      writing = writing.slice(1);
      emptyBatch(batch);
      free.push(batch);
      await passOnRejected();
    }
  };

  const handOver = async (): Promise<void> => {
    const batch = filling;
    const written = last().then(() => loader.write(batch));
    // `waitFor` throws the error of a failed write; until then, the rejection must not count as unhandled.
    written.catch(() => undefined);
    writing = [...writing, { batch, written }];
    await waitFor(BATCHES_AHEAD);
    filling = free.pop() ?? rowBatch(loader.checker.shape);
  };

  const rememberOrigin = (origin: Origin): void => {
    filling.origins[filling.end - 1] = origin;
    filling.characters += charactersOf(origin);
  };

  const sink: RowSink = {
    header(names, line, shown = names) {
      header = shown;
      try {
        loader.checker.header(names);
      } catch (error) {
        if (error instanceof BadValue) throw atLine(line, error);
        throw error;
      }
    },
    row(row, line, origin) {
      read += 1;
      try {
        loader.checker.add(row, filling, line);
        if (remembersOrigins) rememberOrigin(origin);
      } catch (error) {
        if (!(error instanceof BadValue)) throw error;
        reject(line, error, origin);
      }
    },
    wrong(fault, line, origin) {
      read += 1;
      reject(line, fault, origin);
    },
    broken(text, line, reason) {
      read += 1;
      reject(line, new BadValue(undefined, undefined, reason), { text, isJson: false });
    },
    skip(reason) {
      read += 1;
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    },
    full: () => isFull() || waiting.length >= REJECTED_AT_ONCE,
    async drain() {
      await passOnRejected();
      if (isFull()) await handOver();
    },
  };

  return {
    sink,
    /** Writes the rest of a file; another file may follow. */
    async finish(): Promise<void> {
      await passOnRejected();
      await handOver();
      await waitFor(0);
      header = undefined;
    },
    /** Waits until nothing is being written. Throws if writing fails. */
    written: (): Promise<unknown> => last(),
    /** The number of rows so far, by outcome. */
    counts: () => ({ read, rejected, skipped: Object.fromEntries(skipped) }),
  };
}

/** A row as reports show it: an object if its cells match the header, and unchanged if it is JSON. */
function shownRow(origin: Origin, header: readonly string[] | undefined): Pick<RejectedRow, 'row' | 'json'> {
  if ('text' in origin) return origin.isJson ? { json: origin.text } : { row: origin.text };
  const { row } = origin;
  if (!Array.isArray(row) || row.length !== header?.length) return { row };
  return { row: Object.fromEntries(header.map((name, place) => [name, row[place]])) };
}

/** The characters that a row's origin keeps in memory. */
export function charactersOf(origin: Origin): number {
  if ('text' in origin) return origin.text.length;
  let length = 0;
  for (const value of Object.values(origin.row ?? {})) length += typeof value === 'string' ? value.length : 1;
  return length;
}

const tooManyRejected = (max: number): ImportError =>
  new ImportError(`More than ${max} rows are invalid (QAL_IMPORT_REJECTED_MAX); first correct those listed`);

const atLine = (line: number, fault: BadValue): ImportError =>
  new ImportError(fault.message, { line, column: fault.column, value: fault.value }, fault);

// Owns the flow between reading and writing: one batch is filled while the one before is being written.
// Rows of the reader in -> full batches handed to the loader. The reader waits when both batches are taken.

import type { RowSink } from './formats/read-rows';
import { BadValue, ImportError } from './import-error';
import type { ImportLimits } from './limits';
import type { LateRefusal, MaterialLoader } from './loader';
import { emptyBatch, rowBatch } from './row-batch';
import type { RawRow } from './row-checker';

/** A row that was not imported, as it stands in the file of rejected rows. */
export interface RejectedRow {
  readonly line: number;
  readonly column: string | null;
  readonly value: unknown;
  readonly reason: string;
  /** The row as an object, the cells where they do not fit the header, or the text of a line that holds no row. */
  readonly row: unknown;
  /** The row as it stands in the file, where that is JSON. */
  readonly json?: string;
}

export interface FlowOptions {
  readonly onError: 'stop' | 'skip';
  onRejected(row: RejectedRow): void | Promise<void>;
  onBytes(count: number): void;
  readonly limits: ImportLimits;
}

export interface Flow {
  readonly sink: RowSink;
  /** Writes what is left. */
  finish(): Promise<void>;
  /** Waits until nothing is being written, whether that went well or not. */
  settle(): Promise<void>;
  read(): number;
  rejected(): number;
}

/** Where a row of a batch came from. Of a row of NDJSON only the text is kept, which takes a fraction of the memory. */
type Origin = { readonly line: number } & ({ readonly row: RawRow } | { readonly json: string });

/** Few, for a rejected row may be as long as a line may be. */
const REJECTED_AT_ONCE = 16;

/** Connects a reader of files with the loader of a material. */
export function fillBatches(loader: MaterialLoader, options: FlowOptions): Flow {
  const { batchRows, batchCharacters } = options.limits;
  let filling = rowBatch(loader.shape);
  let writing = rowBatch(loader.shape);
  let written: Promise<readonly LateRefusal[]> = Promise.resolve([]);
  // By the place of the row in its batch; kept only for loaders that may refuse a row late.
  let fillingFrom: Origin[] = [];
  let writingFrom: Origin[] = [];
  let header: readonly string[] | undefined;
  let waiting: RejectedRow[] = [];
  let read = 0;
  let rejected = 0;

  const reject = (line: number, fault: BadValue, row: RawRow | string, json?: string): void => {
    if (options.onError === 'stop') throw atLine(line, fault);
    rejected += 1;
    waiting.push({
      line,
      column: fault.column ?? null,
      value: fault.value ?? null,
      reason: fault.message,
      row:
        Array.isArray(row) && row.length === header?.length
          ? Object.fromEntries(header.map((name, i) => [name, row[i]]))
          : row,
      ...(json === undefined ? {} : { json }),
    });
  };

  const isFull = (): boolean =>
    filling.end - filling.first === batchRows || filling.characters >= batchCharacters;

  const refuse = (refusals: readonly LateRefusal[]): void => {
    for (const { row, fault } of refusals) {
      const from = writingFrom[row - writing.first];
      if (from === undefined) throw new Error(`nobody knows where row ${row} came from`);
      if ('json' in from) reject(from.line, fault, JSON.parse(from.json), from.json);
      else reject(from.line, fault, from.row);
    }
  };

  const handOver = async (last: boolean): Promise<void> => {
    refuse(await written);
    await passOnRejected();
    [fillingFrom, writingFrom] = [[], fillingFrom];
    [filling, writing] = [writing, filling];
    emptyBatch(filling);
    written = loader.write(writing, last);
    // The failure is met at the next `await written`; until then it is not unhandled.
    written.catch(() => undefined);
  };

  const keepOrigin = (from: Origin): void => {
    fillingFrom.push(from);
    filling.characters += 'json' in from ? from.json.length : charactersOf(from.row);
  };

  const passOnRejected = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    for (const row of rows) await options.onRejected(row);
  };

  return {
    sink: {
      header(names, line) {
        header = names;
        try {
          loader.checker.header(names);
        } catch (error) {
          if (error instanceof BadValue) throw atLine(line, error);
          throw error;
        }
      },
      row(row, line, text) {
        read += 1;
        try {
          loader.checker.add(row, filling);
          if (loader.refusesLate) keepOrigin(text === undefined ? { line, row } : { line, json: text });
        } catch (error) {
          if (!(error instanceof BadValue)) throw error;
          reject(line, error, row, text);
        }
      },
      broken(text, line, reason) {
        read += 1;
        reject(line, new BadValue(undefined, undefined, reason), text);
      },
      full: () => isFull() || waiting.length >= REJECTED_AT_ONCE,
      async drain() {
        await passOnRejected();
        if (isFull()) await handOver(false);
      },
      bytes: options.onBytes,
    },
    async finish() {
      await passOnRejected();
      await handOver(true);
      refuse(await written);
      await passOnRejected();
    },
    async settle() {
      await Promise.allSettled([written]);
    },
    read: () => read,
    rejected: () => rejected,
  };
}

function charactersOf(row: RawRow): number {
  let length = 0;
  for (const value of Object.values(row)) length += typeof value === 'string' ? value.length : 1;
  return length;
}

function atLine(line: number, fault: BadValue): ImportError {
  return new ImportError(fault.message, {
    line,
    ...(fault.column === undefined ? {} : { column: fault.column }),
    ...(fault.value === undefined ? {} : { value: fault.value }),
  });
}

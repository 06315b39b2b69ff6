// Connects reading and writing: batches are filled while earlier ones are written, one after the other. The reader waits when it
// gets too far ahead. Rows are rejected in the order of the file, once all rows before them are written.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { emptyBatch, type Origin, type RowBatch, rowBatch } from '../rows/row-batch';
import type { RowSink } from './formats/read-rows';
import { BadValue, ImportError } from './import-error';
import { BATCHES_AHEAD, type ImportLimits } from './limits';
import type { LateRejection, MaterialLoader } from './loader';
import type { RejectedRow } from './rejected-rows';

interface FlowOptions {
  readonly onError: 'stop' | 'skip';
  onRejected(row: RejectedRow): void | Promise<void>;
  /** Throws if the import was stopped. */
  refuseStopped(): void;
  readonly limits: ImportLimits;
}

export type Flow = ReturnType<typeof fillBatches>;

/** A row that cannot be imported. */
interface WrongRow {
  readonly line: number;
  readonly fault: BadValue;
  readonly origin: Origin;
}

/** Rows of a file in a batch, and those between them that were found to be invalid when they were read. */
interface Filled {
  readonly batch: RowBatch;
  readonly wrong: WrongRow[];
}

interface Writing extends Filled {
  readonly written: Promise<readonly LateRejection[]>;
}

/** Connects a reader of files to the loader of a material. */
export function fillBatches(loader: MaterialLoader, options: FlowOptions) {
  const { batchRows, batchCharacters, rejectedRows } = options.limits;
  // If a rejected row stops the import, only its line is reported.
  const isStrict = options.onError === 'stop';
  const maxRejected = isStrict ? 0 : rejectedRows;
  const free: RowBatch[] = [];
  /** Oldest first. */
  let writing: readonly Writing[] = [];
  let header: readonly string[] | undefined;
  let read = 0;
  let wrong = 0;
  let rejected = 0;
  let isAbandoned = false;
  const skipped = new Map<string, number>();

  const nextBatch = (): Filled => ({ batch: free.pop() ?? rowBatch(loader.checker.extrasPerRow), wrong: [] });
  let filling = nextBatch();

  const noteWrong = (line: number, fault: BadValue, origin: Origin): void => {
    wrong += 1;
    filling.wrong.push({ line, fault, origin });
    filling.batch.characters += charactersOf(origin);
  };

  const reject = async ({ line, fault, origin }: WrongRow): Promise<void> => {
    if (isStrict) throw atLine(line, fault, fault);
    if (rejected === maxRejected) throw tooManyRejected(maxRejected);
    rejected += 1;
    const { column = null, value = null, message: reason } = fault;
    await options.onRejected({ line, column, value, reason, ...shownRow(origin, header) });
  };

  /** The writing of all batches so far, one after the other. */
  let working: Promise<unknown> = Promise.resolve();
  /** The writing of a batch, which never rejects. */
  let staging: Promise<void> | undefined;
  /** The number of batches that are ready to be written. */
  let waiting = 0;

  /** Whether a row that was read will end the import. */
  const isOver = (): boolean => wrong > maxRejected;
  /** The database waits while this process prepares a batch. If another batch is ready, reading can continue later. */
  const mustPause = (): boolean => staging !== undefined && waiting > 0;
  const isFull = (): boolean =>
    isOver() ||
    filling.batch.end + filling.wrong.length >= batchRows ||
    filling.batch.characters >= batchCharacters;

  /** Waits until at most this many batches are being written. */
  const waitFor = async (max: number): Promise<void> => {
    for (const { batch, wrong: early, written } of writing.slice(0, Math.max(0, writing.length - max))) {
      const late = (await written).map(({ row, fault }) => wrongIn(batch, row, fault));
      for (const one of [...early, ...late].sort((a, b) => a.line - b.line)) await reject(one);
      writing = writing.slice(1);
      emptyBatch(batch);
      free.push(batch);
    }
  };

  const write = async (batch: RowBatch): Promise<readonly LateRejection[]> => {
    waiting -= 1;
    if (isAbandoned) return [];
    options.refuseStopped();
    const written = loader.write(batch);
    const end = () => {
      staging = undefined;
    };
    staging = written.then(end, end);
    return written;
  };

  const handOver = async (): Promise<void> => {
    const { batch } = filling;
    waiting += 1;
    const written = working.then(() => write(batch));
    working = written.then(() => (isAbandoned ? undefined : loader.apply?.()));
    // `waitFor` throws the error of a failed write; until then, the rejection must not be treated as unhandled.
    working.catch(() => undefined);
    writing = [...writing, { ...filling, written }];
    await waitFor(isOver() ? 0 : BATCHES_AHEAD);
    filling = nextBatch();
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
      const { batch } = filling;
      try {
        loader.checker.add(row, batch, line);
      } catch (error) {
        if (!(error instanceof BadValue)) throw error;
        return noteWrong(line, error, origin);
      }
      if (isStrict) return;
      batch.origins[batch.end - 1] = origin;
      batch.characters += charactersOf(origin);
    },
    wrong(fault, line, origin) {
      read += 1;
      noteWrong(line, fault, origin);
    },
    broken(text, line, reason) {
      read += 1;
      noteWrong(line, new BadValue(undefined, undefined, reason), { text, isJson: false });
    },
    skip(reason) {
      read += 1;
      skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    },
    full: () => isFull() || mustPause(),
    async drain() {
      if (isFull()) await handOver();
      else {
        await staging;
        // If no piece is full, the next batch follows.
        await nextTurn();
      }
    },
  };

  return {
    sink,
    /** Writes the rest of a file; another file may follow. */
    async finish(): Promise<void> {
      await handOver();
      await waitFor(0);
      await working;
      header = undefined;
    },
    /** Waits until nothing is being written. Throws if writing fails. */
    written: (): Promise<unknown> => working,
    /** Waits for the batch that is being written. Those after it are not written. */
    async abandon(): Promise<void> {
      isAbandoned = true;
      await Promise.allSettled([working]);
    },
    /** The number of rows so far, by outcome. */
    counts: () => ({ read, rejected, skipped: Object.fromEntries(skipped) }),
  };
}

/** A row of a batch. Its origin is known unless a rejected row stops the import. */
const wrongIn = ({ lines, origins }: RowBatch, row: number, fault: BadValue): WrongRow => ({
  line: lines[row] ?? 0,
  fault,
  origin: origins[row] ?? { row: null },
});

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

/** The cause is an invalid row, which the import can skip. */
const atLine = (line: number, { message, column, value }: BadValue, cause?: BadValue): ImportError =>
  new ImportError(message, { line, column, value }, cause);

// The loop that reads files in every layout. Readers yield wherever they may pause; the loop pauses when a batch is full or its
// turn of the event loop is over, so that other requests are answered and disconnected clients are noticed.
import type { Origin, RawRow } from '../../rows/row-batch';
import type { Turns } from '../event-loop-turns';
import type { BadValue } from '../import-error';

/** Work that may pause after each step. */
export type Steps = Iterable<void>;
export const NO_STEPS: Steps = [];

/** Splits text into records, and keeps an open record between two pieces. */
export interface TextReader {
  take(text: string): Steps;
  /** Call it after the last chunk. */
  end(): Steps;
}

/** Receives the text of a record and the line on which it begins. */
export type TakeRecord = (text: string, line: number) => Steps;

export interface RecordSink {
  row(row: RawRow, line: number, origin: Origin): void;
  /** A row with a value that cannot be used. */
  wrong(fault: BadValue, line: number, origin: Origin): void;
  /** A line that contains no row. */
  broken(text: string, line: number, reason: string): void;
  /** A record that must not be imported. */
  skip(reason: string): void;
  /** Whether `drain` must be called before the next row. */
  full(): boolean;
  drain(): Promise<void>;
}

export async function readText(
  pieces: AsyncIterable<Buffer>,
  reader: TextReader,
  sink: Pick<RecordSink, 'full' | 'drain'>,
  turns: Turns,
): Promise<void> {
  const run = async (steps: Steps): Promise<void> => {
    for (const _ of steps) {
      if (sink.full()) await sink.drain();
      if (turns.isOver()) await turns.next();
    }
    if (turns.isOver()) await turns.next();
  };
  for await (const piece of pieces) await run(reader.take(piece.toString('utf8')));
  await run(reader.end());
}

// Reads a stream as UTF-8, and cuts it into lines for formats with one row per line.
import { isUtf8 } from 'node:buffer';
import { type BadValue, ImportError } from '../import-error';
import type { Origin, RawRow } from '../raw-row';

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const REPLACEMENT = '\uFFFD';

/**
 * Pieces of the stream, each of whole characters, without the byte order mark. Throws an ImportError that names the first
 * byte that is not UTF-8.
 */
export async function* readUtf8(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let passed = 0;
  for await (const bytes of input) {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const whole = all.subarray(0, wholeCharacters(all));
    rest = all.subarray(whole.length);
    if (!isUtf8(whole)) throw notUtf8(passed + firstWrongByte(whole));
    const isMarked = passed === 0 && whole.subarray(0, 3).equals(BYTE_ORDER_MARK);
    passed += whole.length;
    if (whole.length > 0) yield isMarked ? whole.subarray(3) : whole;
  }
  if (rest.length > 0) throw notUtf8(passed);
}

/** How many bytes there are before a character that is not complete yet. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** A wrong byte is decoded as U+FFFD; if the file itself holds that character, it is three right bytes. */
function firstWrongByte(bytes: Buffer): number {
  const text = bytes.toString('utf8');
  let place = 0;
  let from = 0;
  for (let at = text.indexOf(REPLACEMENT); at >= 0; at = text.indexOf(REPLACEMENT, from)) {
    place += Buffer.byteLength(text.slice(from, at));
    if (!bytes.subarray(place, place + 3).equals(Buffer.from(REPLACEMENT))) break;
    place += 3;
    from = at + 1;
  }
  return place;
}

const notUtf8 = (place: number): ImportError =>
  new ImportError(
    `The file is not UTF-8: byte ${place + 1} begins no character. Convert it first, for example with: iconv -f ISO-8859-1 -t UTF-8 FILE`,
  );

export interface LineSink {
  row(row: RawRow, line: number, origin: Origin): void;
  /** A row with a value that cannot be used. */
  wrong(fault: BadValue, line: number, origin: Origin): void;
  /** A line that holds no row. */
  broken(text: string, line: number, reason: string): void;
  /** A record that shall not become a row. */
  skip(reason: string): void;
  /** Whether `drain` must be called before the next row. */
  full(): boolean;
  drain(): Promise<void>;
}

export const LONGEST_LINE = 1_000_000;
/** A visit with all its actions may be one element of a document. */
export const LONGEST_ELEMENT = 16_000_000;
/** Characters that are reported of a longer line. */
const REPORTED_OF_LINE = 1000;

/** Calls `take` for every line, and rejects a line that is too long before it fills the memory. */
export async function readLines(
  pieces: AsyncIterable<Buffer>,
  sink: LineSink,
  take: (text: string, line: number) => void,
): Promise<void> {
  let rest = '';
  let line = 1;
  let isRejected = false;
  const takeLine = (text: string): void => {
    if (text.length <= LONGEST_LINE) {
      take(text, line);
      return;
    }
    const reason = `the line is longer than ${LONGEST_LINE} characters; this format has one row on a line`;
    sink.broken(text.slice(0, REPORTED_OF_LINE), line, reason);
  };
  for await (const piece of pieces) {
    const text = rest + piece.toString('utf8');
    let from = 0;
    for (let to = text.indexOf('\n', from); to >= 0; to = text.indexOf('\n', from)) {
      if (!isRejected) takeLine(text.slice(from, to));
      isRejected = false;
      line += 1;
      from = to + 1;
      if (sink.full()) await sink.drain();
    }
    rest = isRejected ? '' : text.slice(from);
    if (rest.length <= LONGEST_LINE) continue;
    // Rejected at once, because its end may be far; the rest of it is skipped.
    takeLine(rest);
    isRejected = true;
    rest = '';
  }
  if (rest !== '') takeLine(rest);
}

// Reads a stream as UTF-8, and splits it into lines for formats with one row per line.
import { isUtf8 } from 'node:buffer';
import { copyOf } from '../bounded-maps';
import { ImportError } from '../import-error';
import type { RecordSink, TakeRecord, TextReader } from './read-text';

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');
const REPLACEMENT = '\uFFFD';

/**
 * Pieces of the stream, each consisting of complete characters, without the byte order mark or zeros at the beginning.
 * `onInvalid` receives an error that names the first invalid byte of a piece. If it does not throw, decoding replaces such
 * bytes.
 */
export async function* readUtf8(
  input: AsyncIterable<Buffer>,
  onInvalid: (fault: ImportError) => void,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let passed = 0;
  // A log that is truncated while a server writes to it continues at the old position, after a hole of zeros.
  let isHole = true;
  for await (const bytes of input) {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const whole = all.subarray(0, wholeCharacters(all));
    rest = all.subarray(whole.length);
    if (!isUtf8(whole)) onInvalid(notUtf8(passed + firstWrongByte(whole)));
    const isMarked = passed === 0 && whole.subarray(0, 3).equals(BYTE_ORDER_MARK);
    passed += whole.length;
    const text = isMarked ? whole.subarray(3) : whole;
    const begin: number = isHole ? text.findIndex((byte) => byte !== 0) : 0;
    isHole &&= begin < 0;
    if (begin >= 0 && text.length > 0) yield text.subarray(begin);
  }
  if (rest.length === 0) return;
  onInvalid(notUtf8(passed));
  yield rest;
}

/** The number of bytes before a character that is not complete yet. */
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

/** An invalid byte is decoded as U+FFFD; if the file itself contains that character, it is three valid bytes. */
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
    `The file is not UTF-8: byte ${place + 1} does not begin a character. Convert it first, for example with: iconv -f ISO-8859-1 -t UTF-8 FILE`,
  );

/** How many characters of a line that is too long are reported. */
const REPORTED_OF_LINE = 1000;

function withoutHole(text: string): string {
  let from = 0;
  while (text.charCodeAt(from) === 0) from += 1;
  return text.slice(from);
}

/** Reads formats with one row per line, and rejects a line that is longer than `longest` before it is complete. */
export function lineReader(sink: Pick<RecordSink, 'broken'>, take: TakeRecord, longest: number): TextReader {
  /** The beginning of an incomplete line. */
  let open = '';
  const tooLong = `the line is longer than ${longest} characters; this format has one row per line`;
  let line = 1;
  let isRejected = false;
  /** A line is rejected at the limit, because its end may be far away; the rest of it is skipped. */
  const add = (part: string): void => {
    if (isRejected) return;
    open += open === '' ? withoutHole(part) : part;
    if (open.length <= longest) return;
    sink.broken(open.slice(0, REPORTED_OF_LINE), line, tooLong);
    open = '';
    isRejected = true;
  };
  return {
    *take(text) {
      let from = 0;
      for (let to = text.indexOf('\n', from); to >= 0; to = text.indexOf('\n', from)) {
        add(text.slice(from, to));
        // Without a copy, a row that stays in memory would retain the whole chunk, including the lines that are skipped.
        const whole = copyOf(open);
        open = '';
        if (!isRejected) yield* take(whole, line);
        isRejected = false;
        line += 1;
        from = to + 1;
        yield;
      }
      add(text.slice(from));
    },
    *end() {
      if (!isRejected && open !== '') yield* take(open, line);
    },
  };
}

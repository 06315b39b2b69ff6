// Owns the cut of a file into lines, for formats with one row on a line.
// Pieces in -> lines with their number, as far as the sink has room. A line without end is refused before it fills memory.

export interface LineSink {
  row(row: Readonly<Record<string, unknown>>, line: number, text?: string): void;
  broken(text: string, line: number, reason: string): void;
  full(): boolean;
  drain(): Promise<void>;
}

export const LONGEST_LINE = 1_000_000;
/** What is kept of a line that is longer. */
const KEPT_OF_LINE = 1000;

/** Hands every line over. */
export async function readLines(
  pieces: AsyncIterable<Buffer>,
  sink: LineSink,
  take: (text: string, line: number) => void,
): Promise<void> {
  let rest = '';
  let line = 1;
  let refused = false;
  const takeLine = (text: string): void => {
    if (text.length <= LONGEST_LINE) {
      take(text, line);
      return;
    }
    const reason = `the line is longer than ${LONGEST_LINE} characters; this format has one row on a line`;
    sink.broken(text.slice(0, KEPT_OF_LINE), line, reason);
  };
  for await (const piece of pieces) {
    const text = rest + piece.toString('utf8');
    let from = 0;
    for (let to = text.indexOf('\n', from); to >= 0; to = text.indexOf('\n', from)) {
      if (!refused) takeLine(text.slice(from, to));
      refused = false;
      line += 1;
      from = to + 1;
      if (sink.full()) await sink.drain();
    }
    rest = refused ? '' : text.slice(from);
    if (rest.length <= LONGEST_LINE) continue;
    // Refused at once, for its end may be far; the rest of it is passed over.
    takeLine(rest);
    refused = true;
    rest = '';
  }
  if (rest !== '') takeLine(rest);
}

// Owns the reading of files: line by line, or CSV record by record, with the line where each row began.
// Stream in -> rows handed to the sink, which stops the flow when it is full. A broken row is told apart from a broken file.
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { jsonLoss } from '../exact-json';
import { ImportError } from '../import-error';
import type { RawRow } from '../row-checker';
import { qaTsvLines } from './qa-tsv';
import { LONGEST_LINE, readLines, readUtf8 } from './read-lines';

export const FORMATS = ['ndjson', 'csv', 'qa-tsv'] as const;
export type Format = (typeof FORMATS)[number];

export interface RowSink {
  header(names: readonly string[], line: number): void;
  /** `text` is the line of the row, where the format has one row on a line. */
  row(row: RawRow, line: number, text?: string): void;
  /** A line that holds no row at all. */
  broken(text: string, line: number, reason: string): void;
  /** Whether the sink wants `drain` to be called before the next row. */
  full(): boolean;
  drain(): Promise<void>;
  /** Bytes of the file that were read. */
  bytes(count: number): void;
}

/** Reads a whole file into the sink. */
export async function readRows(input: Readable, format: Format, sink: RowSink): Promise<void> {
  const pieces = readUtf8(input, sink.bytes);
  switch (format) {
    case 'ndjson':
      return readLines(pieces, sink, takeJson(sink));
    case 'csv':
      return readCsv(pieces, sink);
    case 'qa-tsv':
      return readLines(pieces, sink, qaTsvLines(sink));
  }
}

/** One JSON object on a line. */
function takeJson(sink: RowSink): (text: string, line: number) => void {
  return (text, line) => {
    const row = parseJson(text);
    if (isObject(row)) {
      const loss = jsonLoss(text, row, 'inside');
      if (loss === undefined) sink.row(row, line, text);
      else sink.broken(text, line, loss);
    } else if (text.trim() === '') return;
    else if (row instanceof SyntaxError) sink.broken(text, line, `is not JSON (${row.message})`);
    else sink.broken(text, line, 'is no JSON object; NDJSON has one object on a line');
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SyntaxError)
  );
}

async function readCsv(pieces: AsyncIterable<Buffer>, sink: RowSink): Promise<void> {
  // Relaxed, so that a stray quote ends with its row: strict parsing would swallow the rows behind it.
  const parser = parse({
    raw: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_LINE,
  });
  const input = Readable.from(pieces, { objectMode: false });
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  let headerRead = false;
  let next = 1;
  try {
    for await (const item of parser) {
      const cells: readonly string[] = item.record;
      const read: string = item.raw;
      const raw = read.replace(EMPTY_LINES, '');
      const line = next + lineBreaksIn(read) - lineBreaksIn(raw);
      next = line + lineBreaksIn(raw);
      const blank = cells.length === 1 && cells[0]?.trim() === '';
      if (raw.includes('"') && !WELL_QUOTED.test(raw)) {
        if (!headerRead) throw new ImportError(`is not CSV: the header ${QUOTE_RULE}`, { line });
        sink.broken(raw.trimEnd(), line, QUOTE_RULE);
      } else if (headerRead && !blank) sink.row(cells, line);
      else if (!blank) {
        sink.header(cells, line);
        headerRead = true;
      }
      if (sink.full()) await sink.drain();
    }
  } catch (error) {
    if (error instanceof CsvError) throw new ImportError(`is not CSV: ${error.message}`, csvPlace(error));
    throw error;
  } finally {
    input.destroy();
  }
}

/** Lines that the parser passed over stand before the text of the row that follows. */
const EMPTY_LINES = /^[\r\n]+/;
const WELL_QUOTED = /^(?:[^",]*|"[^"]*(?:""[^"]*)*")(?:,(?:[^",]*|"[^"]*(?:""[^"]*)*"))*[\r\n]*$/;
const QUOTE_RULE = 'holds a stray quote; write "5"" wide" for 5" wide';

/** The parser keeps one character of a line break of two where it ends a row. */
function lineBreaksIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) count += 1;
  }
  return count;
}

function csvPlace(error: CsvError): { line?: number } {
  return typeof error.lines === 'number' ? { line: error.lines } : {};
}

// Reads the rows of a file in one of the formats: JSON lines, CSV, or the export of a migrating user.
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { jsonLoss } from '../exact-json';
import { ImportError } from '../import-error';
import type { RawRow } from '../row-checker';
import { qaTsvLines } from './qa-tsv';
import { type LineSink, LONGEST_LINE, readLines, readUtf8 } from './read-lines';

export const FORMATS = ['ndjson', 'csv', 'qa-tsv'] as const;
export type Format = (typeof FORMATS)[number];

export interface RowSink extends LineSink {
  header(names: readonly string[], line: number): void;
  row(row: RawRow, line: number, text?: string): void;
  /** A row that the format leaves out. */
  skip(reason: string): void;
  /** Bytes of the file that were read since the last call. */
  bytes(count: number): void;
}

/** Reads a whole file into the sink. Throws an ImportError if the file, and not only a row, cannot be read. */
export async function readRows(input: Readable, format: Format, sink: RowSink): Promise<void> {
  const pieces = readUtf8(input, sink.bytes);
  switch (format) {
    case 'ndjson':
      return readLines(pieces, sink, jsonLines(sink));
    case 'csv':
      return readCsv(pieces, sink);
    case 'qa-tsv':
      return readLines(pieces, sink, qaTsvLines(sink));
  }
}

/** One JSON object per line. */
function jsonLines(sink: RowSink): (text: string, line: number) => void {
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

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SyntaxError);

/** A record of CSV may span lines; it is reported at the line where it begins. */
async function readCsv(pieces: AsyncIterable<Buffer>, sink: RowSink): Promise<void> {
  // Relaxed, so that a stray quote spoils its own row only: strict parsing would swallow the rows behind it.
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
      const isBlank = cells.length === 1 && cells[0]?.trim() === '';
      if (raw.includes('"') && !WELL_QUOTED.test(raw)) {
        if (!headerRead) throw new ImportError(`is not CSV: the header ${QUOTE_RULE}`, { line });
        sink.broken(raw.trimEnd(), line, QUOTE_RULE);
      } else if (headerRead && !isBlank) sink.row(cells, line);
      else if (!isBlank) {
        sink.header(cells, line);
        headerRead = true;
      }
      if (sink.full()) await sink.drain();
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const place = typeof error.lines === 'number' ? { line: error.lines } : {};
    throw new ImportError(`is not CSV: ${error.message}`, place);
  } finally {
    input.destroy();
  }
}

/** The parser puts the lines that it skipped before the text of the next record. */
const EMPTY_LINES = /^[\r\n]+/;
const WELL_QUOTED = /^(?:[^",]*|"[^"]*(?:""[^"]*)*")(?:,(?:[^",]*|"[^"]*(?:""[^"]*)*"))*[\r\n]*$/;
const QUOTE_RULE = 'holds a stray quote; write "5"" wide" for 5" wide';

/** The parser cuts a CRLF in two at the end of a record, so a CR without LF counts. */
function lineBreaksIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10)) count += 1;
  }
  return count;
}

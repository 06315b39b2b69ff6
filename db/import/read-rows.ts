// Owns the reading of files: NDJSON line by line, CSV record by record, with the line where each row began.
// Stream in -> rows handed to the sink, which stops the flow when it is full. A broken row is told apart from a broken file.
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { CsvError, parse } from 'csv-parse';
import { ImportError } from './import-error';
import type { RawRow } from './row-checker';

export const FORMATS = ['ndjson', 'csv'] as const;
export type Format = (typeof FORMATS)[number];

export interface RowSink {
  header(names: readonly string[], line: number): void;
  row(row: RawRow, line: number): void;
  /** A line that holds no row at all. */
  broken(text: string, line: number, reason: string): void;
  /** Whether the sink wants `drain` to be called before the next row. */
  full(): boolean;
  drain(): Promise<void>;
  /** Bytes of the file that were read. */
  bytes(count: number): void;
}

const LONGEST_LINE = 1_000_000;

/** Reads a whole file into the sink. */
export async function readRows(input: Readable, format: Format, sink: RowSink): Promise<void> {
  if (format === 'ndjson') await readNdjson(input, sink);
  else await readCsv(input, sink);
}

async function readNdjson(input: Readable, sink: RowSink): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let line = 0;
  const take = async (text: string): Promise<void> => {
    let from = 0;
    for (let to = text.indexOf('\n', from); to >= 0; to = text.indexOf('\n', from)) {
      line += 1;
      takeLine(text.slice(from, to), line, sink);
      from = to + 1;
      if (sink.full()) await sink.drain();
    }
    rest = text.slice(from);
    if (rest.length > LONGEST_LINE) {
      throw new ImportError(
        `the line is longer than ${LONGEST_LINE} characters; NDJSON has one row on a line`,
        {
          line: line + 1,
        },
      );
    }
  };
  for await (const chunk of input) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    sink.bytes(bytes.length);
    await take(rest + decoder.write(bytes));
  }
  await take(rest + decoder.end());
  if (rest !== '') takeLine(rest, line + 1, sink);
}

function takeLine(text: string, line: number, sink: RowSink): void {
  const bare = line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (bare === '' || bare === '\r') return;
  const row = parseJson(bare);
  if (row instanceof SyntaxError) sink.broken(bare, line, `is not JSON (${row.message})`);
  else if (isObject(row)) sink.row(row, line);
  else if (bare.trim() !== '') sink.broken(bare, line, 'is no JSON object; NDJSON has one object on a line');
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
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function readCsv(input: Readable, sink: RowSink): Promise<void> {
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_LINE,
  });
  input.on('data', (chunk: Buffer | string) => sink.bytes(Buffer.byteLength(chunk)));
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  let headerRead = false;
  try {
    for await (const { record, info } of parser) {
      // `info.lines` is the line where the record ended.
      if (headerRead) sink.row(record, info.lines);
      else sink.header(record, info.lines);
      headerRead = true;
      if (sink.full()) await sink.drain();
    }
  } catch (error) {
    if (error instanceof CsvError) throw new ImportError(`is not CSV: ${error.message}`, csvPlace(error));
    throw error;
  } finally {
    input.unpipe(parser);
  }
}

function csvPlace(error: CsvError): { line?: number } {
  return typeof error.lines === 'number' ? { line: error.lines } : {};
}

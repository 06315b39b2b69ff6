// Reads the records of an opened file, whatever its format, into the sink as rows of one material.
import { cellCompleter, objectCompleter } from '../derive/complete-rows';
import type { DeriveContext } from '../derive/derive-views';
import { jsonLoss } from '../exact-json';
import { BadValue, ImportError } from '../import-error';
import type { Origin } from '../raw-row';
import { csvRecords } from './csv-records';
import { readJsonElements } from './json-elements';
import { logField, logPattern, type ReadLogLine } from './log-pattern';
import { type FindField, headerFields, type MapperOptions, recordMapper, ruleOf } from './map-records';
import type { OpenedSource } from './open-source';
import { type LineSink, readLines } from './read-lines';
import { jsonField } from './record-fields';
import { w3cLog } from './w3c-log';

export interface RowSink extends LineSink {
  /** The names of the cells of rows; those of the file, if they are others, are `shown` for rejected rows. */
  header(names: readonly string[], line: number, shown?: readonly string[]): void;
}

export interface ReadOptions extends Omit<MapperOptions, 'site'> {
  readonly derive: DeriveContext;
}

/** Reads a whole file into the sink. Throws an ImportError if the file, and not only a row, cannot be read. */
export async function readRows(
  { format, pieces }: OpenedSource,
  options: ReadOptions,
  sink: RowSink,
): Promise<void> {
  switch (format.layout) {
    case 'csv': {
      const records = csvRecords(format, sink, csvRows(options, sink));
      await readLines(pieces, sink, records.take);
      return records.end();
    }
    case 'ndjson':
      return readLines(
        pieces,
        sink,
        format.own_columns !== undefined ? ownObjects(options, sink) : mappedObjects(options, sink),
      );
    case 'json':
      return readJsonElements(pieces, format.records, sink, mappedObjects(options, sink));
    case 'log':
      return readLines(pieces, sink, logRows(options, sink, patternReader(format)));
    case 'w3c':
      return readLines(pieces, sink, logRows(options, sink, w3cLog()));
  }
}

type TakeLine = (text: string, line: number) => void;

/** Takes records of which our rows are made by the format. */
function mappedRecords(
  options: ReadOptions,
  sink: RowSink,
  fieldOf: FindField,
  line: number,
  shown?: readonly string[],
) {
  const { material, derive } = options;
  const mapper = recordMapper({ ...options, site: derive.site }, fieldOf);
  const { traffic } = ruleOf(options);
  const { names, complete } = cellCompleter(material, mapper.names, traffic, derive);
  sink.header(names, line, shown);
  return (record: unknown, at: number, origin: Origin): void => {
    try {
      const rows = mapper.map(record);
      if (typeof rows === 'string') sink.skip(rows);
      else for (const row of rows) sink.row(complete(row), at, origin);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      sink.wrong(error, at, origin);
    }
  };
}

/** Cells of our own columns, or of another tool's. */
function csvRows(options: ReadOptions, sink: RowSink): (cells: readonly string[], line: number) => void {
  const { format, material, derive, renamed, constants } = options;
  let take: ((cells: readonly string[], line: number) => void) | undefined;
  let width = 0;
  const open = (header: readonly string[], line: number): typeof take => {
    width = header.length;
    const exact = format.exact_header ? format.recognised?.header : undefined;
    if (exact !== undefined && exact.join() !== header.join())
      throw new ImportError(`must be the header ${exact.join(' ')}`, { line });
    if (format.own_columns === undefined) {
      const mapped = mappedRecords(options, sink, headerFields(header, line, renamed), line, header);
      return (cells, at) => mapped(cells, at, { row: cells });
    }
    headerFields(header, line, renamed);
    const names = [...header.map((name) => renamed.get(name) ?? name), ...constants.keys()];
    const values = [...constants.values()];
    const { names: all, complete } =
      format.own_columns === 'exact'
        ? { names, complete: (cells: readonly unknown[]) => cells }
        : cellCompleter(material, names, 'visit', derive);
    sink.header(all, line, header);
    return (cells, at) => {
      const origin = { row: cells };
      try {
        sink.row(complete(values.length === 0 ? cells : [...cells, ...values]), at, origin);
      } catch (error) {
        if (!(error instanceof BadValue)) throw error;
        sink.wrong(error, at, origin);
      }
    };
  };
  return (cells, line) => {
    if (take === undefined) {
      take = open(cells, line);
      return;
    }
    if (cells.length === width) return take(cells, line);
    const reason = `has ${cells.length} cells where the header has ${width}`;
    sink.wrong(new BadValue(undefined, undefined, reason), line, { row: cells });
  };
}

/** One JSON object per line, with our columns as keys. */
function ownObjects({ format, material, derive, renamed, constants }: ReadOptions, sink: RowSink): TakeLine {
  const complete = format.own_columns === 'exact' ? () => undefined : objectCompleter(material, derive);
  const added = Object.fromEntries(constants);
  return jsonObjects(sink, (row, text, line) => {
    const loss = jsonLoss(text, row, 'inside');
    if (loss !== undefined) {
      sink.broken(text, line, loss);
      return;
    }
    const origin = { text, isJson: true };
    const named =
      renamed.size === 0
        ? row
        : Object.fromEntries(Object.entries(row).map(([key, value]) => [renamed.get(key) ?? key, value]));
    Object.assign(named, added);
    try {
      complete(named);
      sink.row(named, line, origin);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      sink.wrong(error, line, origin);
    }
  });
}

/** One JSON object per line, or per element of a document, as another tool writes it. */
function mappedObjects(options: ReadOptions, sink: RowSink): TakeLine {
  const take = mappedRecords(options, sink, jsonField, 1);
  return jsonObjects(sink, (record, text, line) => take(record, line, { text, isJson: true }));
}

type JsonObject = Record<string, unknown>;

function jsonObjects(sink: RowSink, take: (row: JsonObject, text: string, line: number) => void): TakeLine {
  return (text, line) => {
    // Before it is parsed: to build the error takes a hundred times as long.
    if (text.trim() === '') return;
    const row = parseJson(text);
    if (isObject(row)) take(row, text, line);
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

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof SyntaxError);

function patternReader({ name, pattern = '' }: ReadOptions['format']): ReadLogLine {
  const { read } = logPattern(pattern);
  return (text) => read(text) ?? `does not fit the format ${name}: ${pattern}`;
}

function logRows(options: ReadOptions, sink: RowSink, read: ReadLogLine): TakeLine {
  const take = mappedRecords(options, sink, logField, 1);
  return (ended, line) => {
    const text = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
    if (text === '') return;
    const fields = read(text, line);
    if (fields === undefined) return;
    if (typeof fields === 'string') sink.broken(text, line, fields);
    else take(fields, line, { text, isJson: false });
  };
}

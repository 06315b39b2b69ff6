// Reads the records of an opened file in any format into the sink as rows of one material.

import { countOf } from '../../../../host-shim/extension-api';
import type { ReadableFormat } from '../../../../manifests/reader/formats';
import { RAW_VIEW_COLUMNS } from '../../../../manifests/reader/import-columns';
import { linearRegex } from '../../../../manifests/reader/linear-regex';
import type { Origin } from '../../rows/row-batch';
import { type DeriveContext, type OpenRow, rowCompleter } from '../derive/derive-views';
import type { Turns } from '../event-loop-turns';
import { jsonLoss, parseKeepingDigits } from '../exact-json';
import { BadValue, ImportError } from '../import-error';
import { MAX_LINE_LENGTH, MAX_LOG_LINE_LENGTH } from '../limits';
import { LEFT_OUT, renameKeys } from '../read-pairs';
import { csvRecords } from './csv-records';
import { elementReader } from './json-elements';
import { jsonObjects } from './json-objects';
import { FIELDS, logField } from './log-fields';
import { logPattern, type ReadLogLine } from './log-pattern';
import { headerFields, type MapperOptions, recordMapper } from './map-records';
import type { OpenedSource } from './open-source';
import { lineReader } from './read-lines';
import {
  NO_STEPS,
  type RecordSink,
  readText,
  type Steps,
  type TakeRecord,
  type TextReader,
} from './read-text';
import { type FindField, jsonField } from './record-fields';
import { w3cLog } from './w3c-log';

export interface RowSink extends RecordSink {
  /** The names of the cells in rows. `shown`: the file's names if they differ, for rejected rows. */
  header(names: readonly string[], line: number, shown?: readonly string[]): void;
}

export interface ReadOptions extends Omit<MapperOptions, 'site'> {
  readonly derive: DeriveContext;
}

/** Reads a whole file into the sink. Throws an ImportError if the file, not just a row, cannot be read. */
export const readRows = (
  { format, pieces }: OpenedSource,
  options: ReadOptions,
  sink: RowSink,
  turns: Turns,
): Promise<void> => readText(pieces, textReader(format, options, sink), sink, turns);

function textReader(format: ReadableFormat, options: ReadOptions, sink: RowSink): TextReader {
  switch (format.layout) {
    case 'csv':
      return csvReader(format, options, sink);
    case 'ndjson':
      return lineReader(
        sink,
        format.own_columns !== undefined ? ownObjects(options, sink) : mappedObjects(options, sink),
        MAX_LINE_LENGTH,
      );
    case 'json':
      return elementReader(format, mappedObjects(options, sink));
    case 'log':
      return lineReader(sink, patternRows(format, options, sink), MAX_LOG_LINE_LENGTH);
    case 'w3c':
      return lineReader(sink, logRows(options, sink, w3cLog(), logField(FIELDS)), MAX_LOG_LINE_LENGTH);
  }
}

function csvReader(format: ReadableFormat, options: ReadOptions, sink: RowSink): TextReader {
  const records = csvRecords(format, sink, csvRows(options, sink));
  const lines = lineReader(records, records.take, MAX_LINE_LENGTH);
  return {
    take: lines.take,
    *end() {
      yield* lines.end();
      records.end();
    },
  };
}

/** Accepts a row while reading; `read` throws a BadValue if the row cannot be read. */
type TakeRow = (line: number, origin: Origin, read: () => OpenRow) => void;

/** Completes rows and passes them on. */
function completeRows({ format, material, derive }: ReadOptions, sink: RowSink): TakeRow {
  const { traffic = 'visit' } = format.materials[material] ?? {};
  const complete = format.own_columns === 'exact' ? undefined : rowCompleter(material, traffic, derive);
  return (line, origin, read) => {
    let row: OpenRow;
    try {
      row = read();
      complete?.(row);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      return sink.wrong(error, line, origin);
    }
    sink.row(row, line, origin);
  };
}

const RAW: readonly string[] = RAW_VIEW_COLUMNS;

/** Passes on the columns that complete rows have; `shown` are those in the file. */
function passHeader(
  { format, material }: ReadOptions,
  sink: RowSink,
  names: readonly string[],
  line: number,
  shown?: readonly string[],
): void {
  const isCompleted = material === 'allpv' && format.own_columns !== 'exact';
  const isLeft = (name: string) => name === LEFT_OUT || (isCompleted && RAW.includes(name));
  sink.header(
    names.filter((name) => !isLeft(name)),
    line,
    shown,
  );
}

/** Accepts records from which the format creates our rows. */
function mappedRecords(
  options: ReadOptions,
  sink: RowSink,
  fieldOf: FindField,
  line: number,
  shown?: readonly string[],
) {
  const mapper = recordMapper({ ...options, site: options.derive.site }, fieldOf);
  const take = completeRows(options, sink);
  passHeader(options, sink, mapper.names, line, shown);
  return function* (record: unknown, at: number, origin: Origin): Steps {
    const sources = mapper.sourcesOf(record);
    if (typeof sources === 'string') return sink.skip(sources);
    for (const source of sources) {
      take(at, origin, () => mapper.row(source));
      yield;
    }
  };
}

type TakeCells = (cells: readonly string[], line: number) => Steps;

/** Cells with our columns, or another tool's. */
function csvRows(options: ReadOptions, sink: RowSink): TakeCells {
  const { format, renamed, constants } = options;
  let take: TakeCells | undefined;
  let width = 0;
  const open = (header: readonly string[], line: number): TakeCells => {
    width = header.length;
    const exact = format.exact_header ? format.recognised?.header : undefined;
    if (exact !== undefined && exact.join() !== header.join())
      throw new ImportError(`must be the header ${exact.join(' ')}`, { line });
    const fieldOf = headerFields(header, line, renamed, format.isOwn);
    if (format.own_columns === undefined) {
      const mapped = mappedRecords(options, sink, fieldOf, line, header);
      return (cells, at) => mapped(cells, at, { row: cells });
    }
    options.unseen.clear();
    const names = [...header.map((name) => renamed.get(name) ?? name), ...constants.keys()];
    const takeRow = completeRows(options, sink);
    passHeader(options, sink, names, line, header);
    return (cells, at) => {
      takeRow(at, { row: cells }, () => {
        const values = [...cells, ...constants.values()];
        const row: OpenRow = {};
        for (let place = 0; place < names.length; place += 1)
          if (values[place] !== '' && names[place] !== LEFT_OUT) row[names[place] ?? ''] = values[place];
        return row;
      });
      return NO_STEPS;
    };
  };
  return (cells, line) => {
    if (take === undefined) {
      take = open(cells, line);
      return NO_STEPS;
    }
    if (cells.length === width) return take(cells, line);
    const reason = `has ${countOf(cells.length, 'cell')}, but the header has ${width}`;
    sink.wrong(new BadValue(undefined, undefined, reason), line, { row: cells });
    return NO_STEPS;
  };
}

/** One JSON object per line, with our columns as keys. */
function ownObjects(options: ReadOptions, sink: RowSink): TakeRecord {
  const { renamed, unseen, constants } = options;
  const take = completeRows(options, sink);
  const added = Object.fromEntries(constants);
  return jsonObjects(sink, (row, text, line) => {
    const loss = jsonLoss(text, row, 'inside');
    if (loss !== undefined) {
      sink.broken(text, line, loss);
      return NO_STEPS;
    }
    if (unseen.size > 0) for (const key of Object.keys(row)) unseen.delete(key);
    take(line, { text, isJson: true }, () => Object.assign(renameKeys(row, renamed), added));
    return NO_STEPS;
  });
}

/** One JSON object per line, or per element of a document, as another tool writes it. */
function mappedObjects(options: ReadOptions, sink: RowSink): TakeRecord {
  const take = mappedRecords(options, sink, jsonField, 1);
  const pass = (record: unknown, text: string, line: number) => take(record, line, { text, isJson: true });
  return jsonObjects(sink, pass, parseKeepingDigits);
}

function patternRows(
  { name, pattern = '', skip_lines }: ReadableFormat,
  options: ReadOptions,
  sink: RowSink,
): TakeRecord {
  const { read, fieldOf } = logPattern(pattern);
  const misfit = name.endsWith(pattern)
    ? `does not match the pattern ${pattern}`
    : `does not match the format ${name}: ${pattern}`;
  const others = skip_lines.map(({ matches, because }) => ({ regex: linearRegex(matches), because }));
  const readLine = (text: string) => {
    const fields = read(text);
    if (fields !== undefined) return fields;
    const other = others.find(({ regex }) => regex.test(text));
    if (other === undefined) return misfit;
    sink.skip(other.because);
    return undefined;
  };
  return logRows(options, sink, readLine, fieldOf);
}

function logRows(options: ReadOptions, sink: RowSink, read: ReadLogLine, fieldOf: FindField): TakeRecord {
  const take = mappedRecords(options, sink, fieldOf, 1);
  return (ended, line) => {
    const text = ended.endsWith('\r') ? ended.slice(0, -1) : ended;
    if (text === '') return NO_STEPS;
    const fields = read(text, line);
    if (fields === undefined) return NO_STEPS;
    if (typeof fields !== 'string') return take(fields, line, { text, isJson: false });
    sink.broken(text, line, fields);
    return NO_STEPS;
  };
}

// Detects the format of a file from its beginning and its name.
import { basename } from 'node:path';
import type { ReadableFormat, SourceFormat } from '../../../../manifests/reader/formats';
import { linearRegex } from '../../../../manifests/reader/linear-regex';
import { ImportError } from '../import-error';
import { csvCells } from './csv-records';
import { logPattern } from './log-pattern';

export type Formats = ReadonlyMap<string, SourceFormat>;

interface FileStart {
  /** Name of the file; undefined for standard input. */
  readonly name: string | undefined;
  /** The beginning of its text: at least the first line, unless that is very long. */
  readonly text: string;
  /** As the user specified it; only CSV has one. */
  readonly delimiter?: string | undefined;
}

/** The format with this name. If there is none, throws an ImportError that lists all formats. */
export function findFormat(formats: Formats, name: string): ReadableFormat {
  const found = formats.get(name);
  if (found !== undefined) return readable(found);
  throw new ImportError(
    `${name} is not a format; the formats are ${readableNames(formats).join(', ')}, and log: followed by a pattern`,
  );
}

/** Refuses text with carriage returns instead of line feeds, and a JSON document that does not have one record per line. */
function refuseUnlined(text: string): void {
  if (!text.includes('\n') && text.includes('\r'))
    throw new ImportError(
      `The lines of the file end with only a carriage return. Convert it first, for example with: tr '\\r' '\\n' < FILE`,
    );
  const isList = /^\[\s*\{/.test(text);
  if (!isList && !/^\{\s*\n/.test(text)) return;
  throw new ImportError(
    `The file is one JSON document. Write one object per line first, for example with: jq -c '${isList ? '.[]' : '.'}' FILE`,
  );
}

const readableNames = (formats: Formats): readonly string[] =>
  [...formats.values()].filter((format) => !('refuse' in format)).map(({ name }) => name);

/** Refuses a recognized file that cannot be imported. */
export function readable(format: SourceFormat): ReadableFormat {
  if ('refuse' in format) throw new ImportError(`This is ${format.about}. ${format.refuse}`);
  return format;
}

/** The format that matches best: the one with the most requirements. Throws an ImportError if the file cannot be imported. */
export function recogniseFormat(formats: Formats, start: FileStart): ReadableFormat {
  const fitting = [...formats.values()]
    .map((format) => ({ format, fit: fitOf(format, start) }))
    .filter(({ fit }) => fit > 0);
  const [best] = fitting.sort((a, b) => b.fit - a.fit);
  const isDocument = best !== undefined && ('refuse' in best.format || best.format.layout === 'json');
  if (!isDocument) refuseUnlined(start.text.trim());
  if (best !== undefined) return readable(best.format);
  if (start.delimiter !== undefined) return findFormat(formats, 'csv');
  const text = start.text.trimStart();
  if (text === '' || text.startsWith('{')) return findFormat(formats, 'ndjson');
  const cells = headerCells(firstLine(text), ',');
  // If a cell continues on the next line, no cell is complete yet.
  if (cells !== undefined && (cells.length === 0 || cells.every(isName))) return findFormat(formats, 'csv');
  throw new ImportError(
    `The format of the file is not recognized; specify it: ${readableNames(formats).join(', ')}, or log: followed by the pattern of your log's lines, such as log:$remote_addr [$time_local] "$request" $status`,
  );
}

/** The number of complete lines at the beginning of a file that are examined. */
const LINES_OF_LOG = 3;

const NAME = /^\s*[\p{L}_][\p{L}\p{N}_.:()[\]#%/-]*(?: [\p{L}\p{N}_.:()[\]#%/-]+){0,3}\s*$/u;

/** Whether a cell may be a column name. In a header with several cells, any may be empty. */
const isName = (cell: string, _place: number, { length }: readonly string[]): boolean =>
  cell.trim() === '' ? length > 1 : NAME.test(cell) && (length > 1 || !cell.trim().includes(' '));

const firstLine = (text: string): string => text.split(/\r?\n/, 1)[0] ?? '';

/** How many requirements of a format are met; 0 if any requirement is not met. */
function fitOf(format: SourceFormat, { name, text }: FileStart): number {
  const line = firstLine(text.trimStart());
  if (!('refuse' in format) && format.layout === 'log' && format.pattern !== undefined) {
    const pattern = logPattern(format.pattern);
    // The first line of a log may be cut off at its beginning.
    const lines = text.split(/\r?\n/, LINES_OF_LOG);
    const others = format.skip_lines.map(({ matches }) => linearRegex(matches));
    const fits = (one: string) => pattern.read(one) !== undefined || others.some((other) => other.test(one));
    return lines.some(fits) ? pattern.fieldCount : 0;
  }
  const { file, header, keys, line: lineForm } = format.recognised ?? {};
  if (file !== undefined && (name === undefined || !linearRegex(file, 'i').test(basename(name)))) return 0;
  if (lineForm !== undefined && !linearRegex(lineForm).test(line)) return 0;
  if (header !== undefined) {
    const cells = headerCells(line, 'refuse' in format ? ',' : format.delimiter);
    if (!header.every((one) => cells?.includes(one))) return 0;
  }
  if (keys !== undefined) {
    const regexes = keys.map(keyRegex);
    const isOnLines = !('refuse' in format) && format.layout === 'ndjson';
    const parts = isOnLines ? text.split('\n') : [text];
    if (!parts.some((part) => regexes.every((regex) => regex.test(part))))
      return isWithoutRecords(format, text) ? 1 : 0;
  }
  return (
    (header?.length ?? 0) +
    (keys?.length ?? 0) +
    (lineForm === undefined ? 0 : 1) +
    (file === undefined ? 0 : 0.5) +
    ('refuse' in format ? 0.25 : 0)
  );
}

const keyRegex = (key: string): RegExp => new RegExp(`"(?:${key})"\\s*:`);

const isWithoutRecords = (format: SourceFormat, text: string): boolean =>
  !('refuse' in format) &&
  format.without_records !== undefined &&
  keyRegex(format.without_records).test(text);

/** The cells of a header; undefined if the line is not CSV. */
function headerCells(line: string, delimiter: string): readonly string[] | undefined {
  try {
    return csvCells(line, delimiter, 1)[0] ?? [];
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return undefined;
  }
}

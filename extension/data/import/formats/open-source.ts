// Opens a file: decompresses it, and detects its format from its beginning.
import type { Readable } from 'node:stream';
import { type ReadableFormat, type SourceFormat, withPattern } from '../../../../manifests/reader/formats';
import { linearRegex } from '../../../../manifests/reader/linear-regex';
import { ImportError } from '../import-error';
import type { ImportLimits } from '../limits';
import { readInput } from './read-input';
import { readUtf8 } from './read-lines';
import { type Formats, findFormat, readable, recogniseFormat } from './recognise-format';

export interface OpenedSource {
  readonly format: ReadableFormat;
  /** The text of the file from its beginning, in pieces that each end with a complete character. */
  readonly pieces: AsyncIterable<Buffer>;
}

export interface SourceOptions {
  readonly input: Readable;
  /** Bytes of the file that have been read since the last call. */
  onBytes(count: number): void;
  readonly limits?: Pick<ImportLimits, 'unpackedBytes'>;
  readonly formats: Formats;
  /** The name of a format, `log:` with a pattern, or the user's own format; detected if omitted. */
  readonly format?: string | SourceFormat | undefined;
  readonly delimiter?: string | undefined;
  readonly fileName?: string | undefined;
}

const START_BYTES = 65_536;

/** Opens a file. Throws an ImportError if the file cannot be imported. */
export async function openSource(options: SourceOptions): Promise<OpenedSource> {
  const { formats, fileName, delimiter } = options;
  const named = options.format === undefined ? undefined : namedFormat(formats, options.format);
  const refuseArchive = (entry: string): void => {
    for (const format of formats.values()) {
      const file = 'refuse' in format ? format.recognised?.file : undefined;
      if (file !== undefined && linearRegex(file, 'i').test(entry)) readable(format);
    }
  };
  const most = options.limits?.unpackedBytes ?? Number.POSITIVE_INFINITY;
  // The file itself has the same limit, because any amount of compressed empty data decompresses to nothing.
  const packed = withinBytes(counted(options.input, options.onBytes), most);
  const read: { format?: ReadableFormat; fault?: ImportError } = named === undefined ? {} : { format: named };
  /** Throws the first fault, unless the format is unknown so far. */
  const check = (): void => {
    if (read.fault !== undefined && read.format !== undefined && !isRequestLog(read.format)) throw read.fault;
  };
  const pieces = readUtf8(withinBytes(readInput(packed, refuseArchive), most), (fault) => {
    read.fault ??= fault;
    check();
  });
  if (named !== undefined) return { format: delimited(named, delimiter), pieces };
  const { start, text } = await readStart(pieces);
  try {
    read.format = recogniseFormat(formats, { name: fileName, text, delimiter });
  } catch (error) {
    throw read.fault ?? error;
  }
  check();
  return { format: delimited(read.format, delimiter), pieces: followedBy(start, pieces) };
}

/** Whether the lines contain what clients sent: anyone can send bytes that are not UTF-8, which must not stop an import. */
const isRequestLog = ({ layout, materials }: ReadableFormat): boolean =>
  layout !== 'csv' &&
  layout !== 'json' &&
  Object.values(materials).some(({ columns }) => columns.user_agent !== undefined);

const LOG = 'log:';

function namedFormat(formats: Formats, format: string | SourceFormat): ReadableFormat {
  if (typeof format !== 'string') return readable(format);
  if (!format.startsWith(LOG)) return findFormat(formats, format);
  return withPattern(findFormat(formats, 'combined'), format.slice(LOG.length));
}

function delimited(format: ReadableFormat, delimiter: string | undefined): ReadableFormat {
  if (delimiter === undefined) return format;
  if (format.layout !== 'csv') throw new ImportError(`A file in the format ${format.name} has no delimiter`);
  if (delimiter.length !== 1 || delimiter === '"')
    throw new ImportError('The delimiter must be one character, such as ;');
  return { ...format, delimiter };
}

async function* counted(input: Readable, onBytes: SourceOptions['onBytes']): AsyncGenerator<Buffer> {
  for await (const chunk of input) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    onBytes(bytes.length);
    yield bytes;
  }
}

/** Passes on a file's bytes. Throws an ImportError if there are more than `most`. */
export async function* withinBytes(
  pieces: AsyncIterable<Buffer>,
  most: number,
  advice = ' after decompression; import it in parts',
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > most)
      throw new ImportError(
        `The file is larger than ${Math.floor(most / 2 ** 20)} MB (QAL_IMPORT_MB)${advice}`,
      );
    yield piece;
  }
}

/** Reads until the first line is complete. */
async function readStart(pieces: AsyncGenerator<Buffer>): Promise<{ start: Buffer[]; text: string }> {
  const start: Buffer[] = [];
  let text = '';
  while (!text.trimStart().includes('\n') && text.length < START_BYTES) {
    const { value, done } = await pieces.next();
    if (done === true) break;
    start.push(value);
    text += value.toString('utf8');
  }
  return { start, text };
}

async function* followedBy(start: readonly Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  yield* start;
  yield* rest;
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { z } from 'zod';
import { codeOf } from '../embedded/errors';
import { parsedJson } from '../parsed-json';
import {
  BackupError,
  type BackupHeader,
  type BackupTable,
  END_OF_ROWS,
  endSchema,
  FORMAT,
  formatSchema,
  headerSchema,
  tableSchema,
} from './backup-format';

export type BackupPart =
  | { readonly kind: 'header'; readonly header: BackupHeader }
  | { readonly kind: 'table'; readonly table: BackupTable }
  /** A chunk of the current table's rows. Chunks may end at any byte. */
  | { readonly kind: 'rows'; readonly bytes: Buffer }
  | { readonly kind: 'tableEnd'; readonly rows: number }
  /** The file is complete, and its checksum is correct. */
  | { readonly kind: 'end' };

export interface VerifiedBackup {
  readonly header: BackupHeader;
  readonly tables: readonly (BackupTable & { readonly rows: number })[];
}

/** Throws a BackupError if the file is not a backup, is damaged, or is incomplete. */
export async function verifyBackup(file: string, signal: AbortSignal): Promise<VerifiedBackup> {
  let header: BackupHeader | undefined;
  const tables: (BackupTable & { rows: number })[] = [];
  for await (const part of readBackup(file, signal)) {
    if (part.kind === 'header') header = part.header;
    if (part.kind === 'table') tables.push({ ...part.table, rows: 0 });
    const table = tables.at(-1);
    if (part.kind === 'tableEnd' && table !== undefined) table.rows = part.rows;
  }
  if (header === undefined) throw new BackupError(`${file} is not a backup: it is empty.`);
  return { header, tables };
}

interface Place {
  state: 'header' | 'table' | 'rows' | 'end';
  isFirstRow: boolean;
  rows: number;
}

/**
 * The maximum length of a line of JSON. Most lines are a few kilobytes long, but a header with ten answers for each of 500
 * sites can reach 1.3 MB.
 */
const MAX_LINE_BYTES = 2 ** 21;
const MAX_TABLES = 10_000;
const END = Buffer.from(`${END_OF_ROWS}\n`);
const END_LINE = Buffer.from(`\n${END_OF_ROWS}\n`);
const LINE_END = 0x0a;

/** Yields the parts in order, ending with `end`. Throws a BackupError if the file is damaged or is not a backup. */
export async function* readBackup(file: string, signal: AbortSignal): AsyncGenerator<BackupPart> {
  const damaged = (what: string) => new BackupError(`${file} is damaged: ${what}. Use another backup.`);
  const hash = createHash('sha256');
  const seen = new Set<string>();
  let schemas: readonly string[] = [];
  let rest: Buffer = Buffer.alloc(0);
  const at: Place = { state: 'header', isFirstRow: true, rows: 0 };

  const parsed = <Shape extends z.ZodType>(schema: Shape, line: Buffer): z.infer<Shape> => {
    const read = schema.safeParse(parsedJson(line.toString('utf8')));
    if (read.success) return read.data;
    if (at.state !== 'header') throw damaged('it contains an unexpected line');
    throw new BackupError(`${file} was not written by this program.`);
  };

  function* takeLine(line: Buffer): Generator<BackupPart> {
    if (at.state === 'header') {
      const { format, program } = parsed(formatSchema, line);
      if (format > FORMAT)
        throw new BackupError(
          `${file} was written by qal ${program}, in a newer format that this program cannot read. Use that version.`,
        );
      const header = parsed(headerSchema, line);
      schemas = Object.keys(header.migrations);
      at.state = 'table';
      yield { kind: 'header', header };
    } else {
      const either = parsed(tableSchema.or(endSchema), line);
      if ('table' in either) {
        const name = `${either.schema}.${either.table}`;
        if (!schemas.includes(either.schema) || seen.has(name) || seen.size === MAX_TABLES)
          throw damaged(`it contains unexpected rows for ${name}`);
        seen.add(name);
        at.state = 'rows';
        at.isFirstRow = true;
        at.rows = 0;
        yield { kind: 'table', table: either };
      } else {
        if (either.sha256 !== hash.digest('hex')) throw damaged('its content does not match its checksum');
        at.state = 'end';
        yield { kind: 'end' };
        return;
      }
    }
    hash.update(line);
  }

  function* takeRows(length: number): Generator<BackupPart> {
    const bytes = rest.subarray(0, length);
    rest = rest.subarray(length);
    if (length === 0) return;
    hash.update(bytes);
    at.rows += linesIn(bytes);
    at.isFirstRow = false;
    yield { kind: 'rows', bytes };
  }

  for await (const piece of unzipped(file, signal)) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (;;) {
      if (at.state === 'end' && rest.length > 0) throw damaged('it continues after its end');
      if (at.state === 'rows') {
        if (at.isFirstRow && rest.length < END.length) break;
        const isEmpty = at.isFirstRow && rest.subarray(0, END.length).equals(END);
        const place = isEmpty ? -1 : rest.indexOf(END_LINE);
        if (place < 0 && !isEmpty) {
          // Keeps the last few bytes, because the end marker may start there.
          yield* takeRows(Math.max(0, rest.length - END.length));
          break;
        }
        yield* takeRows(place + 1);
        hash.update(END);
        rest = rest.subarray(END.length);
        at.state = 'table';
        yield { kind: 'tableEnd', rows: at.rows };
        continue;
      }
      const lineEnd = rest.indexOf(LINE_END);
      if (lineEnd < 0) {
        if (rest.length > MAX_LINE_BYTES) throw new BackupError(`${file} was not written by this program.`);
        break;
      }
      yield* takeLine(rest.subarray(0, lineEnd + 1));
      rest = rest.subarray(lineEnd + 1);
    }
  }
  if (at.state === 'header') throw new BackupError(`${file} was not written by this program.`);
  if (at.state !== 'end') throw damaged('its end is missing');
}

async function* unzipped(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const source = createReadStream(file);
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  // A failure also makes the iteration below throw.
  pipeline(source, gunzip, { signal }).catch(() => {});
  try {
    yield* gunzip;
  } catch (error) {
    throw signal.aborted ? new BackupError('Stopped.') : readError(file, error);
  }
}

function readError(file: string, error: unknown): unknown {
  const code = codeOf(error) ?? '';
  if (code === 'ENOENT') return new BackupError(`There is no file ${file}.`);
  if (code === 'EACCES') return new BackupError(`${file} cannot be read by this account.`);
  if (code === 'EISDIR') return new BackupError(`${file} is a folder, not a file.`);
  if (code === 'Z_BUF_ERROR')
    return new BackupError(`${file} is damaged: its end is missing. Use another backup.`);
  if (code === 'Z_DATA_ERROR' && String(error).includes('header check'))
    return new BackupError(`${file} was not written by this program.`);
  if (code.startsWith('Z_')) return new BackupError(`${file} is damaged (${code}). Use another backup.`);
  return error;
}

export function linesIn(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) count += 1;
  return count;
}

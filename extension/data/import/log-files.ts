// A log on disk and the files that its rotation has left next to it, plain or gzipped. A file is recognized by its
// content, not by its name: names change with each rotation, and a copy has a different inode.
import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { codeOf } from '../../../host-shim/extension-api';
import { ImportError } from './import-error';

export interface LogFile {
  readonly path: string;
  /** Its inode, which may be reused, and its creation time, if the file system records it. */
  readonly inode: string;
  /** Bytes on disk. */
  readonly size: number;
  /** When it was last written, in nanoseconds. */
  readonly writtenAt: bigint;
  readonly isCompressed: boolean;
  /** Whether its name comes from a rotation. */
  readonly isRotated: boolean;
}

/** The content of a file up to a position: hashes of its first bytes and of the bytes just before the position. */
export interface Mark {
  readonly head: string;
  readonly tail: string;
  readonly position: number;
}

/** Enough bytes to distinguish one log from another: every log line carries a timestamp. */
const MARK_BYTES = 1024;

/** The file with this name; undefined if there is none, or if it is something else, such as a folder. */
export async function logFileAt(path: string, isRotated = false): Promise<LogFile | undefined> {
  const found = await stat(path, { bigint: true }).catch(ignoreIf(isGone));
  if (found === undefined || !found.isFile()) return undefined;
  const { ino, birthtimeNs, size, mtimeNs } = found;
  const isCompressed = path.endsWith('.gz');
  const inode = `${ino} ${birthtimeNs}`;
  return { path, inode, size: Number(size), writtenAt: mtimeNs, isCompressed, isRotated };
}

/** The file was truncated, moved or replaced while it was being read. Nothing from it is stored; the next scan starts over. */
export class FileChanged extends ImportError {
  override readonly name = 'FileChanged';
}

/** Whether a file is missing, which includes circular links: rotations may move files at any time. */
const isGone = (error: unknown): boolean => /^(ENOENT|ENOTDIR|ELOOP)$/.test(codeOf(error) ?? '');

export const isForbidden = (error: unknown): boolean => /^(EACCES|EPERM)$/.test(codeOf(error) ?? '');

/** Returns an error handler that ignores expected errors and rethrows all others. */
const ignoreIf =
  (isExpected: (error: unknown) => boolean) =>
  (error: unknown): undefined => {
    if (!isExpected(error)) throw error;
  };

/** zlib could not decompress a file. */
const isDamaged = (error: unknown): boolean => codeOf(error)?.startsWith('Z_') === true;

/**
 * The files next to a log with the same prefix, oldest first. If a file is being compressed, only the original is included.
 */
export async function filesBeside(path: string): Promise<readonly LogFile[]> {
  const own = basename(path);
  const all = (await readdir(dirname(path)).catch(ignoreIf(isGone))) ?? [];
  const names = all.filter((name) => name !== own && name.startsWith(stemOf(own)) && !OTHERS.test(name));
  const whole = names.filter((name) => !name.endsWith('.gz') || !names.includes(name.slice(0, -3)));
  const files = await Promise.all(
    whole.map(async (name) => {
      const isRotated = generationOf(own, name) !== undefined;
      return logFileAt(join(dirname(path), name), isRotated).catch((error: unknown) => {
        // Other files may be links to places that this account may not access.
        if (isRotated || !isForbidden(error)) throw error;
      });
    }),
  );
  return files.filter((file) => file !== undefined).sort((a, b) => (isNewer(own, a, b) ? 1 : -1));
}

const stemOf = (name: string): string => name.slice(0, name.length - extname(name).length);

/** Files that this program writes, and files in formats that it cannot read. */
const OTHERS = /\.rejected\.|\.(?:xz|bz2|zst|lz4|Z|swp|tmp|part)$/;

/** At the end of a name: `.1`, `-20260302`, `.old`. */
const AT_END = /^[._-](\d[\d._T:-]*|old)$/;

/** Before the extension: `.1`, `-20260302`, `_2026-03-02T09`; `-2` is another server's log. */
const BEFORE_EXTENSION = /^(?:\.(\d+)|[._-]((?:\d{6}|\d{4}[._-]\d\d(?!\d))[\d._T:-]*))$/;

/** The part that rotation adds to a name. */
function generationOf(own: string, name: string): string | undefined {
  const plain = name.replace(/\.gz$/, '');
  const ending = extname(own);
  const middle = plain.endsWith(ending) ? plain.slice(stemOf(own).length, plain.length - ending.length) : '';
  const suffix = plain.startsWith(own) ? plain.slice(own.length) : '';
  const [, number, date] = BEFORE_EXTENSION.exec(middle) ?? [];
  return AT_END.exec(suffix)?.[1] ?? number ?? date;
}

const SHORTEST_DATE = 6;

/** Whether the first of two files was rotated later, by number or date, or else by modification time. */
function isNewer(own: string, one: LogFile, other: LogFile): boolean {
  const [first = '', second = ''] = [one, other].map(({ path }) =>
    (generationOf(own, basename(path)) ?? '').replace(/\D/g, ''),
  );
  const isDate = first.length >= SHORTEST_DATE;
  if (first && second && first !== second && isDate === second.length >= SHORTEST_DATE)
    return isDate ? first > second : Number(first) < Number(second);
  return one.writtenAt === other.writtenAt ? one.path > other.path : one.writtenAt > other.writtenAt;
}

/**
 * The decompressed bytes of a file between two positions, or to its end. The file is opened when the bytes are read; reading
 * throws a FileChanged if the file no longer exists.
 */
export const bytesOf = (file: LogFile, from: number, to?: number): Readable =>
  Readable.from(chunksOf(file, from, to));

async function* chunksOf({ path, isCompressed }: LogFile, from: number, to?: number): AsyncGenerator<Buffer> {
  try {
    yield* isCompressed
      ? part(unpacked(path), from, to)
      : createReadStream(path, { start: from, ...(to !== undefined && { end: to - 1 }) });
  } catch (error) {
    if (isGone(error)) throw new FileChanged(`${path} no longer exists`);
    throw error;
  }
}

function unpacked(path: string): Readable {
  const plain = createGunzip();
  pipeline(createReadStream(path), plain, () => undefined);
  return plain;
}

async function* part(stream: Readable, from: number, to = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of stream) {
    const bytes: Buffer = chunk;
    const wanted = bytes.subarray(Math.max(0, from - at), Math.max(0, to - at));
    if (wanted.length > 0) yield wanted;
    at += bytes.length;
    if (at >= to) return;
  }
}

async function readBytes(file: LogFile, from: number, to: number): Promise<Buffer> {
  if (to <= from) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of bytesOf(file, from, to)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const BACK_BYTES = 65_536;

/** The end of the last complete line in this part of a file, or undefined if there is none yet. */
export async function endOfLines(file: LogFile, from: number, to: number): Promise<number | undefined> {
  for (let end = to; end > from; end -= BACK_BYTES) {
    const start = Math.max(from, end - BACK_BYTES);
    const last = (await readBytes(file, start, end)).lastIndexOf('\n');
    if (last >= 0) return start + last + 1;
  }
  return undefined;
}

/** The end of the first line in this part of a file, or undefined if it is beyond that part. */
export async function endOfLine(file: LogFile, from: number, to: number): Promise<number | undefined> {
  let at = from;
  for await (const chunk of part(bytesOf(file, from, to), 0)) {
    const found = chunk.indexOf('\n');
    if (found >= 0) return at + found + 1;
    at += chunk.length;
  }
  return undefined;
}

/** The end of a file's text, or undefined if it is compressed and damaged. */
export async function endOf(file: LogFile): Promise<number | undefined> {
  if (!file.isCompressed) return file.size;
  const measure = async (): Promise<number> => {
    let length = 0;
    for await (const chunk of bytesOf(file, 0)) length += chunk.length;
    return length;
  };
  return measure().catch(ignoreIf(isDamaged));
}

/** The bytes between two positions, fewer if the file is shorter, none if it is damaged. */
const soundBytes = async (file: LogFile, from: number, to: number): Promise<Buffer> =>
  (await readBytes(file, from, to).catch(ignoreIf(isDamaged))) ?? Buffer.alloc(0);

/** The hash of the first `length` bytes, or undefined if there are fewer. */
const hashOf = (bytes: Buffer, length: number): string | undefined =>
  bytes.length < length ? undefined : hash('sha256', bytes.subarray(0, length), 'hex');

const headLength = (position: number): number => Math.min(MARK_BYTES, position);

async function tailOf(file: LogFile, position: number): Promise<string | undefined> {
  const from = position - headLength(position);
  return hashOf(await soundBytes(file, from, position), position - from);
}

/** The mark of a file at a position, or undefined if the file is shorter, or damaged. */
export async function markAt(file: LogFile, position: number): Promise<Mark | undefined> {
  const length = headLength(position);
  const head = hashOf(await soundBytes(file, 0, length), length);
  const tail = await tailOf(file, position);
  return head !== undefined && tail !== undefined ? { head, tail, position } : undefined;
}

/** Finds the marks that match the beginning of a file, which is read only once. */
export async function startingMarks<Known extends Mark>(
  file: LogFile,
  marks: readonly Known[],
): Promise<readonly Known[]> {
  const start = await soundBytes(file, 0, MARK_BYTES);
  return marks.filter(({ head, position }) => position === 0 || hashOf(start, headLength(position)) === head);
}

/** How much of the content up to a mark is still in the file: all of it (the same file or a copy), its beginning, or nothing. */
export async function holds(file: LogFile, mark: Mark): Promise<'all' | 'beginning' | 'nothing'> {
  if (mark.position === 0) return 'all';
  if ((await startingMarks(file, [mark])).length === 0) return 'nothing';
  const tail = await tailOf(file, mark.position);
  if (tail === undefined) return 'beginning';
  return tail === mark.tail ? 'all' : 'nothing';
}

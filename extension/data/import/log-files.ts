// A log on disk and the files that its rotation has left beside it, plain or packed with gzip. A file is known again by what it
// holds, not by its name: names move with each rotation, and a copy has another inode.
import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportError } from './import-error';

/** The file was cut or replaced while it was read. What was read of it is not stored; the next look sees what it is now. */
export class FileChanged extends ImportError {
  override readonly name = 'FileChanged';
}

export interface LogFile {
  readonly path: string;
  /** The number of its inode, which is used again, and when that was born, where the file system knows it. */
  readonly inode: string;
  /** Bytes on disk. */
  readonly size: number;
  /** When it was written last, in nanoseconds. */
  readonly writtenAt: bigint;
  readonly isPacked: boolean;
  /** Whether its name is one that a rotation gives. */
  readonly isRotated: boolean;
}

/** What a file holds up to a position: hashes of its first bytes and of those before the position. */
export interface Mark {
  readonly head: string;
  readonly tail: string;
  readonly position: number;
}

/** Bytes that tell one log from another. Its lines have their times in them. */
const MARK_BYTES = 1024;

/** The file of this name; undefined if there is none, or something else, such as a folder. */
export async function logFileAt(path: string, isRotated = false): Promise<LogFile | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return undefined;
    const { ino, birthtimeNs, size, mtimeNs } = found;
    const isPacked = path.endsWith('.gz');
    const inode = `${ino} ${birthtimeNs}`;
    return { path, inode, size: Number(size), writtenAt: mtimeNs, isPacked, isRotated };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Whether a file is not there, any longer or yet: rotations move files at any moment. */
export const isGone = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** The files beside a log whose names begin alike, the oldest first. Of a file that is just being packed only the whole one. */
export async function filesBeside(path: string): Promise<readonly LogFile[]> {
  const own = basename(path);
  const names = (await readdir(dirname(path))).filter(
    (name) => name !== own && name.startsWith(stemOf(own)) && !OTHERS.test(name),
  );
  const whole = names.filter((name) => !name.endsWith('.gz') || !names.includes(name.slice(0, -3)));
  const files = await Promise.all(
    whole.map((name) => logFileAt(join(dirname(path), name), generationOf(own, name) !== undefined)),
  );
  return files.filter((file) => file !== undefined).sort((a, b) => (isNewer(path, a, b) ? 1 : -1));
}

const stemOf = (name: string): string => name.slice(0, name.length - extname(name).length);

/** Our own files, and what cannot be read. */
const OTHERS = /\.rejected\.|\.(?:xz|bz2|zst|lz4|Z|swp|tmp|part)$/;

const GENERATION = /^[._-](\d[\d._T:-]*|old)$/;

/** What rotation puts behind a name, or before its ending: `.1`, `-20260302`, `.old`. */
function generationOf(own: string, name: string): string | undefined {
  const plain = name.replace(/\.gz$/, '');
  const ending = extname(own);
  const middle = plain.endsWith(ending) ? plain.slice(stemOf(own).length, plain.length - ending.length) : '';
  const behind = plain.startsWith(own) ? plain.slice(own.length) : '';
  return GENERATION.exec(behind)?.[1] ?? GENERATION.exec(middle)?.[1];
}

const SHORTEST_DATE = 6;

/** Whether the first of two files was rotated later, by their numbers or dates; undefined if they do not tell. */
export function rotatedLater(path: string, one: LogFile, other: LogFile): boolean | undefined {
  const [first, second] = [one, other].map((file) =>
    (generationOf(basename(path), basename(file.path)) ?? '').replace(/\D/g, ''),
  );
  if (!first || !second || first === second) return undefined;
  const [isDate, isOtherDate] = [first.length >= SHORTEST_DATE, second.length >= SHORTEST_DATE];
  if (isDate !== isOtherDate) return undefined;
  return isDate ? first > second : Number(first) < Number(second);
}

/** Whether the first of two files was rotated later; if their names do not tell, by when they were written. */
export function isNewer(path: string, one: LogFile, other: LogFile): boolean {
  return (
    rotatedLater(path, one, other) ??
    (one.writtenAt === other.writtenAt ? one.path > other.path : one.writtenAt > other.writtenAt)
  );
}

/** The bytes of a file from a place to another, or to its end; unpacked if it is packed. It is opened when they are read. */
export const bytesOf = (file: LogFile, from: number, to?: number): Readable =>
  Readable.from(chunksOf(file, from, to));

async function* chunksOf({ path, isPacked }: LogFile, from: number, to?: number): AsyncGenerator<Buffer> {
  yield* isPacked
    ? part(unpacked(path), from, to)
    : createReadStream(path, { start: from, ...(to !== undefined && { end: to - 1 }) });
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

async function readBytes(file: LogFile, from: number, to?: number): Promise<Buffer> {
  if (to !== undefined && to <= from) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of bytesOf(file, from, to)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const BACK_BYTES = 65_536;

/** The end of the last whole line in this part of a file; undefined if there is none yet. */
export async function endOfLines(file: LogFile, from: number, to: number): Promise<number | undefined> {
  for (let end = to; end > from; end -= BACK_BYTES) {
    const start = Math.max(from, end - BACK_BYTES);
    const last = (await readBytes(file, start, end)).lastIndexOf('\n');
    if (last >= 0) return start + last + 1;
  }
  return undefined;
}

/** Where the text of a file ends; undefined if it is packed and damaged. */
export async function endOf(file: LogFile): Promise<number | undefined> {
  if (!file.isPacked) return file.size;
  let length = 0;
  try {
    for await (const chunk of bytesOf(file, 0)) length += chunk.length;
  } catch (error) {
    if (isGone(error)) throw error;
    return undefined;
  }
  return length;
}

const hashOf = (bytes: Buffer): string => hash('sha256', bytes, 'hex');

/** The mark of a file at a position; undefined if the file is shorter, or damaged. */
export async function markAt(file: LogFile, position: number): Promise<Mark | undefined> {
  const length = Math.min(MARK_BYTES, position);
  try {
    const head = await readBytes(file, 0, length);
    const tail = await readBytes(file, position - length, position);
    if (head.length < length || tail.length < length) return undefined;
    return { head: hashOf(head), tail: hashOf(tail), position };
  } catch (error) {
    if (isGone(error) || !file.isPacked) throw error;
    return undefined;
  }
}

/** Whether a file holds what was read of another, so that it is that file or a copy of it. */
export async function holds(file: LogFile, mark: Mark): Promise<boolean> {
  if (mark.position === 0) return true;
  if (!(await beginsLike(file, mark))) return false;
  const found = await markAt(file, mark.position);
  return found !== undefined && found.tail === mark.tail;
}

/** Whether a file begins as another; it may be shorter than what was read of that one. */
export async function beginsLike(file: LogFile, { head, position }: Mark): Promise<boolean> {
  const found = await markAt(file, Math.min(MARK_BYTES, position));
  return found !== undefined && found.head === head;
}

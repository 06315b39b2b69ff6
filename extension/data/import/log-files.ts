// A log on disk and the files that its rotation has left beside it, plain or packed with gzip. A file is recognized by its
// content, not by its name: names move with each rotation, and a copy has another inode.
import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

export interface LogFile {
  readonly path: string;
  /** Its inode, which is reused, and when that was created, where the file system knows it. */
  readonly inode: string;
  /** Bytes on disk. */
  readonly size: number;
  /** When it was last written, in nanoseconds. */
  readonly writtenAt: bigint;
  readonly isPacked: boolean;
  /** Whether its name is one that a rotation gives. */
  readonly isRotated: boolean;
}

/** The content of a file up to a position: hashes of its first bytes and of those before the position. */
export interface Mark {
  readonly head: string;
  readonly tail: string;
  readonly position: number;
}

/** Bytes that distinguish one log from another: lines contain their times. */
const MARK_BYTES = 1024;

/** The file of this name, or undefined if there is none, or something else, such as a folder. */
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

/** Whether a file is not there: rotations move files at any moment. */
export const isGone = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** The files beside a log whose names begin alike, the oldest first. A file that is being packed is only the unpacked one. */
export async function filesBeside(path: string): Promise<readonly LogFile[]> {
  const own = basename(path);
  const names = (await readdir(dirname(path))).filter(
    (name) => name !== own && name.startsWith(stemOf(own)) && !OTHERS.test(name),
  );
  const whole = names.filter((name) => !name.endsWith('.gz') || !names.includes(name.slice(0, -3)));
  const files = await Promise.all(
    whole.map((name) => logFileAt(join(dirname(path), name), generationOf(own, name) !== undefined)),
  );
  return files.filter((file) => file !== undefined).sort((a, b) => (isNewer(own, a, b) ? 1 : -1));
}

const stemOf = (name: string): string => name.slice(0, name.length - extname(name).length);

/** Our own files, and what cannot be read. */
const OTHERS = /\.rejected\.|\.(?:xz|bz2|zst|lz4|Z|swp|tmp|part)$/;

const GENERATION = /^[._-](\d[\d._T:-]*|old)$/;

/** What rotation adds to a name, at its end or before its extension: `.1`, `-20260302`, `.old`. */
function generationOf(own: string, name: string): string | undefined {
  const plain = name.replace(/\.gz$/, '');
  const ending = extname(own);
  const middle = plain.endsWith(ending) ? plain.slice(stemOf(own).length, plain.length - ending.length) : '';
  const behind = plain.startsWith(own) ? plain.slice(own.length) : '';
  return GENERATION.exec(behind)?.[1] ?? GENERATION.exec(middle)?.[1];
}

const SHORTEST_DATE = 6;

/** Whether the first of two files was rotated later, by their numbers or dates, or else by when they were written. */
function isNewer(own: string, one: LogFile, other: LogFile): boolean {
  const [first = '', second = ''] = [one, other].map(({ path }) =>
    (generationOf(own, basename(path)) ?? '').replace(/\D/g, ''),
  );
  const isDate = first.length >= SHORTEST_DATE;
  if (first && second && first !== second && isDate === second.length >= SHORTEST_DATE)
    return isDate ? first > second : Number(first) < Number(second);
  return one.writtenAt === other.writtenAt ? one.path > other.path : one.writtenAt > other.writtenAt;
}

/** The bytes of a file between two positions, or to its end; unpacked if it is packed. It is opened when they are read. */
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

async function readBytes(file: LogFile, from: number, to: number): Promise<Buffer> {
  if (to <= from) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  for await (const chunk of bytesOf(file, from, to)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const BACK_BYTES = 65_536;

/** The end of the last whole line in this part of a file, or undefined if there is none yet. */
export async function endOfLines(file: LogFile, from: number, to: number): Promise<number | undefined> {
  for (let end = to; end > from; end -= BACK_BYTES) {
    const start = Math.max(from, end - BACK_BYTES);
    const last = (await readBytes(file, start, end)).lastIndexOf('\n');
    if (last >= 0) return start + last + 1;
  }
  return undefined;
}

/** Where the text of a file ends, or undefined if it is packed and damaged. */
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

/** The hash of the bytes between two positions, or undefined if the file is shorter, or damaged. */
async function hashOf(file: LogFile, from: number, to: number): Promise<string | undefined> {
  try {
    const bytes = await readBytes(file, from, to);
    return bytes.length === to - from ? hash('sha256', bytes, 'hex') : undefined;
  } catch (error) {
    if (isGone(error) || !file.isPacked) throw error;
    return undefined;
  }
}

const headOf = (file: LogFile, position: number): Promise<string | undefined> =>
  hashOf(file, 0, Math.min(MARK_BYTES, position));

const tailOf = (file: LogFile, position: number): Promise<string | undefined> =>
  hashOf(file, Math.max(0, position - MARK_BYTES), position);

/** The mark of a file at a position, or undefined if the file is shorter, or damaged. */
export async function markAt(file: LogFile, position: number): Promise<Mark | undefined> {
  const [head, tail] = [await headOf(file, position), await tailOf(file, position)];
  return head !== undefined && tail !== undefined ? { head, tail, position } : undefined;
}

/** What is left in a file of what was read at a mark: all of it, as in the same file or a copy; its beginning; or nothing. */
export async function holds(file: LogFile, mark: Mark): Promise<'all' | 'beginning' | 'nothing'> {
  if (mark.position === 0) return 'all';
  if ((await headOf(file, mark.position)) !== mark.head) return 'nothing';
  const tail = await tailOf(file, mark.position);
  if (tail === undefined) return 'beginning';
  return tail === mark.tail ? 'all' : 'nothing';
}

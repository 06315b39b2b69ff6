// Follows a growing file: imports its new whole lines from time to time, goes on in the next file when it is rotated, and knows
// after a restart how far it was.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { ClientBase } from 'pg';
import { ImportError } from './import-error';
import type { ImportReport } from './import-options';

/** Which file a place is in, and how much of it is imported. */
export interface FilePlace {
  readonly inode: string;
  readonly head: string;
  readonly position: number;
}

export interface FollowOptions {
  readonly path: string;
  /** Where the file was left; undefined to begin at its start. */
  readonly place: FilePlace | undefined;
  /** Imports a piece of whole lines, and stores the place behind it in the same transaction. */
  importPiece(piece: Readable, place: FilePlace): Promise<ImportReport>;
  /** Waits until the file may have grown. Gives false if that was enough. */
  wait(): Promise<boolean>;
  onImported(report: ImportReport): void;
  onWarning(text: string): void;
}

/** Bytes that are imported at once: rows of an outage of days must not become one transaction. */
const PIECE_BYTES = 64 * 1024 * 1024;

/** Follows the file until `wait` says that it is enough. Throws an ImportError if a piece cannot be imported. */
export async function followFile(options: FollowOptions): Promise<void> {
  let { place } = options;
  do place = await importNew(options, place);
  while (await options.wait());
}

/** Imports what is new, of a rotated file too. Gives the place behind it. */
async function importNew(
  options: FollowOptions,
  place: FilePlace | undefined,
): Promise<FilePlace | undefined> {
  const { path } = options;
  const current = await startOf(path);
  if (current === undefined) return place;
  if (place === undefined || isSame(current, place)) {
    // A file that was emptied begins anew.
    const from = place !== undefined && place.position <= current.size ? place.position : 0;
    return importFrom(options, path, { ...current, position: from });
  }
  const rotated = await findRotated(path, place);
  if (rotated === undefined)
    options.onWarning(
      `The file that was followed as ${path} is gone or packed. Import it by its name: rows that are stored already are not stored twice.`,
    );
  else {
    await importFrom(options, rotated, place, 'whole');
    for (const between of await filesSince(path, rotated)) {
      const start = await startOf(between);
      if (start !== undefined) await importFrom(options, between, { ...start, position: 0 }, 'whole');
    }
  }
  return importFrom(options, path, { ...current, position: 0 });
}

interface FileStart {
  readonly inode: string;
  readonly head: string;
  readonly size: number;
}

/** Of a file that is rotated just now, nothing is known until the next one is there. */
async function startOf(path: string): Promise<FileStart | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { ino, size } = await handle.stat({ bigint: true });
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const end = buffer.subarray(0, bytesRead).indexOf('\n');
    if (end < 0 && bytesRead < HEAD_BYTES) return undefined;
    const head = createHash('sha256')
      .update(buffer.subarray(0, end < 0 ? bytesRead : end))
      .digest('hex');
    return { inode: String(ino), head, size: Number(size) };
  } finally {
    await handle.close();
  }
}

const HEAD_BYTES = 1024;

const isSame = (start: FileStart, place: FilePlace): boolean =>
  start.inode === place.inode && start.head === place.head;

/** The file beside `path` that is the one of the place, under its new name. */
async function findRotated(path: string, place: FilePlace): Promise<string | undefined> {
  for (const other of await siblings(path)) {
    const { ino } = await stat(other, { bigint: true });
    if (String(ino) !== place.inode) continue;
    const start = await startOf(other);
    if (start !== undefined && isSame(start, place)) return other;
  }
  return undefined;
}

/** The files that were rotated after this one, the oldest first, but not those that are packed already. */
async function filesSince(path: string, rotated: string): Promise<readonly string[]> {
  const { mtimeMs } = await stat(rotated);
  const others = (await siblings(path)).filter(
    (other) => other !== rotated && other !== resolve(path) && !/\.(?:gz|xz|bz2|zst)$/.test(other),
  );
  const dated = await Promise.all(others.map(async (other) => ({ other, at: (await stat(other)).mtimeMs })));
  return dated
    .filter(({ at }) => at >= mtimeMs)
    .sort((a, b) => a.at - b.at)
    .map(({ other }) => other);
}

/** The file, and those that its rotation has renamed. */
async function siblings(path: string): Promise<readonly string[]> {
  const folder = dirname(resolve(path));
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(basename(path)) && !name.includes('.rejected.'),
  );
  return names.map((name) => join(folder, name));
}

/** Imports a file from its place on: to its last line break, or to its end if it cannot grow any more. */
async function importFrom(
  options: FollowOptions,
  path: string,
  from: FilePlace,
  until?: 'whole',
): Promise<FilePlace> {
  const size = Number((await stat(path)).size);
  let place: FilePlace = { inode: from.inode, head: from.head, position: from.position };
  while (place.position < size) {
    const most = Math.min(size, place.position + PIECE_BYTES);
    const isRest = until === 'whole' && most === size;
    const end = isRest ? size : await endOfLines(path, place.position, most);
    if (end === undefined) break;
    const piece = createReadStream(path, { start: place.position, end: end - 1 });
    place = { ...place, position: end };
    options.onImported(await options.importPiece(piece, place));
  }
  return place;
}

const BACK_BYTES = 65_536;

/** The end of the last whole line in this part of a file; undefined if there is none yet. */
async function endOfLines(path: string, from: number, to: number): Promise<number | undefined> {
  const handle = await open(path);
  try {
    for (let end = to; end > from; end -= BACK_BYTES) {
      const start = Math.max(from, end - BACK_BYTES);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
      const last = buffer.subarray(0, bytesRead).lastIndexOf('\n');
      if (last >= 0) return start + last + 1;
    }
  } finally {
    await handle.close();
  }
  if (to - from === PIECE_BYTES)
    throw new ImportError(`${path} has a line of more than ${PIECE_BYTES} bytes`);
  return undefined;
}

interface PlaceKey {
  readonly siteId: number;
  readonly material: string;
  readonly path: string;
}

/** Where a file was left. */
export async function storedPlace(
  client: Pick<ClientBase, 'query'>,
  { siteId, material, path }: PlaceKey,
): Promise<FilePlace | undefined> {
  const { rows } = await client.query<FilePlace>(
    `SELECT inode::text AS inode, head, position::float8 AS position FROM analytics.followed_file
      WHERE site_id = $1 AND material = $2 AND path = $3`,
    [siteId, material, path],
  );
  return rows[0];
}

export async function storePlace(
  client: Pick<ClientBase, 'query'>,
  { siteId, material, path }: PlaceKey,
  place: FilePlace,
): Promise<void> {
  await client.query(
    `INSERT INTO analytics.followed_file (site_id, material, path, inode, head, position) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (site_id, material, path) DO UPDATE SET inode = $4, head = $5, position = $6`,
    [siteId, material, path, place.inode, place.head, place.position],
  );
}

// The list of a followed log's files, each with a mark at the end of the part that was read. Comparing the list
// with the files on disk shows what is new and what was removed.
import {
  filesBeside,
  holds,
  isForbidden,
  type LogFile,
  logFileAt,
  type Mark,
  startingMarks,
} from './log-files';

export interface KnownFile extends Mark {
  /** Identifies a file from which nothing has been read. */
  readonly inode: string;
  /** Its size and modification time when it was last examined: a file with the same inode and stamp is still the same file. */
  readonly stamp: string;
}

export interface FollowState {
  /** The modification time, in nanoseconds, of the newest file that was rotated before following began. */
  readonly since: bigint;
  /** Oldest first. The last one was the log itself. */
  readonly files: readonly KnownFile[];
}

/** The files on disk, oldest first, with the log itself last if it exists. */
export interface View {
  readonly current: LogFile | undefined;
  readonly files: readonly LogFile[];
}

/** A copy grows until it is as long as the log, so the log is examined last. */
export async function see(path: string): Promise<View> {
  const beside = await filesBeside(path);
  const current = await logFileAt(path);
  const files = current === undefined ? beside : [...beside, current];
  // A file may have several names through hard and symbolic links: the log's own name is used, or else one from
  // a rotation.
  const byRank = files.toSorted((a, b) => rankOf(a, current) - rankOf(b, current));
  const names = new Map(byRank.map(({ inode, path: name }) => [inode, name]));
  return { current, files: files.filter(({ inode, path: name }) => names.get(inode) === name) };
}

const rankOf = (file: LogFile, current: LogFile | undefined): number =>
  file === current ? 2 : Number(file.isRotated);

/** Whether each file still has its name. */
export const isSame = (one: View, other: View): boolean => namesOf(one) === namesOf(other);

const namesOf = ({ files }: View): string => files.map(({ path, inode }) => `${path} ${inode}`).join();

/** The entry for a file in the list: its current state on disk, and the mark of the part that was read. */
export const seenAs = ({ inode, size, writtenAt }: LogFile, { head, tail, position }: Mark): KnownFile => ({
  head,
  tail,
  position,
  inode,
  stamp: `${size} ${writtenAt}`,
});

export const NOTHING_READ: Mark = { head: '', tail: '', position: 0 };

/** A file to read from its mark onward. */
export interface Found {
  readonly file: LogFile;
  /** Undefined if nothing is known about it. */
  readonly known: KnownFile | undefined;
}

export type Recognized = Awaited<ReturnType<typeof recognize>>;

/** Finds the known files among those on disk. */
export async function recognize({ since, files: known }: FollowState, view: View) {
  const isOld = (file: LogFile): boolean => file.isRotated && file.writtenAt <= since;
  const isNew = (file: LogFile): boolean => file === view.current || (file.isRotated && !isOld(file));
  const inPlace = await findInPlace(view.files, known);
  const { moved, copies } = await findByContent(view.files, known, inPlace, isNew);
  const knownAs = new Map([...inPlace, ...moved]);
  const holders = new Map([...knownAs].map(([file, one]) => [one, file]));
  /** Oldest first, without copies or files from before following began. */
  const found: readonly Found[] = view.files.flatMap((file) => {
    const of = knownAs.get(file);
    return of !== undefined || (isNew(file) && !copies.has(file)) ? [{ file, known: of }] : [];
  });
  const lost = known.filter((one) => !holders.has(one));
  // Rotation removes the oldest files first: if an older file still exists, a lost file was only compressed or copied.
  const isAfterOne = (one: KnownFile): boolean =>
    view.files.some((file) => !knownAs.has(file) && isOld(file)) ||
    known.slice(0, known.indexOf(one)).some((before) => holders.has(before));
  const isUnreadRotated = found.some(({ file, known: of }) => of === undefined && file.isRotated);
  /** Lost files from which nothing was read, and which may be among the unknown files in `found`. */
  const mayBeFound = lost.filter((one) => one.position === 0 && isUnreadRotated && isAfterOne(one));
  return { found, lost, mayBeFound: new Set(mayBeFound) };
}

type Matches = ReadonlyMap<LogFile, KnownFile>;

/** Finds the files that have a known inode and still contain the part that was read. */
async function findInPlace(files: readonly LogFile[], known: readonly KnownFile[]): Promise<Matches> {
  const matches = new Map<LogFile, KnownFile>();
  for (const file of files) {
    const { stamp } = seenAs(file, NOTHING_READ);
    for (const one of known.filter(({ inode }) => inode === file.inode))
      if (one.stamp === stamp || (await holds(file, one)) === 'all') matches.set(file, one);
  }
  return matches;
}

/**
 * Finds the files with the content of a known one. If the known file is not in place, the newest match is that file;
 * all other matches are copies. `isNew`: whether a file is read if nothing is known about it.
 */
async function findByContent(
  files: readonly LogFile[],
  known: readonly KnownFile[],
  inPlace: Matches,
  isNew: (file: LogFile) => boolean,
): Promise<{ readonly moved: Matches; readonly copies: ReadonlySet<LogFile> }> {
  const places = new Map([...inPlace].map(([file, one]) => [one, file]));
  const moves = new Map<KnownFile, { readonly file: LogFile; readonly part: Part }>();
  const copies = new Set<LogFile>();
  for (const file of files.filter((one) => !inPlace.has(one))) {
    const match = await matchOf(file, known).catch((error: unknown) => {
      if (isForbidden(error) && !isNew(file)) return undefined;
      throw error;
    });
    if (match === undefined) continue;
    const place = places.get(match.known);
    // A copy is not longer than its original, so this is a different file with the same beginning.
    if (place !== undefined && !file.isCompressed && file.size > place.size) continue;
    copies.add(file);
    const before = moves.get(match.known);
    if (place === undefined && !(before?.part === 'all' && match.part === 'beginning'))
      moves.set(match.known, { file, part: match.part });
  }
  const moved = new Map([...moves].map(([one, { file }]) => [file, one]));
  return { moved, copies: new Set([...copies].filter((file) => !moved.has(file))) };
}

type Part = 'all' | 'beginning';

async function matchOf(
  file: LogFile,
  known: readonly KnownFile[],
): Promise<{ readonly known: KnownFile; readonly part: Part } | undefined> {
  const read = known.filter(({ position }) => position > 0);
  let shorter: KnownFile | undefined;
  for (const one of await startingMarks(file, read)) {
    const part = await holds(file, one);
    if (part === 'all') return { known: one, part };
    if (part === 'beginning') shorter ??= one;
  }
  // A copy made before the last scan is shorter than the part that was read.
  return shorter !== undefined && file.isRotated ? { known: shorter, part: 'beginning' } : undefined;
}

// Where a followed log was left, and how that place is found again among the files that its rotation has left.
import type { Readable } from 'node:stream';
import type { ImportReport } from './import-options';
import {
  beginsLike,
  filesBeside,
  holds,
  type LogFile,
  logFileAt,
  type Mark,
  rotatedLater,
} from './log-files';

/** A place in a file, and how much of it is imported. The inode counts only while nothing is; it is empty if no file is known. */
export interface FilePlace extends Mark {
  readonly inode: string;
}

export interface FollowState {
  readonly place: FilePlace;
  /** When the newest file of those before the place was written last: rotated files that are newer are not imported yet. */
  readonly since: bigint;
  /** The newest of those. Servers write to a renamed log until they open the new one. */
  readonly previous?: FilePlace;
}

/** How a log is followed, and what is done with its lines. */
export interface FollowOptions {
  readonly path: string;
  /** Where the log was left; undefined to begin at the start of its file. */
  readonly state: FollowState | undefined;
  /**
   * Imports a piece of whole lines, which begins at a byte of the file. In its transaction, when the piece was read to its end, it stores the state that `check`
   * returns; that throws if the file changed meanwhile.
   */
  importPiece(
    piece: Readable,
    { file, from }: { readonly file: LogFile; readonly from: number },
    check: StateCheck,
  ): Promise<ImportReport>;
  /** Stores a state to which no rows belong, and before which what follows a mark is missing. */
  storeState(state: FollowState, gap?: Mark): Promise<void>;
  readonly onGap: 'record' | 'stop';
  clock(): Date;
  /** Waits until the file may have grown. Returns false if that was enough. */
  wait(): Promise<boolean>;
  onImported(report: ImportReport): void;
  onWarning(text: string): void;
}

type StateCheck = () => Promise<FollowState>;

/** The log and the files beside it, the oldest first. */
export interface View {
  readonly current: LogFile | undefined;
  readonly beside: readonly LogFile[];
}

export const see = async (path: string): Promise<View> => ({
  current: await logFileAt(path),
  beside: await filesBeside(path),
});

/** Whether each file has still its name. */
export const isSame = (one: View, other: View): boolean => namesOf(one) === namesOf(other);

const namesOf = ({ current, beside }: View): string =>
  [current?.inode, ...beside.map(({ path, inode }) => `${path} ${inode}`)].join();

/** What comes before the place: the file, if it is still there. */
export interface Before {
  readonly now: FollowState;
  readonly file?: LogFile;
  /** Its inode if it is gone and nothing was in it when it was seen last, so that it cannot be known again. */
  readonly emptied?: string;
}

/** The rotated files of which nothing is read yet, the oldest first. */
export function rotatedSince(
  path: string,
  beside: readonly LogFile[],
  { now, file }: Before,
): readonly LogFile[] {
  const isSince = (other: LogFile): boolean =>
    file === undefined
      ? other.writtenAt > now.since
      : other !== file && (rotatedLater(path, other, file) ?? other.writtenAt > now.since);
  return beside.filter((other) => other.isRotated && isSince(other));
}

/** Whether the place is in the file that has the name of the log now. */
export async function isAt(current: LogFile, place: FilePlace, unread: readonly LogFile[]): Promise<boolean> {
  // Of a file of which nothing is read, a copy may have been made before it was cut.
  if (place.position === 0) return current.inode === place.inode && unread.length === 0;
  return holds(current, place);
}

/** Nothing is read of what is newer than the state, and it is not known which file that is. */
export const NOWHERE: FilePlace = { inode: '', head: '', tail: '', position: 0 };

export const startOf = ({ inode }: LogFile): FilePlace => ({ ...NOWHERE, inode });

export const later = (since: bigint, { writtenAt }: LogFile): bigint =>
  writtenAt > since ? writtenAt : since;

/**
 * Whether something was rotated away that was not read. Of a log of which nothing was read that may be: it is gone without a
 * trace, or it was rotated and neither it nor a file from before it is left, so that nothing shows which file comes next.
 */
export function isLost(
  current: LogFile,
  beside: readonly LogFile[],
  { now: { place, since }, file }: Before,
  unread: readonly LogFile[],
): boolean {
  if (place.position > 0) return true;
  if (place.inode === '') return false;
  const isItself = ({ inode }: LogFile): boolean => inode === place.inode;
  if (unread.length === 0) return ![current, ...beside].some(isItself);
  if (file !== undefined) return false;
  // Nothing was rotated before it, so only the renamed file itself shows that nothing is missing.
  if (since === 0n) return !unread.some((one) => isItself(one) && !one.isPacked);
  return !beside.some((one) => one.isRotated && one.writtenAt <= since);
}

/** The file of a place under another name, or a copy of it; a copy made before the last look is shorter than what was read. */
export async function findLeft(
  beside: readonly LogFile[],
  place: FilePlace,
  unread: readonly LogFile[],
): Promise<LogFile | undefined> {
  const holder = await findHolder(beside, place);
  if (holder !== undefined) return holder;
  for (const file of unread) if (await beginsLike(file, place)) return file;
  return undefined;
}

/** The renamed file itself, or else the newest copy. */
export async function findHolder(beside: readonly LogFile[], place: FilePlace): Promise<LogFile | undefined> {
  const isItself = ({ inode }: LogFile): boolean => inode === place.inode;
  if (place.position === 0) return beside.find(isItself);
  const copies = beside.filter((file) => !isItself(file)).reverse();
  for (const file of [...beside.filter(isItself), ...copies]) if (await holds(file, place)) return file;
  return undefined;
}

/** After so long without a line, servers no longer write to a renamed log. */
const QUIET_MS = 10 * 60 * 1000;

export const isQuiet = ({ writtenAt }: LogFile, now: Date): boolean =>
  now.getTime() - Number(writtenAt / 1_000_000n) > QUIET_MS;

/** What a gap is, in words. */
export const missing = (path: string, { position }: Mark): string =>
  position === 0
    ? `Files that were rotated away from ${path} may be missing`
    : `The file that was followed as ${path} is no longer there: what it had behind byte ${position} is not imported`;

export const missingLate = (path: string): string =>
  `The file before ${path} is gone: lines may be missing that were written late to it`;

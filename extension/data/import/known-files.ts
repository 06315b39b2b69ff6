// The files of a followed log: one list, each with a mark at the end of what was read of it. Compared with what is on disk, it shows what
// is new, and what is gone.
import { filesBeside, holds, type LogFile, logFileAt, type Mark } from './log-files';

export interface KnownFile extends Mark {
  /** Identifies a file of which nothing was read. */
  readonly inode: string;
  /** Its size and time when it was looked at: a file with the same inode and stamp is still this one. */
  readonly stamp: string;
}

export interface FollowState {
  /** When the newest of the files that were rotated before the log was followed was written, in nanoseconds. */
  readonly since: bigint;
  /** The oldest first. The last one was the log itself. */
  readonly files: readonly KnownFile[];
}

/** The files on disk, the oldest first and the log itself last, if it is there. */
export interface View {
  readonly current: LogFile | undefined;
  readonly files: readonly LogFile[];
}

/** A copy grows until it is as long as the log, so the log is looked at last. */
export async function see(path: string): Promise<View> {
  const beside = await filesBeside(path);
  const current = await logFileAt(path);
  return { current, files: current === undefined ? beside : [...beside, current] };
}

/** Whether each file still has its name. */
export const isSame = (one: View, other: View): boolean => namesOf(one) === namesOf(other);

const namesOf = ({ files }: View): string => files.map(({ path, inode }) => `${path} ${inode}`).join();

/** What is known of a file if it stays as it is. */
export const seenAs = ({ inode, size, writtenAt }: LogFile, { head, tail, position }: Mark): KnownFile => ({
  head,
  tail,
  position,
  inode,
  stamp: `${size} ${writtenAt}`,
});

export const NOTHING_READ: Mark = { head: '', tail: '', position: 0 };

/** A file to read from the mark on. */
export interface Found {
  readonly file: LogFile;
  /** Undefined if nothing is known of it. */
  readonly known: KnownFile | undefined;
}

export interface Recognized {
  /** The oldest first, without copies and files from before the log was followed. */
  readonly found: readonly Found[];
  readonly lost: readonly KnownFile[];
  /** Lost files of which nothing was read, but which a file in `found` may be. */
  readonly mayBeFound: ReadonlySet<KnownFile>;
}

/** Finds the known files among those on disk. */
export async function recognize({ since, files: known }: FollowState, view: View): Promise<Recognized> {
  const claims: Claim[] = [];
  for (const file of view.files) {
    const claim = await claimOf(file, known);
    if (claim !== undefined) claims.push(claim);
  }
  const holders = new Map(known.map((one) => [one, holderOf(one, claims)]));
  const isCopy = ({ file, known: of }: Claim): boolean => {
    const holder = holders.get(of);
    // A copy is not longer than the file that it was made of, so this is another one that begins alike.
    const isLonger = holder?.inode === of.inode && !file.isPacked && file.size > holder.size;
    return holder !== file && !isLonger;
  };
  const copies = new Set(claims.filter(isCopy).map(({ file }) => file));
  const knownAs = new Map([...holders].map(([one, file]) => [file, one]));
  const isOld = (file: LogFile): boolean => file.isRotated && file.writtenAt <= since;
  const found = view.files.flatMap((file) => {
    const of = knownAs.get(file);
    const isNew = file === view.current || (file.isRotated && !isOld(file) && !copies.has(file));
    return of !== undefined || isNew ? [{ file, known: of }] : [];
  });
  const lost = known.filter((one) => holders.get(one) === undefined);
  // Rotation removes the oldest files first: if one from before is still there, a lost file was only packed or copied.
  const isAfterOne = (one: KnownFile): boolean =>
    view.files.some((file) => !knownAs.has(file) && isOld(file)) ||
    known.slice(0, known.indexOf(one)).some((before) => holders.get(before) !== undefined);
  const isUnreadRotated = found.some(({ file, known: of }) => of === undefined && file.isRotated);
  const mayBeFound = lost.filter((one) => one.position === 0 && isUnreadRotated && isAfterOne(one));
  return { found, lost, mayBeFound: new Set(mayBeFound) };
}

/** A file with the content of a known one, or its beginning. */
interface Claim {
  readonly file: LogFile;
  readonly known: KnownFile;
  readonly isWhole: boolean;
}

async function claimOf(file: LogFile, known: readonly KnownFile[]): Promise<Claim | undefined> {
  const { inode, stamp } = seenAs(file, NOTHING_READ);
  const isOwn = (one: KnownFile): boolean => one.inode === inode;
  const same = known.find((one) => isOwn(one) && (one.stamp === stamp || one.position === 0));
  if (same !== undefined) return { file, known: same, isWhole: true };
  const read = known.filter(({ position }) => position > 0);
  let shorter: KnownFile | undefined;
  for (const one of [...read.filter(isOwn), ...read.filter((other) => !isOwn(other))]) {
    const part = await holds(file, one);
    if (part === 'all') return { file, known: one, isWhole: true };
    if (part === 'beginning') shorter ??= one;
  }
  // A copy that was made before the last look is shorter than what was read.
  return shorter !== undefined && file.isRotated ? { file, known: shorter, isWhole: false } : undefined;
}

/** The file itself if it has everything that was read, or else its newest copy. */
function holderOf(known: KnownFile, claims: readonly Claim[]): LogFile | undefined {
  const own = claims.filter((claim) => claim.known === known);
  const whole = own.filter(({ isWhole }) => isWhole);
  return (whole.find(({ file }) => file.inode === known.inode) ?? whole.at(-1) ?? own.at(-1))?.file;
}

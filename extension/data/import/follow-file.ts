// Follows a growing log: imports its complete new lines, and continues in the next file after a rotation
// (by renaming, or by copying and truncating). The state is stored in each piece's transaction, and a scan needs only
// that state and the files on disk, so the process may be killed at any time.
import type { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { ImportError } from './import-error';
import type { ImportReport } from './import-options';
import {
  type FollowState,
  type Found,
  isSame,
  type KnownFile,
  NOTHING_READ,
  type Recognized,
  recognize,
  see,
  seenAs,
  type View,
} from './known-files';
import {
  bytesOf,
  endOf,
  endOfLine,
  endOfLines,
  FileChanged,
  holds,
  type LogFile,
  type Mark,
  markAt,
} from './log-files';

/** How a log is followed, and what is done with its lines. */
interface FollowOptions {
  readonly path: string;
  /** Where following stopped; undefined to begin at the start of the file. */
  readonly state: FollowState | undefined;
  /**
   * Imports a piece of complete lines, which begins at byte `from` of the file. After reading the piece to its end, stores the
   * state that `check` returns in the same transaction; `check` throws if the file has changed in the meantime.
   */
  importPiece(
    piece: Readable,
    { file, from }: { readonly file: LogFile; readonly from: number },
    check: StateCheck,
  ): Promise<ImportReport>;
  /** Stores a state without importing rows. If `gap` is given, also records that the data after this mark is missing. */
  storeState(state: FollowState, gap?: Mark): Promise<void>;
  readonly onGap: 'record' | 'stop';
  clock(): Date;
  /** Waits until the file may have grown. Returns false to stop following. */
  wait(): Promise<boolean>;
  onImported(report: ImportReport): void;
  onWarning(text: string): void;
}

type StateCheck = () => Promise<FollowState>;

/** The maximum size of a piece, so that lines logged during a long outage are imported in several transactions. */
const PIECE_BYTES = 64 * 1024 * 1024;

/** If a renamed log has had no new lines for this long, the server is assumed to have stopped writing to it. */
const QUIET_MS = 10 * 60 * 1000;

/** Follows the log until `wait` returns false. Throws an ImportError if a piece cannot be imported. */
export async function followFile(options: FollowOptions): Promise<void> {
  const look = followerOf(options);
  do {
    try {
      await look();
    } catch (error) {
      // A rotation may move files during a scan. The next scan finds them.
      if (!(error instanceof FileChanged)) throw error;
    }
  } while (await options.wait());
}

function followerOf(options: FollowOptions): () => Promise<void> {
  const { path, onImported, onWarning } = options;
  let { state } = options;
  /** Inodes of rotated files that have been unchanged for a while: no data is lost if they are removed. */
  let quiet: ReadonlySet<string> = new Set();

  /** When to report that the log is missing; undefined while it exists. */
  let reportAt: number | undefined;

  const reportMissing = ({ current }: View): void => {
    const now = options.clock().getTime();
    reportAt = current === undefined ? (reportAt ?? now + QUIET_MS) : undefined;
    if (reportAt === undefined || now < reportAt) return;
    reportAt = Number.POSITIVE_INFINITY;
    onWarning(
      `${path} has been missing for ${QUIET_MS / 60_000} minutes. Following resumes when it reappears.`,
    );
  };

  /** Throws if files have been moved since the scan. */
  const refuseMoved = async (view: View): Promise<void> => {
    if (!isSame(view, await see(path))) throw new FileChanged(`${path} was rotated while it was being read`);
  };

  const store = async (view: View, next: FollowState, gap?: Mark): Promise<void> => {
    await refuseMoved(view);
    await options.storeState(next, gap);
    state = next;
  };

  const recordGap = async (view: View, next: FollowState, mark: Mark, what: string): Promise<void> => {
    await refuseMoved(view);
    if (options.onGap === 'stop')
      throw new ImportError(
        `${what}. Import any of the missing data that you can recover, then follow with --on-gap record, which continues with the next file`,
      );
    await store(view, next, mark);
    onWarning(`${what}. "qal imports gaps" shows the command that imports the missing data.`);
  };

  /**
   * Imports a file from its mark to a position, or to the end of the last complete line before it; `stateAt` returns
   * the state with the moved mark.
   */
  const continueReading = async (
    view: View,
    file: LogFile,
    { from, end, isEnded }: { readonly from: KnownFile; readonly end: number; readonly isEnded: boolean },
    stateAt: (moved: KnownFile) => FollowState,
  ): Promise<KnownFile> => {
    let known = from;
    while (known.position < end) {
      // A compressed file is read from its start each time, so it is one piece.
      const limit = file.isCompressed ? end : Math.min(end, known.position + PIECE_BYTES);
      const to = isEnded && limit === end ? end : await endOfLines(file, known.position, limit);
      if (to === undefined) {
        if (limit - known.position < PIECE_BYTES) break;
        // If a server does not write in append mode, truncating its log leaves a hole, which reads as one very long line.
        const lineEnd = (await endOfLine(file, limit, end)) ?? (isEnded ? end : undefined);
        const mark = lineEnd === undefined ? undefined : await markAt(file, lineEnd);
        if (mark === undefined) break;
        const skipped = seenAs(file, mark);
        await recordGap(view, stateAt(skipped), known, tooLong(file, known));
        known = skipped;
        continue;
      }
      const mark = await markAt(file, to);
      if (mark === undefined) throw new FileChanged(`${file.path} became shorter`);
      const start = known;
      const moved = seenAs(file, mark);
      const check = async (): Promise<FollowState> => {
        await refuseMoved(view);
        for (const one of [start, mark])
          if ((await holds(file, one)) !== 'all')
            throw new FileChanged(`${file.path} changed while it was being read; it will be read again`);
        return stateAt(moved);
      };
      const piece = bytesOf(file, start.position, to);
      const report = await options
        .importPiece(piece, { file, from: start.position }, check)
        .catch(async (error: unknown) => {
          // If the file has changed, a line that was complete may now be part of a longer one.
          await check();
          throw error;
        });
      state = stateAt(moved);
      known = moved;
      onImported(report);
    }
    return known;
  };

  /** Forgets files that no longer exist, and records a gap if some of their data may not have been imported. */
  const dropLost = async (
    view: View,
    { since, files: known }: FollowState,
    { lost, mayBeFound }: Recognized,
  ): Promise<void> => {
    let files = known;
    for (const one of lost) {
      files = files.filter((other) => other !== one);
      const isLog = one === known.at(-1);
      // Servers write to a renamed log until they open the new one.
      const isMissed = isLog || (one === known.at(-2) && !quiet.has(one.inode));
      if (isMissed && !mayBeFound.has(one))
        await recordGap(view, { since, files }, one, isLog ? missing(path, one) : missingLate(path));
    }
  };

  /** Imports the new data, file by file. */
  const readFound = async (view: View, since: bigint, found: readonly Found[]): Promise<void> => {
    // If this scan ends before an unknown file is read, the next scan finds it again.
    let files: readonly (KnownFile | undefined)[] = found.map(({ known }) => known);
    const stateWith = (place: number, moved: KnownFile): FollowState => {
      files = files.with(place, moved);
      return { since, files: files.filter((one) => one !== undefined) };
    };
    for (const [place, { file, known }] of found.entries()) {
      const from = seenAs(file, known ?? NOTHING_READ);
      // A compressed file does not grow.
      const isSeen = file.isCompressed && known?.inode === from.inode && known.stamp === from.stamp;
      const end = isSeen ? from.position : await endOf(file);
      if (end === undefined) {
        const what = `${file.path} is a damaged gzip file`;
        await recordGap(view, stateWith(place, from), from, what);
        continue;
      }
      // The newest rotated file may still be written to.
      const isEnded = file.isCompressed || found.slice(place + 1).some((later) => later.file.isRotated);
      const moved = await continueReading(view, file, { from, end, isEnded }, (to) => stateWith(place, to));
      stateWith(place, moved);
    }
    const next = { since, files: files.filter((one) => one !== undefined) };
    if (!isDeepStrictEqual(next, state)) await store(view, next);
    quiet = new Set(found.flatMap(({ file }) => (isQuiet(file, options.clock()) ? [file.inode] : [])));
  };

  return async () => {
    const view = await see(path);
    reportMissing(view);
    if (state === undefined && view.current !== undefined)
      await store(view, { since: newestRotated(view), files: [seenAs(view.current, NOTHING_READ)] });
    if (state === undefined) return;
    const recognized = await recognize(state, view);
    // While a rotation is under way, the log may be missing.
    if (view.current === undefined && recognized.lost.length > 0) return;
    await dropLost(view, state, recognized);
    await readFound(view, state.since, recognized.found);
  };
}

const newestRotated = ({ files }: View): bigint =>
  files.reduce((at, { isRotated, writtenAt }) => (isRotated && writtenAt > at ? writtenAt : at), 0n);

const isQuiet = ({ isCompressed, writtenAt }: LogFile, now: Date): boolean =>
  isCompressed || now.getTime() - Number(writtenAt / 1_000_000n) > QUIET_MS;

/** Describes a gap in a sentence. */
const missing = (path: string, { position }: Mark): string =>
  position === 0
    ? `Rotated files of ${path} may be missing`
    : `The file that was followed as ${path} no longer exists: the data after byte ${position} was not imported`;

const tooLong = ({ path }: LogFile, { position }: Mark): string =>
  `${path} has a line of more than ${PIECE_BYTES / 2 ** 20} MB after byte ${position}, which is not imported`;

const missingLate = (path: string): string =>
  `The file before ${path} no longer exists: lines that were written to it late may be missing`;

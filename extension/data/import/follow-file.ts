// Follows a growing log: imports its new whole lines, and goes on in the next file when it is rotated, by renaming or by copying
// and truncating. The state is stored in the transaction of each piece, and a look needs nothing but that state and what is on
// disk, so the process may be killed at any moment.

import {
  type Before,
  type FilePlace,
  type FollowOptions,
  type FollowState,
  findHolder,
  findLeft,
  isAt,
  isLost,
  isQuiet,
  isSame,
  later,
  missing,
  missingLate,
  NOWHERE,
  rotatedSince,
  see,
  startOf,
  type View,
} from './follow-state';
import { ImportError } from './import-error';
import {
  beginsLike,
  bytesOf,
  endOf,
  endOfLines,
  FileChanged,
  holds,
  isGone,
  isNewer,
  type LogFile,
  type Mark,
  markAt,
} from './log-files';

/** Bytes that are imported at once: rows of an outage of days must not become one transaction. */
const PIECE_BYTES = 64 * 1024 * 1024;

/** Follows the log until `wait` says that it is enough. Throws an ImportError if a piece cannot be imported. */
export async function followFile(options: FollowOptions): Promise<void> {
  const follower = followerOf(options);
  do {
    try {
      await follower.look();
    } catch (error) {
      // A rotation moves files while they are looked at. The next look finds them where they are then.
      if (!isGone(error) && !(error instanceof FileChanged)) throw error;
    }
  } while (await options.wait());
}

function followerOf(options: FollowOptions) {
  const { path, onImported, onWarning } = options;
  let state = options.state;
  /** The file before, once it was seen to be quiet: when it is gone then, nothing of it is missing. */
  let quiet: string | undefined;

  /** Throws if files were moved since they were looked at. */
  const refuseMoved = async (view: View): Promise<void> => {
    if (!isSame(view, await see(path))) throw new FileChanged(`${path} was rotated while it was read`);
  };

  const store = async (view: View, next: FollowState, gap?: Mark): Promise<FollowState> => {
    await refuseMoved(view);
    await options.storeState(next, gap);
    state = next;
    return next;
  };

  /** Imports what a file has behind a place, whole lines or all; `stateAt` is the state with that place moved. Returns the place. */
  const readOn = async (
    view: View,
    file: LogFile,
    from: FilePlace,
    until: Until,
    stateAt: (place: FilePlace) => FollowState,
  ): Promise<FilePlace> => {
    const size = (await endOf(file)) ?? 0;
    let place = from;
    while (place.position < size) {
      // What is packed is read from its start each time, so it is one piece.
      const most = file.isPacked ? size : Math.min(size, place.position + PIECE_BYTES);
      const end = until === 'end' && most === size ? size : await endOfLines(file, place.position, most);
      if (end === undefined) {
        if (most - place.position < PIECE_BYTES) break;
        throw new ImportError(`${file.path} has a line of more than ${PIECE_BYTES} bytes`);
      }
      const mark = await markAt(file, end);
      if (mark === undefined) throw new FileChanged(`${file.path} became shorter`);
      const moved = { inode: file.inode, ...mark };
      const next = stateAt(moved);
      const begun = place;
      const piece = bytesOf(file, begun.position, end);
      const check = async (): Promise<FollowState> => {
        // The log itself may be rotated behind what was read of it.
        if (file !== view.current || begun.position === 0) await refuseMoved(view);
        if ((await holds(file, begun)) && (await holds(file, mark))) return next;
        throw new FileChanged(`${file.path} changed while it was read; it is read again`);
      };
      const report = await options
        .importPiece(piece, { file, from: begun.position }, check)
        .catch(async (error: unknown) => {
          // Part of a line now was a complete one before.
          await check();
          throw error;
        });
      state = next;
      place = moved;
      onImported(report);
    }
    return place;
  };

  /** Goes on without the file before, which is gone: what was written late to it may be missing, unless it was quiet. */
  const forget = (view: View, previous: FilePlace, next: FollowState): Promise<FollowState> =>
    previous.inode === quiet ? store(view, next) : reportGap(view, previous, next, missingLate(path));

  /** Finds the file before, wherever it is now, and imports what was written to it after it was left. */
  const readPrevious = async (
    view: View,
    { place, since, previous }: FollowState,
    until: Until,
  ): Promise<Before> => {
    if (previous === undefined) return { now: { place, since } };
    const known = view.beside.find(({ inode }) => inode === previous.inode);
    // What is packed does not grow.
    if (known?.isPacked && (await beginsLike(known, previous))) {
      quiet = known.inode;
      return { now: { place, since, previous }, file: known };
    }
    const file = await findHolder(view.beside, previous);
    if (file === undefined && previous.position === 0)
      return { now: { place, since }, emptied: previous.inode };
    if (file === undefined) return { now: await forget(view, previous, { place, since }) };
    const stateAt = (to: FilePlace): FollowState => ({
      place,
      since,
      previous: { ...to, inode: file.inode },
    });
    const moved = await readOn(view, file, previous, file.isPacked ? 'end' : until, stateAt);
    if (isQuiet(file, options.clock())) quiet = file.inode;
    const now = stateAt(moved);
    return { now: previous.inode === file.inode ? now : await store(view, now), file };
  };

  /** What was written late to the file before, which was empty, and then packed: the newest that is not known. */
  const readEmptied = async (
    view: View,
    { now, emptied }: Before,
    unknown: readonly LogFile[],
  ): Promise<FollowState> => {
    if (emptied === undefined) return now;
    const file = unknown.at(-1);
    if (file === undefined) return forget(view, { ...NOWHERE, inode: emptied }, now);
    const stateAt = (previous: FilePlace): FollowState => ({
      place: now.place,
      since: later(now.since, file),
      previous,
    });
    return stateAt(await readOn(view, file, startOf(file), file.isPacked ? 'end' : 'lines', stateAt));
  };

  const reportGap = async (
    view: View,
    mark: Mark,
    next: FollowState,
    what = missing(path, mark),
  ): Promise<FollowState> => {
    await refuseMoved(view);
    if (options.onGap === 'stop')
      throw new ImportError(
        `${what}. Import what you find of it by its name, then follow with --on-gap record, which goes on in the next file`,
      );
    const after = await store(view, next, mark);
    onWarning(`${what}. "qal imports gaps" shows the command that imports it.`);
    return after;
  };

  /** Imports rotated files as a whole, the oldest first, then what the log has. Empty ones change nothing. */
  const readNext = async (
    view: View,
    files: readonly LogFile[],
    current: LogFile,
    begun: FollowState,
  ): Promise<void> => {
    let { since, previous } = begun;
    for (const file of [...files, current]) {
      if ((await endOf(file)) === undefined) {
        since = later(since, file);
        const what = `${file.path} is packed with gzip and damaged`;
        await reportGap(view, NOWHERE, { place: NOWHERE, since }, what);
        continue;
      }
      const isCurrent = file === current;
      // The newest rotated file may still be written to.
      const until = isCurrent || (file === files.at(-1) && !file.isPacked) ? 'lines' : 'end';
      const before = { since, ...(previous && { previous }) };
      const place = await readOn(view, file, startOf(file), until, (to) => ({ place: to, ...before }));
      if (isCurrent && place.position === 0) await store(view, { place, ...before });
      since = later(since, file);
      previous = place;
    }
  };

  return {
    async look(): Promise<void> {
      const view = await see(path);
      const { current, beside } = view;
      if (state === undefined) {
        if (current === undefined) return;
        const newest = beside.reduce((at, { writtenAt }) => (writtenAt > at ? writtenAt : at), 0n);
        await store(view, { place: startOf(current), since: newest });
      }
      if (state === undefined) return;
      const before = await readPrevious(view, state, 'lines');
      const { place } = before.now;
      const unread = rotatedSince(path, beside, before);

      if (current !== undefined && (await isAt(current, place, unread))) {
        const here = await readEmptied(view, before, unread);
        await readOn(view, current, place, 'lines', (to) => ({ ...here, place: to }));
        return;
      }
      const left = place.position === 0 ? undefined : await findLeft(beside, place, unread);
      const isBefore = (file: LogFile): boolean => left !== undefined && isNewer(path, left, file);
      const here = left === undefined ? before.now : await readEmptied(view, before, unread.filter(isBefore));
      if (current === undefined) {
        if (left !== undefined) await readOn(view, left, place, 'lines', (to) => ({ ...here, place: to }));
        return;
      }
      let { now } = await readPrevious(view, here, 'end');
      if (left === undefined) {
        if (isLost(current, beside, before, unread))
          now = await reportGap(view, place, { ...now, place: NOWHERE });
        return readNext(view, unread, current, now);
      }
      const newer = beside.filter((file) => file.isRotated && file !== left && isNewer(path, file, left));
      const until = newer.length === 0 && !left.isPacked ? 'lines' : 'end';
      const previous = await readOn(view, left, place, until, (to) => ({ ...now, place: to }));
      await readNext(view, newer, current, { place, since: later(now.since, left), previous });
    },
  };
}

type Until = 'lines' | 'end';

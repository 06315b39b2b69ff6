// Follows a log through random histories and compares the result with a model: whatever servers and rotations do, and wherever
// the process is killed, each line is read once or a gap is recorded. Nothing is stored here: a piece and its state are kept
// together, as in a transaction.
import type { Readable } from 'node:stream';
import { type Random, seededRandom } from '../../../extension/data/demo/random';
import { followFile } from '../../../extension/data/import/follow-file';
import type { ImportReport } from '../../../extension/data/import/import-options';
import type { FollowState } from '../../../extension/data/import/known-files';
import { tries } from '../../support/long-run';
import { type Naming, type RotatingLog, rotatingLog } from './rotating-log';

class Killed extends Error {}

interface World {
  readonly log: RotatingLog;
  readonly random: Random;
  /** Every stored line, once for each time that it was stored. */
  readonly stored: string[];
  /** When each line was first stored. */
  readonly storedAt: Map<string, number>;
  state: FollowState | undefined;
  /** When each gap was recorded, and how long it covers removed files: until it is known which file comes next. */
  readonly gaps: { readonly at: number; until: number }[];
}

const textOf = async (piece: Readable): Promise<string> => {
  let text = '';
  for await (const chunk of piece) text += String(chunk);
  return text;
};

/** An event in the history of the log. */
async function happen({ log, random }: World, mayRemove: boolean): Promise<void> {
  const happenings = [
    () => log.append(random.between(1, 12)),
    () => log.append(random.between(1, 12)),
    () => log.halfLine(),
    () => log.appendLate(random.between(1, 3)),
    () => log.renameAway(),
    () => log.copyAndTruncate(random.chance(0.3) ? 2 : 0),
    () => log.pack(random),
    async () => log.idle(),
    ...(mayRemove ? [() => log.removeOldest(), () => log.removeOldest(), () => log.renameAway()] : []),
  ];
  await happenings[random.between(0, happenings.length - 1)]?.();
}

/** A gap ends when a file is recognized again. */
function closeGaps({ state, gaps, log }: World): void {
  if (state?.files.length === 0) return;
  for (const gap of gaps) gap.until = Math.min(gap.until, log.now());
}

/** Scans the log several times. The process may be killed at any point, and the log may change while it is read. */
async function followAWhile(
  world: World,
  looks: number,
  isRough: boolean,
  mayRemove: boolean,
): Promise<void> {
  const { log, random, stored } = world;
  let left = looks;
  const killedHere = () => {
    if (isRough && random.chance(0.08)) throw new Killed();
  };
  try {
    await followFile({
      path: log.path,
      state: world.state,
      onGap: 'record',
      clock: () => new Date(log.now() * 1000),
      async importPiece(piece, _file, check) {
        killedHere();
        if (isRough && random.chance(0.15)) await happen(world, mayRemove);
        const text = await textOf(piece);
        const next = await check();
        killedHere();
        world.state = next;
        closeGaps(world);
        for (const line of text.split('\n').filter((one) => one !== '')) {
          stored.push(line);
          if (!world.storedAt.has(line)) world.storedAt.set(line, log.now());
        }
        killedHere();
        return {} as ImportReport;
      },
      async storeState(next, gap) {
        killedHere();
        world.state = next;
        if (gap !== undefined) world.gaps.push({ at: log.now(), until: Number.POSITIVE_INFINITY });
        closeGaps(world);
        killedHere();
      },
      async wait() {
        left -= 1;
        if (isRough && left > 0 && random.chance(0.7)) await happen(world, mayRemove);
        return left > 0;
      },
      onImported: () => undefined,
      onWarning: () => undefined,
    });
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}

/** Runs a random history, and then scans without changes until everything is read. */
async function history(seed: number, naming: Naming, mayRemove: boolean, length: number): Promise<World> {
  const random = seededRandom(seed);
  const world: World = {
    log: await rotatingLog(naming),
    random,
    state: undefined,
    stored: [],
    storedAt: new Map(),
    gaps: [],
  };
  await followAWhile(world, 1, false, false);
  // Lines of the first file may be missing if it is rotated away before any of it is read, because nothing shows that they
  // existed.
  if (!mayRemove) {
    await world.log.append(1);
    await followAWhile(world, 1, false, false);
  }
  for (let round = 0; round < length; round += 1) {
    const happenings = random.between(0, 4);
    for (let one = 0; one < happenings; one += 1) await happen(world, mayRemove);
    await followAWhile(world, random.between(1, 3), true, mayRemove);
  }
  await world.log.append(1);
  await followAWhile(world, 4, false, false);
  await world.log.remove();
  return world;
}

const lost = ({ log, stored }: World) => [...log.written].filter((line) => !stored.includes(line));
const doubled = ({ stored }: World) => stored.filter((line, place) => stored.indexOf(line) !== place);
const strange = ({ log, stored }: World) =>
  stored.filter((line) => !log.written.has(line) && !log.lostByCopy.has(line));

const numberOf = (line: string) => Number(line.split(' ')[0]);

/**
 * Lines that were lost without a gap: no gap was open when their file was removed, and none was recorded before a later line was
 * stored. Late lines are not ordered relative to the others.
 */
function silent(world: World): readonly string[] {
  const { log, storedAt, gaps } = world;
  return lost(world).filter((line) => {
    const from = log.removed.get(line);
    if (from === undefined) return true;
    const later = [...storedAt]
      .filter(([one]) => numberOf(one) > numberOf(line) && !log.writtenLate.has(one))
      .map(([, at]) => at);
    const to = log.writtenLate.has(line) ? Number.POSITIVE_INFINITY : Math.min(...later);
    return !gaps.some(({ at, until }) => from <= until && at <= to);
  });
}

/** Many short histories and a few long ones. Inodes of compressed or removed files are reused only in long ones. */
const LENGTHS: readonly (readonly [length: number, seeds: readonly number[]])[] = [
  [12, Array.from({ length: tries(8, 15) }, (_, place) => place + 1)],
  [150, [27, 56]],
];
const histories = (naming: Naming, mayRemove: boolean) =>
  LENGTHS.flatMap(([length, seeds]) =>
    seeds.map((seed) => async () => ({
      seed,
      length,
      world: await history(seed, naming, mayRemove, length),
    })),
  );

test.each<Naming>(['numbers', 'dates'])(
  'every line is read once if rotated files, named with %s, are kept',
  async (naming) => {
    for (const run of histories(naming, false)) {
      const { world, ...which } = await run();
      expect({
        ...which,
        lost: lost(world),
        doubled: doubled(world),
        strange: strange(world),
        gaps: world.gaps,
      }).toEqual({ ...which, lost: [], doubled: [], strange: [], gaps: [] });
    }
  },
);

test.each<Naming>(['numbers', 'dates'])(
  'lines that are removed before they are read become a gap, in files named with %s',
  async (naming) => {
    let gaps = 0;
    for (const run of histories(naming, true)) {
      const { world, ...which } = await run();
      // Lines of a file that was empty may be read twice here. The database would recognize them.
      expect({ ...which, strange: strange(world), silent: silent(world) }).toEqual({
        ...which,
        strange: [],
        silent: [],
      });
      gaps += world.gaps.length;
    }
    expect(gaps).toBeGreaterThan(0);
  },
);

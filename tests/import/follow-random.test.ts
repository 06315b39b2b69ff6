// Following over random histories of a log, against a model: whatever servers and rotations do, and wherever the process is
// killed, each line is read once, or a gap is recorded. Nothing is stored here: a piece and its state are kept together, as a
// transaction keeps them.
import type { Readable } from 'node:stream';
import { type Random, seededRandom } from '../../extension/demo/random';
import { followFile } from '../../extension/import/follow-file';
import type { FollowState } from '../../extension/import/follow-state';
import type { ImportReport } from '../../extension/import/import-options';
import { type Naming, type RotatingLog, rotatingLog } from './rotating-log';

class Killed extends Error {}

interface World {
  readonly log: RotatingLog;
  readonly random: Random;
  /** Every line that was stored, as often as it was. */
  readonly stored: string[];
  state: FollowState | undefined;
  gaps: number;
}

const textOf = async (piece: Readable): Promise<string> => {
  let text = '';
  for await (const chunk of piece) text += String(chunk);
  return text;
};

/** One thing that happens to the log. */
async function happen({ log, random }: World, mayRemove: boolean): Promise<void> {
  const happenings = [
    () => log.append(random.between(1, 12)),
    () => log.append(random.between(1, 12)),
    () => log.halfLine(),
    () => log.appendLate(random.between(1, 3)),
    () => log.renameAway(),
    () => log.copyAndTruncate(random.chance(0.3) ? 2 : 0),
    () => log.pack(random),
    ...(mayRemove ? [() => log.removeOldest(), () => log.removeOldest(), () => log.renameAway()] : []),
  ];
  await happenings[random.between(0, happenings.length - 1)]?.();
}

/** Follows the log for some looks. The process may be killed anywhere, and the log may change while it is read. */
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
      async importPiece(piece, _file, check) {
        killedHere();
        if (isRough && random.chance(0.15)) await happen(world, mayRemove);
        const text = await textOf(piece);
        const next = await check();
        killedHere();
        world.state = next;
        stored.push(...text.split('\n').filter((line) => line !== ''));
        killedHere();
        return {} as ImportReport;
      },
      async storeState(next, gap) {
        killedHere();
        world.state = next;
        if (gap !== undefined) world.gaps += 1;
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

/** A random history, and then quiet until everything is read. */
async function history(seed: number, naming: Naming, mayRemove: boolean): Promise<World> {
  const random = seededRandom(seed);
  const world: World = { log: await rotatingLog(naming), random, stored: [], state: undefined, gaps: 0 };
  await followAWhile(world, 1, false, false);
  // Of the first file, what is rotated before anything is read of it may be missing: nothing from before it shows that it is not.
  if (!mayRemove) {
    await world.log.append(1);
    await followAWhile(world, 1, false, false);
  }
  for (let round = 0; round < 12; round += 1) {
    const happenings = random.between(0, 4);
    for (let one = 0; one < happenings; one += 1) await happen(world, mayRemove);
    await followAWhile(world, random.between(1, 3), true, mayRemove);
  }
  await world.log.append(1);
  await followAWhile(world, 4, false, false);
  await world.log.remove();
  return world;
}

const seeds = Array.from({ length: 15 }, (_, place) => place + 1);
const lost = ({ log, stored }: World) => [...log.written].filter((line) => !stored.includes(line));
const doubled = ({ stored }: World) => stored.filter((line, place) => stored.indexOf(line) !== place);
const strange = ({ log, stored }: World) =>
  stored.filter((line) => !log.written.has(line) && !log.lostByCopy.has(line));

test.each<Naming>(['numbers', 'dates'])(
  'every line is read once while rotated files stay, named by %s',
  async (naming) => {
    for (const seed of seeds) {
      const world = await history(seed, naming, false);
      expect({
        ...{ seed, lost: lost(world), doubled: doubled(world), strange: strange(world), gaps: world.gaps },
      }).toEqual({ seed, lost: [], doubled: [], strange: [], gaps: 0 });
    }
  },
);

test('what is removed before it is read is a gap', async () => {
  let gaps = 0;
  for (const seed of seeds) {
    const world = await history(seed, 'numbers', true);
    // Lines may be read twice here: when an inode is used again, of a file that was empty. The database knows them again.
    expect({ seed, strange: strange(world) }).toEqual({ seed, strange: [] });
    expect({ seed, silent: world.gaps === 0 ? lost(world) : [] }).toEqual({ seed, silent: [] });
    gaps += world.gaps;
  }
  expect(gaps).toBeGreaterThan(0);
});

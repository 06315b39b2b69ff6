// Fills the disk at a random moment during every job that writes.
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Dice } from '../../language/interpreter/random/dice';
import { type AlarmReceiver, startAlarmReceiver } from '../alarm-receiver';
import { isRaw } from '../is-raw';
import { createMovedClock, type MovedClock } from '../moved-clock';
import { type Disk, withDisk } from '../small-disk';
import type { Report, Trial } from '../trial';
import { INSTALLATION_JOBS } from './kill/installation-jobs';
import type { Job } from './kill/job';
import { ROW_JOBS } from './kill/row-jobs';
import { createWorld, differences, PATIENCE_MS, revive, type World } from './kill/world';

/** In megabytes, like the constants below. */
const LARGE = 4_096;
const BALLAST = 1_000;
/** Enough space for a second database, but little enough to trigger the alarm. */
const NEARLY_FULL = 90;
/** The maximum space left on a full disk. */
const LEFT = 0.5;

const MINUTE_MS = 60_000;
const FIRST_GUESS_MS = 1_500;
const ALARM = /^Disk: /;
const FINE = /^Disk is fine again$/;

const JOBS: readonly Job[] = [...ROW_JOBS, ...INSTALLATION_JOBS].filter(({ name }) => name !== 'password');

export const fullDisk: Trial = {
  name: 'disk',
  title:
    'After the disk fills up at any moment during an import, an upload, a refresh of the columnar copy, an undo, an erasure, a migration, a backup or a restore, or when PostgreSQL needs more space for its write-ahead log, an alarm is sent; once there is room, everything recovers by itself or after a restart, each job is done completely or not at all, and columns, rows and files agree',
  tries: 40,
  async run(dice, report, { tries }) {
    const clock = await createMovedClock();
    const alarms = await startAlarmReceiver();
    try {
      await withDisk(LARGE, async (disk) => {
        spawnSync('fallocate', ['--length', `${BALLAST}M`, join(disk.folder, 'ballast')]);
        const world = await createWorld({ ...clock.environment, ...alarms.environment }, disk.folder);
        try {
          await tryAll({ world, disk, clock, alarms, durations: new Map() }, tries, dice, report);
        } finally {
          await world.installation.remove();
        }
      });
    } finally {
      await alarms.stop();
      await clock.remove();
    }
  },
};

interface Context {
  readonly world: World;
  readonly disk: Disk;
  readonly clock: MovedClock;
  readonly alarms: AlarmReceiver;
  /** How long each job took the last time it ran, in milliseconds. */
  readonly durations: Map<Job, number>;
}

async function tryAll(context: Context, tries: number, dice: Dice, report: Report): Promise<void> {
  let failed = 0;
  let ended = 0;
  for (let number = 0; number < tries; number++) {
    report.tried();
    const job = JOBS[number % JOBS.length] ?? dice.pick(JOBS);
    const fault: Report['fault'] = (kind, what) => report.fault(kind, `${job.name}: ${what}`);
    const { server } = context.world;
    if (await tryOnce(context, job, dice, { ...report, fault })) failed += 1;
    if (context.world.server !== server) ended += 1;
  }
  if (failed === 0) report.fault('wrong', 'every job was done before the disk was full');
  const log = await readFile(join(context.world.installation.dataDir, 'postgres.log'), 'utf8');
  const stops = log.match(/PANIC: .*No space left/g)?.length ?? 0;
  report.note(`${failed} jobs failed; PostgreSQL stopped ${stops} times, and with it ${ended} servers`);
}

/** Returns whether the job failed. */
async function tryOnce(context: Context, job: Job, dice: Dice, report: Report): Promise<boolean> {
  const { world, disk, durations } = context;
  const needsLog = dice.below(2) === 0;
  await disk.leave(NEARLY_FULL);
  await expectAlarm(context, ALARM, context.alarms.received.length, report);
  const alarmed = context.alarms.received.length;
  const attempt = await job.begin(world, dice);
  try {
    const started = performance.now();
    const ended = attempt.ended.finally(() => durations.set(job, performance.now() - started));
    await pause(((durations.get(job) ?? FIRST_GUESS_MS) * (20 + dice.below(75))) / 100);
    await disk.leave((LEFT * dice.below(100)) / 100);
    const healing = new AbortController();
    const usingUp = needsLog ? useUpLog(world, healing.signal) : undefined;
    const outcome = await Promise.race([ended, pause(PATIENCE_MS, undefined, { ref: false })]);
    if (outcome === undefined) report.fault('unanswered', 'it did not end on the full disk');
    disk.resize(LARGE);
    healing.abort();
    await usingUp;
    const { code, out, err } = outcome ?? (await ended);
    if (isRaw(out + err)) report.fault('wrong', `internals in a message: ${err}`);
    await revive(world, report);
    await attempt.settle({ code, out, err }, report);
    for (const difference of await differences(world)) report.fault('wrong', difference);
    await expectAlarm(context, FINE, alarmed, report);
    return code !== 0;
  } finally {
    await attempt.elsewhere?.remove();
  }
}

/** Uses up the write-ahead log segments that PostgreSQL has created in advance. Otherwise, the jobs would fit into them. */
async function useUpLog({ installation }: World, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    await installation
      .sql(`SELECT pg_logical_emit_message(false, 'trial', 'x'), pg_switch_wal()`)
      .catch(() => undefined);
}

/**
 * Moves the clock until a matching alarm arrives, not counting the first `before` alarms. It is sent at least five minutes
 * after the problem begins and an hour after the last alarm.
 */
async function expectAlarm(
  { alarms, clock }: Context,
  words: RegExp,
  before: number,
  report: Report,
): Promise<void> {
  const hasArrived = () => alarms.received.slice(before).some((alarm) => words.test(alarm));
  const started = performance.now();
  while (!hasArrived() && performance.now() - started < PATIENCE_MS)
    await clock.moveTo(new Date(clock.now().getTime() + 10 * MINUTE_MS));
  if (!hasArrived())
    report.fault('wrong', `no alarm like ${words} arrived, only ${alarms.received.slice(before).join(', ')}`);
}

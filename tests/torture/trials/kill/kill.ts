// Kills processes at random moments during every job that writes. Installations are reused for several tries.
import { setTimeout as pause } from 'node:timers/promises';
import type { Dice } from '../../../language/interpreter/random/dice';
import { isRaw } from '../../is-raw';
import { runInLanes } from '../../lanes';
import type { Report, Trial } from '../../trial';
import { INSTALLATION_JOBS } from './installation-jobs';
import type { Job } from './job';
import { ROW_JOBS } from './row-jobs';
import { killVictim, VICTIMS, type Victim } from './victims';
import { createWorld, differences, PATIENCE_MS, revive, type World } from './world';

const FIRST_GUESS_MS = 1_500;

const JOBS: readonly Job[] = [...ROW_JOBS, ...INSTALLATION_JOBS];

export const kill: Trial = {
  name: 'kill',
  title:
    'After any process is killed at any moment, everything restarts by itself, each job is done completely or not at all, and columns, rows and files agree',
  tries: 100,
  async run(dice, report, { tries }) {
    let killedDuringJob = 0;
    await runInLanes(tries, dice, async (laneDice, numbers) => {
      const world = await createWorld();
      const durations = new Map<Job, number>();
      try {
        for (const number of numbers) {
          report.tried();
          const job = JOBS[number % JOBS.length] ?? laneDice.pick(JOBS);
          const victim = laneDice.pick(VICTIMS);
          const about: Report = {
            ...report,
            fault: (kind, what) => report.fault(kind, `${job.name}, ${victim} killed: ${what}`),
          };
          if (await tryOnce({ world, job, victim, durations }, laneDice, about)) killedDuringJob += 1;
        }
      } finally {
        await world.installation.remove();
      }
    });
    if (killedDuringJob === 0) report.fault('wrong', 'nothing was killed before its job was done');
    report.note(`killed ${killedDuringJob} times before the job was done`);
  },
};

interface Try {
  readonly world: World;
  readonly job: Job;
  readonly victim: Victim;
  /** How long each job took the last time it ran, in milliseconds. */
  readonly durations: Map<Job, number>;
}

/** Returns whether a process was killed before the job was done. */
async function tryOnce({ world, job, victim, durations }: Try, dice: Dice, report: Report): Promise<boolean> {
  const attempt = await job.begin(world, dice);
  const { installation } = attempt.elsewhere === undefined ? world : { installation: attempt.elsewhere };
  try {
    const started = performance.now();
    let hasEnded = false;
    const ended = attempt.ended.finally(() => {
      hasEnded = true;
      durations.set(job, performance.now() - started);
    });
    // Node.js is still starting during most of the first third.
    await pause(((durations.get(job) ?? FIRST_GUESS_MS) * (30 + dice.below(75))) / 100);
    const postmaster = await installation.postmasterPid();
    const wasUnderWay = !hasEnded;
    const hasKilled = killVictim(victim, world, attempt.program, postmaster, dice);
    const outcome = await Promise.race([ended, pause(PATIENCE_MS, undefined, { ref: false })]);
    if (outcome === undefined) throw new Error(`${job.name} did not end after ${victim} was killed.`);
    if (isRaw(outcome.out + outcome.err)) report.fault('wrong', `internals in a message: ${outcome.err}`);
    await revive(world, report);
    await attempt.settle(outcome, report);
    const [difference] = await differences(world);
    if (difference !== undefined) report.fault('wrong', difference);
    return wasUnderWay && hasKilled;
  } finally {
    await attempt.elsewhere?.remove();
  }
}

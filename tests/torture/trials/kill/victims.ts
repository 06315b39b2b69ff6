// Finds and kills the processes of an installation.
import { readdirSync, readFileSync } from 'node:fs';
import type { Dice } from '../../../language/interpreter/random/dice';
import type { ProgramProcess } from '../../../support/program-process';
import type { World } from './world';

export const VICTIMS = ['job', 'server', 'session', 'database', 'all'] as const;
/** `database` is the postmaster, and `session` is any of its child processes. */
export type Victim = (typeof VICTIMS)[number];

function childrenOf(parent: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    // The name, which is in parentheses, may contain any characters.
    const [, after = ''] = /^.*\)(.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return Number(after.trim().split(' ')[1]);
  } catch {
    // The process has ended.
    return undefined;
  }
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended.
    return false;
  }
}

/** Returns whether a process was killed. If a job has no command, the server is killed. */
export function killVictim(
  victim: Victim,
  { server }: Pick<World, 'server'>,
  job: ProgramProcess | undefined,
  postmaster: number | undefined,
  dice: Dice,
): boolean {
  const database = postmaster === undefined ? [] : [postmaster];
  const sessions = database.flatMap(childrenOf);
  const nodes = (of: readonly (ProgramProcess | undefined)[]) => of.flatMap((one) => one?.child.pid ?? []);
  const pids: Readonly<Record<Victim, () => readonly number[]>> = {
    job: () => nodes([job ?? server]),
    server: () => nodes([server]),
    session: () => (sessions.length === 0 ? [] : [dice.pick(sessions)]),
    database: () => database,
    all: () => [...nodes([job, server]), ...database, ...sessions],
  };
  return pids[victim]().map(kill).includes(true);
}

// A job during which a process is killed, and the checks after the server has recovered.
import type { Dice } from '../../../language/interpreter/random/dice';
import type { ProgramProcess } from '../../../support/program-process';
import type { Installation, Outcome } from '../../installation';
import type { Report } from '../../trial';
import type { World } from './world';

export interface Attempt {
  /** The command. Undefined if the server does the job. */
  readonly program?: ProgramProcess;
  /** Resolves when the job ends. `code` is 0 only if the job was reported as done. */
  readonly ended: Promise<Outcome>;
  /** The installation whose database the job uses, unless it is the world's. */
  readonly elsewhere?: Installation;
  /** Checks what is stored afterwards, and repeats the job if it must be repeatable. */
  settle(outcome: Outcome, report: Report): Promise<void>;
}

export interface Job {
  readonly name: string;
  begin(world: World, dice: Dice): Promise<Attempt>;
}

/** Sends input to a command and waits for it to exit. */
export const end = (program: ProgramProcess, input = '') => {
  program.child.stdin?.end(input);
  return program.ended.then((code) => ({ code, ...program.text }));
};

export async function mustSucceed(outcome: Promise<Outcome>, what: string, report: Report): Promise<void> {
  const { code, err } = await outcome;
  if (code !== 0) report.fault('wrong', `${what} exited with ${code}: ${err}`);
}

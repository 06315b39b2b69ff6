// What is under way when something is killed, and what must be true afterwards, when the server runs again.
import type { Dice } from '../../../language/interpreter/random/dice';
import type { ProgramProcess } from '../../../support/program-process';
import type { Installation, Outcome } from '../../installation';
import type { Report } from '../../trial';
import type { World } from './world';

/** A job under way. */
export interface Attempt {
  /** The command; undefined if it is done by the server. */
  readonly program?: ProgramProcess;
  /** Resolves at its end, whatever that was; `code` is 0 only if it was told that it is done. */
  readonly ended: Promise<Outcome>;
  /** Where its database is, if not in the world's installation. */
  readonly elsewhere?: Installation;
  /** Judges what is there afterwards, and does the job again where that must work. */
  settle(outcome: Outcome, report: Report): Promise<void>;
}

export interface Job {
  readonly name: string;
  begin(world: World, dice: Dice): Promise<Attempt>;
}

/** Gives a command its input, and waits for its end. */
export const end = (program: ProgramProcess, input = '') => {
  program.child.stdin?.end(input);
  return program.ended.then((code) => ({ code, ...program.text }));
};

export async function mustSucceed(outcome: Promise<Outcome>, what: string, report: Report): Promise<void> {
  const { code, err } = await outcome;
  if (code !== 0) report.fault('wrong', `${what} ended with ${code}: ${err}`);
}

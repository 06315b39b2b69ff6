// What one command of `qal` is given, and how it says that it failed.
// A command is a function that adds itself to the program; it returns normally for exit code 0.
import type { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import type { Database } from '../../db/connect';
import type { Clock } from '../extension-api';

/** The three streams of a command; tests pass their own. */
export interface Terminal {
  readonly stdin: Readable;
  /** Results only: what a pipe should carry. */
  readonly stdout: Writable;
  /** Progress, remarks and errors. */
  readonly stderr: Writable;
  /** True when stderr is a terminal: a progress bar makes sense there. */
  readonly interactive: boolean;
}

/** Everything that a command may use of the installation around it. */
export interface CommandContext {
  readonly clock: Clock;
  readonly terminal: Terminal;
  /** Aborted at the first Ctrl-C, SIGTERM or SIGHUP; the second one ends the process. */
  readonly signal: AbortSignal;
  /** Opens and migrates the database for the length of `work` and closes it afterwards, also after a failure. */
  withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
}

/** Adds one command, with its sub-commands, to the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** The job could not be done: exit code 1. The message is one sentence for the person at the keyboard. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
}

/** The command was called wrongly (beyond what commander checks itself): exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

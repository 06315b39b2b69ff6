// What a command of the host gets, and how lists look on a terminal.
// A command is a function that adds itself to the program.
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Database } from '../../db/connect';
import type { MigratedSchema } from '../../db/migrate';
import type { Clock, Log } from '../extension-api';
import type { Installation } from '../server/installation';
import { type PlainOutput, plainCell } from './plain-output';

/** The three streams of a command; tests pass their own. */
export interface Terminal {
  readonly stdin: Readable;
  /** Results only: what a pipe should carry. */
  readonly stdout: PlainOutput;
  /** Progress, remarks and errors. */
  readonly stderr: PlainOutput;
  /** Whether stderr is a terminal, where a progress bar makes sense. */
  readonly interactive: boolean;
}

export interface CommandContext {
  readonly clock: Clock;
  readonly log: Log;
  readonly terminal: Terminal;
  /** Aborted at the first Ctrl-C, SIGTERM or SIGHUP; the second one ends the process. */
  readonly signal: AbortSignal;
  /** The tables of the host and of every extension of this program. */
  readonly schemas: readonly MigratedSchema[];
  /** Opens the database as it is for the length of `work`, and closes it afterwards, even after a failure. */
  withPlainDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Opens and migrates the database for the length of `work`, and closes it afterwards, even after a failure. */
  withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** The same, with the extensions registered. */
  withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T>;
}

/** Adds one command, with its sub-commands, to the program. */
export type AddCommand = (program: Command, context: CommandContext) => void;

/** Rows of text in aligned columns, a line for each. */
export function columns(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(plainCell));
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${lineOf(row)}\n`).join('');
}

import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import type { Database } from '../../db/connect';
import type { MigratedSchema } from '../../db/migrate';
import type { Clock, Log } from '../extension-api';
import type { Config } from '../server/config';
import type { Installation } from '../server/installation';
import { type PlainOutput, plainCell } from './plain-output';

/** Tests pass their own streams. */
export interface Terminal {
  readonly stdin: Readable;
  /** Results only, for pipes. */
  readonly stdout: PlainOutput;
  readonly stderr: PlainOutput;
  /** Whether stderr is a terminal that can show a progress bar. */
  readonly interactive: boolean;
}

export interface CommandContext {
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
  readonly terminal: Terminal;
  /** Aborted by the first Ctrl-C, SIGTERM or SIGHUP. A second one terminates the process. */
  readonly signal: AbortSignal;
  readonly schemas: readonly MigratedSchema[];
  /** Opens the database for `work`, without migrating it, and closes it afterwards. */
  withPlainDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Like withPlainDatabase, but migrates the database first. */
  withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Like withDatabase, but also registers the extensions. With `keepsSchema`, fails instead of migrating. */
  withInstallation<T>(work: (installation: Installation) => Promise<T>, keepsSchema?: boolean): Promise<T>;
}

export type AddCommand = (program: Command, context: CommandContext) => void;

export function columns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(plainCell));
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

import type { Readable } from 'node:stream';
import type { HostUser } from './users';

export interface CommandUsage {
  /** One word, or two for a command in a group: `query`, `features list`. */
  readonly name: string;
  readonly summary: string;
  /** All are required. */
  readonly args?: readonly {
    readonly name: string;
    readonly about: string;
    readonly choices?: readonly string[];
    /** Only on the last argument. */
    readonly several?: boolean;
  }[];
  readonly options?: readonly {
    /** `--site <id>` takes a value, `--analyze` does not. */
    readonly flags: string;
    readonly about: string;
    readonly choices?: readonly string[];
    readonly required?: boolean;
    readonly fallback?: string;
    /** Returns a sentence that describes what is wrong with a value; undefined if it is valid. */
    check?(text: string): string | undefined;
  }[];
  /** Runs the command if its options need no installation; returns undefined if they do. */
  runAlone?(input: CommandInput): Promise<void> | undefined;
  /** Whether the command fails if migrations are pending, instead of applying them. Default: no. */
  keepsSchema?(options: CommandInput['options']): boolean;
}

/** An extension's command. A JobFailed ends the program with exit code 1, a WrongUsage with 2. */
export interface CommandDefinition extends CommandUsage {
  run(input: CommandInput): Promise<void>;
}

/** The command failed; the message is one sentence for the user. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
}

/** The command was called incorrectly; the message is one sentence that shows the correct usage. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly user: HostUser;
  readonly signal: AbortSignal;
  /** `-` is standard input. Like `openFile`, throws a WrongUsage for a file that cannot be read. */
  readText(fileOrDash: string): Promise<string>;
  openFile(fileOrDash: string): Promise<InputFile>;
  /** Returns the file's `bytes`, as in InputFile, without opening it. */
  sizeOf(fileOrDash: string): Promise<number | undefined>;
  /** Writes results to standard output. */
  out(text: string): void;
  /** Writes bytes to standard output. Resolves when it can accept more; rejects if the reader has closed it. */
  write(piece: Uint8Array): Promise<void>;
  err(text: string): void;
  table(rows: readonly (readonly string[])[]): void;
  openProgress: OpenProgress;
  /** Asks the user to type `yes`, unless `--yes` was passed. Throws a WrongUsage if there is no terminal. */
  confirm(question: string): Promise<boolean>;
}

export interface InputFile {
  readonly stream: Readable;
  /** undefined for standard input and pipes. */
  readonly bytes: number | undefined;
}

/** Shows progress on standard error. Without a total, only the status text is shown. */
export type OpenProgress = (total?: number) => Progress;

export interface Progress {
  show(done: number, status: string): void;
  /** Must be called before anything else is written. */
  close(): void;
}

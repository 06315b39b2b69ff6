// Commands of `qal`.
import type { Readable } from 'node:stream';
import type { HostUser } from './users';

/** How a command is called on the command line. */
export interface CommandUsage {
  /** One word, or two for a command of a group: `query`, `features list`. */
  readonly name: string;
  readonly summary: string;
  /** All of them are required. */
  readonly args: readonly {
    readonly name: string;
    readonly about: string;
    readonly choices?: readonly string[];
    /** The last one may take several texts. */
    readonly several?: boolean;
  }[];
  readonly options: readonly {
    /** `--site <id>` takes a text, `--analyze` takes none. */
    readonly flags: string;
    readonly about: string;
    readonly choices?: readonly string[];
    readonly required?: boolean;
    /** The text of an option that is left out. */
    readonly fallback?: string;
    /** What is wrong with a text, as a sentence. */
    check?(text: string): string | undefined;
  }[];
  /** Does a job that needs no installation, with these options; undefined where it needs one. */
  runAlone?(input: CommandInput): Promise<void> | undefined;
}

/** A command of an extension. A JobFailed ends the program with exit code 1, a WrongUsage with 2. */
export interface CommandDefinition extends CommandUsage {
  run(input: CommandInput): Promise<void>;
}

/** The job could not be done; the message is one sentence for the person at the keyboard. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
}

/** The command was called wrongly; the message is one sentence with the correct use. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

export interface CommandInput {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  /** The local person at the keyboard, with an administrator's rights. */
  readonly user: HostUser;
  /** Aborted at the first Ctrl-C. */
  readonly signal: AbortSignal;
  /** The text of a file, or of standard input for `-`. Like `openFile` it throws a WrongUsage for a file it cannot read. */
  readText(fileOrDash: string): Promise<string>;
  openFile(fileOrDash: string): Promise<InputFile>;
  /** Its size without opening it, as in an InputFile. Throws a WrongUsage for a file that cannot be read. */
  sizeOf(fileOrDash: string): Promise<number | undefined>;
  /** To standard output: results only. */
  out(text: string): void;
  /** Bytes of a result to standard output. Resolves when it accepts more; rejects when its reader has gone. */
  write(piece: Uint8Array): Promise<void>;
  /** To standard error. */
  err(text: string): void;
  /** Rows of text in aligned columns, to standard output. */
  table(rows: readonly (readonly string[])[]): void;
  openProgress: OpenProgress;
  /**
   * Asks a question on the terminal that `yes` answers; throws a WrongUsage if there is no terminal. With
   * `--yes` it is not asked.
   */
  confirm(question: string): Promise<boolean>;
}

/** A file, or standard input, that is read piece by piece. */
export interface InputFile {
  readonly stream: Readable;
  /** Its size; undefined for standard input and for a pipe. */
  readonly bytes: number | undefined;
}

/** Shows on standard error how far a long job is. Without a total there is no bar, only the remarks. */
export type OpenProgress = (total?: number) => Progress;

export interface Progress {
  /** `done` of the total; `remark` describes it in words. */
  show(done: number, remark: string): void;
  /** Ends the display. Call it before anything else is written. */
  close(): void;
}

// Runs a command line and returns its exit code: 0 done, 1 the command failed, 2 wrong usage or configuration.
import { Command, CommanderError } from 'commander';
import { isOfWorker, isUnavailable, SettingError, WrongUsage, workerFault } from '../extension-api';
import { ConfigError } from '../server/config';
import type { Terminal } from './command';

interface ProgramOptions {
  readonly terminal: Terminal;
  readonly version: string;
  showStacks(): boolean;
  addCommands(program: Command): void;
}

function sentenceOf(error: unknown, showStacks: boolean): string {
  if (!(error instanceof Error)) return String(error);
  if (showStacks && error.stack !== undefined) return error.stack;
  // A connection to a database with several addresses fails with one error per address and no message.
  if (error instanceof AggregateError && error.message === '')
    return error.errors.map((one) => sentenceOf(one, false)).join('; ');
  // The driver's message contains the statement.
  if (isUnavailable(error)) return isOfWorker(error) ? workerLost(error) : DATABASE_LOST;
  return fileErrorText(error) ?? error.message;
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'a file is in the way',
  EEXIST: 'a file is in the way',
  EISDIR: 'it is a folder',
  ENOTSUP: 'the file system does not allow folders there',
  EACCES: 'this account does not have permission',
  EPERM: 'this account does not have permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};

function fileErrorText(error: Error): string | undefined {
  if (!('code' in error)) return undefined;
  // Errors from writing to an open file have no path.
  if (!('path' in error && typeof error.path === 'string'))
    return error.code === 'ENOSPC' ? 'The disk is full.' : undefined;
  const reason = FILE_ERRORS[String(error.code)];
  // Unfinished files have the extension .part.
  return reason && `${error.path.replace(/(\.[\da-f-]{36})?\.part$/, '')} cannot be used: ${reason}.`;
}

const DATABASE_LOST = 'The connection to the database was lost before the command finished. Run it again.';

const workerLost = (error: Error): string =>
  `${workerFault(error)} Run the command again when the worker is back.`;

const USAGE_ERRORS = [WrongUsage, ConfigError, SettingError] as const;

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  return USAGE_ERRORS.some((kind) => error instanceof kind) ? 2 : 1;
}

/** Commander would use only the last value of an option. */
function refuseRepeated(command: Command): void {
  for (const option of command.options.filter(({ required }) => required)) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.flags}' is given twice`);
      isGiven = true;
    });
  }
  for (const one of command.commands) refuseRepeated(one);
}

/** `args` excludes the program name. Never throws and never exits the process. */
export async function runProgram(args: readonly string[], options: ProgramOptions): Promise<number> {
  const { terminal } = options;
  const program = new Command('qal')
    .description('The command-line interface of this installation.')
    .version(options.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showHelpAfterError('(qal --help lists all commands)')
    .addHelpText('after', '\nExit codes: 0 done, 1 the command failed, 2 wrong usage or configuration.');
  try {
    options.addCommands(program);
    refuseRepeated(program);
    if (args.length === 0) {
      terminal.stderr.write(program.helpInformation());
      return 2;
    }
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Commander prints its own errors.
    if (!(error instanceof CommanderError))
      terminal.stderr.write(`${sentenceOf(error, options.showStacks())}\n`);
    return exitCodeOf(error);
  }
}

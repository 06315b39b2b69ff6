// The extensions' commands. Help lists them without opening a database.
import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { CAPABILITIES } from '../accounts/accounts';
import {
  type CommandInput,
  type CommandUsage,
  codeOf,
  type Extension,
  type HostUser,
  type InputFile,
  JobFailed,
  messageOf,
  WrongUsage,
} from '../extension-api';
import type { Installation } from '../server/installation';
import { type CommandContext, columns, type Terminal } from './command';
import { openProgress } from './progress';
import { confirm } from './read-answer';

/** Anyone who can run this command owns the data directory or has the database password. */
const LOCAL_USER: HostUser = {
  id: 0,
  login: 'local',
  displayName: 'local',
  role: 'administrator',
  capabilities: CAPABILITIES.administrator,
  sites: 'all',
  timezone: 'UTC',
  key: null,
};

const READ_BYTES = 256 * 1024;

type ExtensionContext = Pick<CommandContext, 'clock' | 'signal' | 'terminal' | 'withInstallation'>;

export function addExtensionCommands(
  program: Command,
  context: ExtensionContext,
  extensions: readonly Extension[],
): void {
  for (const extension of extensions)
    for (const usage of extension.commands) addCommand(program, context, extension, usage);
}

function addCommand(
  program: Command,
  context: ExtensionContext,
  extension: Extension,
  usage: CommandUsage,
): void {
  const command = parentOf(program, usage, extension).command(lastWord(usage)).description(usage.summary);
  for (const { name, about, choices, several } of usage.args ?? []) {
    const argument = new Argument(several === true ? `<${name}...>` : `<${name}>`, about);
    command.addArgument(choices === undefined ? argument : argument.choices([...choices]));
  }
  for (const option of usage.options ?? []) command.addOption(optionOf(option));
  command.action(() => {
    const input = {
      args: command.args,
      options: command.opts<CommandInput['options']>(),
      ...inputOf(context, command.opts()),
    };
    const alone = usage.runAlone?.(input);
    if (alone !== undefined) return alone;
    const run = async ({ extensions }: Pick<Installation, 'extensions'>) => {
      const definition = extensions.current().commands.find(({ name }) => name === usage.name);
      if (definition === undefined)
        throw new JobFailed(
          `"${usage.name}" comes from the extension ${extension.name}, which is not running; "qal extensions list" shows why.`,
        );
      await definition.run(input);
    };
    return context.withInstallation(run, usage.keepsSchema?.(input.options));
  });
}

function optionOf({
  flags,
  about,
  choices,
  required,
  fallback,
  check,
}: NonNullable<CommandUsage['options']>[number]): Option {
  const option = new Option(flags, about).makeOptionMandatory(required === true).default(fallback);
  if (check !== undefined)
    option.argParser((value) => {
      const fault = check(value);
      if (fault !== undefined) throw new InvalidArgumentError(fault);
      return value;
    });
  return choices === undefined ? option : option.choices([...choices]);
}

function inputOf(
  { clock, signal, terminal }: ExtensionContext,
  { yes }: { readonly yes?: unknown },
): Omit<CommandInput, 'args' | 'options'> {
  return {
    user: LOCAL_USER,
    signal,
    readText: async (fileOrDash) => text((await openFile(fileOrDash, terminal)).stream),
    openFile: (fileOrDash) => openFile(fileOrDash, terminal),
    sizeOf: sizeOfFile,
    out: (part) => terminal.stdout.write(part),
    write: (piece) =>
      new Promise((resolve, reject) => {
        terminal.stdout.data.write(piece, (error) => (error ? reject(error) : resolve()));
      }),
    err: (part) => terminal.stderr.write(part),
    table: (rows) => terminal.stdout.write(columns(rows)),
    openProgress: (total) => openProgress(terminal, clock, total),
    confirm: async (question) => yes === true || confirm(terminal, question),
  };
}

async function openFile(fileOrDash: string, { stdin }: Terminal): Promise<InputFile> {
  const bytes = await sizeOfFile(fileOrDash);
  const stream = fileOrDash === '-' ? stdin : createReadStream(fileOrDash, { highWaterMark: READ_BYTES });
  return { stream, bytes };
}

async function sizeOfFile(fileOrDash: string): Promise<number | undefined> {
  if (fileOrDash === '-') return undefined;
  try {
    await access(fileOrDash, constants.R_OK);
    const about = await stat(fileOrDash);
    if (about.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    return about.isFile() ? about.size : undefined;
  } catch (error) {
    throw cannotRead(fileOrDash, error);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'part of its path is not a directory',
  EISDIR: 'it is a directory',
  EACCES: 'this account does not have permission to read it',
  EPERM: 'this account does not have permission to read it',
};

export function cannotRead(file: string, error: unknown): WrongUsage {
  const reason = REASONS[codeOf(error) ?? ''] ?? messageOf(error);
  return new WrongUsage(`${file} cannot be read: ${reason}.`);
}

const lastWord = ({ name }: CommandUsage): string => name.slice(name.indexOf(' ') + 1);

function parentOf(program: Command, { name }: CommandUsage, { commandGroups }: Extension): Command {
  const [group = '', command] = name.split(' ');
  if (command === undefined) return program;
  const known = program.commands.find((one) => one.name() === group);
  return known ?? program.command(group).description(commandGroups?.[group] ?? '');
}

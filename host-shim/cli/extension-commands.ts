// The commands that extensions bring: listed without a database, opened when one is called.
import { text } from 'node:stream/consumers';
import { Argument, type Command, Option } from 'commander';
import { CAPABILITIES } from '../auth/roles';
import type { CommandDefinition, CommandInput, CommandUsage, Extension, HostUser } from '../extension-api';
import { JobFailed, type Terminal, WrongUsage } from './command';
import { readTextFile } from './read-input';

/** The person at the keyboard owns the data directory or the database's address: nothing is hidden from them. */
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

export interface ExtensionCommandContext {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly extensions: readonly Extension[];
  /** Opens everything for the length of `work`; the argument finds a registered command. */
  withCommands<T>(work: (find: (name: string) => CommandDefinition | undefined) => Promise<T>): Promise<T>;
}

function addCommand(
  program: Command,
  extension: Extension,
  usage: CommandUsage,
  context: ExtensionCommandContext,
): void {
  const { terminal } = context;
  const command = parentOf(program, usage, extension).command(lastWord(usage)).description(usage.summary);
  for (const { name, about, choices } of usage.args) {
    const argument = new Argument(`<${name}>`, about);
    command.addArgument(choices === undefined ? argument : argument.choices([...choices]));
  }
  for (const { flags, about, choices } of usage.options) {
    const option = new Option(flags, about);
    command.addOption(choices === undefined ? option : option.choices([...choices]));
  }
  command.action(async () => {
    const input: CommandInput = {
      args: command.args,
      options: command.opts<Record<string, string | boolean | undefined>>(),
      user: LOCAL_USER,
      signal: context.signal,
      readText: (fileOrDash) => (fileOrDash === '-' ? text(terminal.stdin) : readTextFile(fileOrDash)),
      out: (part) => void terminal.stdout.write(part),
      err: (part) => void terminal.stderr.write(part),
    };
    const code = await context.withCommands((find) => {
      const definition = find(usage.name);
      if (definition === undefined)
        throw new JobFailed(
          `"${usage.name}" comes from the extension ${extension.name}, which is not running; "qal extensions list" shows why.`,
        );
      return definition.run(input);
    });
    // The command has said on stderr what went wrong.
    if (code !== 0) throw code === 2 ? new WrongUsage('') : new JobFailed('');
  });
}

const lastWord = ({ name }: CommandUsage): string => name.slice(name.indexOf(' ') + 1);

/** The command that a usage stands below: the program, or the group of its first word, made when it is new. */
function parentOf(program: Command, { name }: CommandUsage, { commandGroups }: Extension): Command {
  const [group = '', command] = name.split(' ');
  if (command === undefined) return program;
  const known = program.commands.find((one) => one.name() === group);
  return known ?? program.command(group).description(commandGroups?.[group] ?? '');
}

export function addExtensionCommands(program: Command, context: ExtensionCommandContext): void {
  for (const extension of context.extensions) {
    for (const usage of extension.commands) addCommand(program, extension, usage, context);
  }
}

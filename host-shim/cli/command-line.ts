import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import type { Command } from 'commander';
import { type Clock, programVersion } from '../extension-api';
import { type Config, ConfigError, configure, type Environment, listSettings } from '../server/config';
import { type FoundSettings, findSettings } from '../server/env-file';
import {
  type InstallationOptions,
  openInstallation,
  openMigratedDatabase,
  openPlainDatabase,
  type Product,
  schemasOf,
} from '../server/installation';
import { createLog } from '../server/logging';
import { backupCommand, restoreCommand } from './backup';
import { type AddCommand, type CommandContext, columns, type Terminal } from './command';
import { addExtensionCommands } from './extension-commands';
import { extensionsCommand } from './extensions';
import { healthCommand } from './health';
import { passwordsCommand } from './passwords';
import { plainOutput } from './plain-output';
import { runProgram } from './program';
import { serve } from './serve';
import { listenToSignals, type StopSignals } from './stop-signals';
import { usersCommand } from './users';

const EXIT_DELAY_MS = 2_000;

export const HOST_COMMANDS: readonly AddCommand[] = [
  usersCommand,
  passwordsCommand,
  extensionsCommand,
  healthCommand,
  backupCommand,
  restoreCommand,
];

const clock: Clock = () => new Date();

const terminal: Terminal = {
  stdin: process.stdin,
  stdout: plainOutput(process.stdout),
  stderr: plainOutput(process.stderr),
  interactive: process.stderr.isTTY === true,
};

export async function runCommandLine(
  product: Product,
  environment: Environment,
  { signal, received, release }: StopSignals = listenToSignals(),
): Promise<void> {
  const isTerminalGone = surviveClosedStreams();
  // Delivers a signal that arrived while the program was loading.
  await eventLoopTurn();
  const early = received();
  if (early !== undefined) {
    terminal.stderr.write('Stopped while the program was loading; nothing was done.\n');
    release();
    process.kill(process.pid, early);
    return;
  }
  let logLevel: Config['logLevel'] | undefined;
  process.exitCode = await runProgram(process.argv.slice(2), {
    terminal,
    version: programVersion(),
    showStacks: () => logLevel === 'debug' || logLevel === 'trace',
    addCommands(program) {
      logLevel = addCommands(program, product, environment, signal).logLevel;
    },
  });
  release();
  // If the terminal is gone, Node would abort during a normal exit, so this ends the process with a signal.
  if (isTerminalGone()) process.kill(process.pid, 'SIGHUP');
}

/** Adds every command. If settings are invalid, a command throws a ConfigError when it runs; help still works. */
export function addCommands(
  program: Command,
  product: Product,
  processEnvironment: Environment,
  signal: AbortSignal,
): Config {
  const { found, config, installed } = readSettings(program, product, processEnvironment);
  const log = createLog(config.logLevel);
  const options: InstallationOptions = { config, installed, log, clock, signal };
  const context: CommandContext = {
    clock,
    config,
    log,
    terminal,
    signal,
    schemas: schemasOf(installed),
    async withPlainDatabase(work) {
      const database = await openPlainDatabase(options);
      return work(database).finally(() => database.stop());
    },
    async withDatabase(work) {
      const { database } = await openMigratedDatabase(options);
      return work(database).finally(() => database.stop());
    },
    async withInstallation(work, keepsSchema) {
      const installation = await openInstallation({ ...options, keepsSchema });
      return work(installation).finally(() => installation.database.stop());
    },
  };

  program
    .command('serve')
    .description('start the server; the first start creates an administrator')
    .option('--port <port>', 'overrides PORT')
    .addHelpText('after', () => settingsHelp(product))
    .action(({ port }: { port?: string }) => {
      const chosen =
        port === undefined
          ? config
          : configure(product.extensions, { ...found.environment, PORT: port }).config;
      return serve({ ...options, product, config: chosen, terminal, signal }).finally(endSoon);
    });
  program
    .command('migrate')
    .description('migrate the database to the latest schema')
    .action(async () => {
      const { database, applied } = await openMigratedDatabase(options);
      await database.stop();
      terminal.stdout.write(
        applied.length === 0 ? 'Nothing to apply.\n' : applied.map((name) => `${name}\n`).join(''),
      );
    });
  program
    .command('config')
    .description('show every setting, its value and where it comes from; secrets are hidden')
    .action(() => {
      const rows = config.settings.map(({ variable, value }) => [
        variable,
        value ?? 'not set',
        found.sourceOf(variable) ?? 'default',
      ]);
      terminal.stdout.write(columns([['SETTING', 'VALUE', 'FROM'], ...rows]));
    });
  for (const add of HOST_COMMANDS) add(program, context);
  addExtensionCommands(program, context, installed);
  return config;
}

function readSettings(program: Command, { extensions }: Product, processEnvironment: Environment) {
  const settingsFrom = (found: FoundSettings) => {
    const { config, extensions: installed } = configure(extensions, found.environment);
    return { found, config, installed };
  };
  try {
    const known = listSettings(extensions).map(({ variable }) => variable);
    return settingsFrom(findSettings(processEnvironment, known));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    program.hook('preAction', () => {
      throw error;
    });
    return settingsFrom({ environment: {}, sourceOf: () => undefined });
  }
}

/** A thread that cannot be interrupted (DuckDB on a long string) keeps the process alive; process.exit() waits for it too. */
function endSoon(): void {
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), EXIT_DELAY_MS).unref();
}

function settingsHelp({ extensions }: Product): string {
  const lines = listSettings(extensions).map(
    ({ variable, about, fallback }) =>
      `  ${variable}${fallback === undefined ? '' : `=${fallback}`}  ${about}`,
  );
  return `\nSettings, from the environment:\n${lines.join('\n')}`;
}

/** A closed pipe (`qal ... | head`) ends the program silently. Returns a function that checks whether the terminal is gone. */
function surviveClosedStreams(): () => boolean {
  let terminalGone = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    if (error.code !== 'EIO') throw error;
    terminalGone = true;
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error;
    terminalGone ||= error.code === 'EIO';
  });
  return () => terminalGone;
}

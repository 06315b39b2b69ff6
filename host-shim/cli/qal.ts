#!/usr/bin/env node
// The entry of the command line: real streams, real signals, the exit code.
import type { Command } from 'commander';
import { type Config, readConfig, settings } from '../config';
import type { Extensions } from '../extensions/load-extensions';
import { createLog } from '../logging';
import { installedExtensions, openInstallation, openMigratedDatabase } from '../main';
import { programVersion } from '../package-version';
import { serve } from '../serve';
import type { CommandContext, Terminal } from './command';
import { demoCommand } from './demo';
import { addExtensionCommands } from './extension-commands';
import { addExtensionsCommand } from './extensions';
import { importCommand } from './import';
import { passwordsCommand } from './passwords';
import { runProgram } from './program';
import { rollupsCommand } from './rollups';
import { sitesCommand } from './sites';
import { stopSignal } from './stop-signal';
import { usersCommand } from './users';

const clock = () => new Date();

const terminal: Terminal = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  interactive: process.stderr.isTTY === true,
};

const settingsHelp = (): string =>
  `\nSettings, from the environment:\n${settings.map(({ name, about, fallback }) => `  ${name}${fallback === undefined ? '' : `=${fallback}`}  ${about}`).join('\n')}`;

function addCommands(program: Command, config: Config, signal: AbortSignal): void {
  const log = createLog(config.logLevel);
  const context: CommandContext = {
    clock,
    terminal,
    signal,
    async withDatabase(work) {
      const { database } = await openMigratedDatabase(config, log);
      try {
        return await work(database);
      } finally {
        await database.stop();
      }
    },
  };

  program
    .command('serve')
    .description('start the server; on the first start with an administrator and a demo site')
    .option('--port <port>', 'instead of PORT')
    .addHelpText('after', settingsHelp)
    .action((options: { port?: string }) => {
      const chosen = options.port === undefined ? config : readConfig({ PORT: options.port });
      return serve({ config: chosen, terminal, clock, log, signal });
    });
  program
    .command('migrate')
    .description('bring the database to the newest schema')
    .action(async () => {
      const { database, applied } = await openMigratedDatabase(config, log);
      await database.stop();
      terminal.stdout.write(
        applied.length === 0 ? 'Nothing to apply.\n' : applied.map((name) => `${name}\n`).join(''),
      );
    });
  for (const add of [
    usersCommand,
    passwordsCommand,
    sitesCommand,
    importCommand,
    rollupsCommand,
    demoCommand,
  ])
    add(program, context);
  async function withExtensions<T>(work: (extensions: Extensions) => Promise<T>): Promise<T> {
    const { database, extensions } = await openInstallation(config, { log, clock });
    try {
      return await work(extensions);
    } finally {
      await database.stop();
    }
  }
  addExtensionsCommand(program, { terminal, withExtensions });
  addExtensionCommands(program, {
    terminal,
    signal,
    extensions: installedExtensions(config),
    withCommands: (work) =>
      withExtensions((extensions) => {
        const { commands } = extensions.current();
        return work((name) => commands.find((command) => command.name === name));
      }),
  });
}

/** A closed pipe (`qal ... | head`) ends the program quietly; a closed terminal sends SIGHUP, which stops it cleanly. */
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

const { signal, release } = stopSignal(clock);
let showStacks = false;
runProgram(process.argv.slice(2), {
  terminal,
  version: programVersion(),
  showStacks: () => showStacks,
  addCommands(program) {
    const config = readConfig();
    showStacks = config.logLevel === 'debug' || config.logLevel === 'trace';
    addCommands(program, config, signal);
  },
}).then((code) => {
  release();
  process.exitCode = code;
  // At its end Node aborts over a terminal that is gone; by the signal it ends without a look at it.
  if (terminalGone) process.kill(process.pid, 'SIGHUP');
});

// Runs a command of the program (except `serve` and `migrate`) within this process, on a test database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyticsExtension } from '../../extension/index';
import type { CommandContext } from '../../host-shim/cli/command';
import { HOST_COMMANDS } from '../../host-shim/cli/command-line';
import { addExtensionCommands } from '../../host-shim/cli/extension-commands';
import { runProgram } from '../../host-shim/cli/program';
import { type Clock, type Extension, NO_TELEMETRY } from '../../host-shim/extension-api';
import { configure } from '../../host-shim/server/config';
import { migrationComparer, schemasOf } from '../../host-shim/server/installation';
import { loadHost } from '../../host-shim/server/load-host';
import { createLog } from '../../host-shim/server/logging';
import type { TestDatabase } from './database';
import { SETTINGS } from './test-host';
import { SCHEMAS } from './test-server';
import { createTestTerminal, type TestInput } from './test-terminal';

export interface CommandParts {
  readonly database: Pick<TestDatabase, 'read' | 'write' | 'readerRole'>;
  /** Default: the analytics extension. Extensions are registered again for each command. */
  readonly installed?: readonly Extension[];
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  /** Default: a new folder, which is removed afterwards. */
  readonly dataDir?: string;
  /** The host's settings. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface CommandOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function runCommand(
  parts: CommandParts,
  args: readonly string[],
  input: TestInput = '',
): Promise<CommandOutcome> {
  const {
    installed = [analyticsExtension(SETTINGS)],
    clock = () => new Date('2026-05-01T10:00:00Z'),
    signal = new AbortController().signal,
  } = parts;
  const dataDir = parts.dataDir ?? (await mkdtemp(join(tmpdir(), 'qal-command-')));
  const database = {
    ...parts.database,
    description: 'test',
    replicas: undefined,
    warnings: [],
    stop: async () => undefined,
  };
  const terminal = createTestTerminal(input);
  const log = createLog('silent');
  const { config } = configure([], { DATA_DIR: dataDir, ...parts.environment });
  const context: CommandContext = {
    terminal,
    clock,
    config,
    log,
    signal,
    schemas: SCHEMAS,
    withPlainDatabase: (work) => work(database),
    withDatabase: (work) => work(database),
    async withInstallation(work) {
      const compareMigrations = migrationComparer(database, schemasOf(installed));
      const { missing, unknown } = await compareMigrations();
      // The program would apply missing migrations and reject unknown ones.
      if (missing.length + unknown.length > 0) throw new Error('The database has a different schema.');
      return work({
        database,
        extensions: await loadHost({
          clock,
          log,
          database,
          telemetry: NO_TELEMETRY,
          dataDir,
          installed,
          settings: config,
          compareMigrations,
        }),
      });
    },
  };
  const code = await runProgram(args, {
    terminal,
    version: '1.2.3',
    showStacks: () => false,
    addCommands(program) {
      for (const add of HOST_COMMANDS) add(program, context);
      addExtensionCommands(program, context, installed);
    },
  });
  if (parts.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  return { code, out: terminal.out(), err: terminal.err() };
}

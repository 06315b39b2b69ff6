// Owns command lines of an extension in tests: each in a program of its own, for which everything is registered anew.
import { addExtensionCommands } from '../../host-shim/cli/extension-commands';
import { runProgram } from '../../host-shim/cli/program';
import type { Clock, Extension } from '../../host-shim/extension-api';
import { loadExtensions } from '../../host-shim/extensions/load-extensions';
import { createLog } from '../../host-shim/logging';
import type { TestDatabase } from './database';
import { createTestTerminal } from './test-terminal';

export interface ProgramParts {
  readonly extension: Extension;
  readonly database: TestDatabase;
  readonly clock: Clock;
}

/** Runs one command line with this text on standard input. */
export async function runExtensionCommand(
  { extension, database, clock }: ProgramParts,
  args: readonly string[],
  input = '',
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const terminal = createTestTerminal(input);
  const log = createLog('fatal');
  const extensions = await loadExtensions({ clock, log, database, installed: [extension] });
  const { commands } = extensions.current();
  const code = await runProgram(args, {
    terminal,
    version: '1',
    showStacks: () => false,
    addCommands: (program) =>
      addExtensionCommands(program, {
        terminal,
        signal: new AbortController().signal,
        extensions: [extension],
        withCommands: (work) => work((name) => commands.find((command) => command.name === name)),
      }),
  });
  return { code, out: terminal.out(), err: terminal.err() };
}

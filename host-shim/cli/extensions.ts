// qal extensions list | activate | deactivate: for an installation whose pages do not help, or do not work.
import type { Extensions } from '../extensions/load-extensions';
import { columns } from './columns';
import type { AddCommand, CommandContext } from './command';

export interface ExtensionsContext extends Pick<CommandContext, 'terminal'> {
  /** Opens and loads everything for the length of `work`. */
  withExtensions<T>(work: (extensions: Extensions) => Promise<T>): Promise<T>;
}

/** A server that runs keeps what it has loaded. */
const RESTART = 'A server that is running takes it up when it is started again.';

export function addExtensionsCommand(program: Parameters<AddCommand>[0], context: ExtensionsContext): void {
  const { terminal } = context;
  const extensions = program.command('extensions').description('the extensions of this installation');

  extensions
    .command('list')
    .description('show which are on, and why one could not start')
    .action(async () => {
      const listed = await context.withExtensions((loaded) => loaded.list());
      const rows = listed.map(({ name, version, state, failure, installed, description }) => [
        name,
        version,
        failure === null || !installed ? state : `${state}, could not start`,
        failure ?? description,
      ]);
      terminal.stdout.write(columns(rows));
    });

  for (const [word, about, done] of [
    ['activate', 'turn one on', 'is active'],
    ['deactivate', 'turn one off; what it keeps stays', 'is inactive'],
  ] as const) {
    extensions
      .command(`${word} <name>`)
      .description(about)
      .action(async (name: string) => {
        await context.withExtensions((loaded) => loaded[word](name));
        terminal.stderr.write(`${name} ${done}. ${RESTART}\n`);
      });
  }
}

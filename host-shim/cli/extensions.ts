// qal extensions list | activate | deactivate: for an installation whose pages do not help, or do not work.
import { type AddCommand, columns } from './command';

export const extensionsCommand: AddCommand = (program, { terminal, withInstallation }) => {
  const command = program.command('extensions').description('the extensions of this installation');

  command
    .command('list')
    .description('show which are on, and why one does not start')
    .action(async () => {
      const listed = await withInstallation(({ extensions }) => extensions.list());
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
    ['deactivate', 'turn one off; its data stay', 'is inactive'],
  ] as const) {
    command
      .command(`${word} <name>`)
      .description(about)
      .action(async (name: string) => {
        await withInstallation(({ extensions }) => extensions[word](name));
        terminal.stderr.write(`${name} ${done}. Running servers follow within a second.\n`);
      });
  }
};

// These commands work even when the pages do not.
import { type AddCommand, columns } from './command';

export const extensionsCommand: AddCommand = (program, { terminal, withInstallation }) => {
  const command = program.command('extensions').description("this installation's extensions");

  command
    .command('list')
    .description('list all extensions, with the reason if one could not start')
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
    ['activate', 'turn an extension on', 'is active'],
    ['deactivate', 'turn an extension off; its data is kept', 'is inactive'],
  ] as const) {
    command
      .command(`${word} <name>`)
      .description(about)
      .action(async (name: string) => {
        await withInstallation(({ extensions }) => extensions[word](name));
        terminal.stderr.write(`${name} ${done}. Running servers pick up the change within a second.\n`);
      });
  }
};

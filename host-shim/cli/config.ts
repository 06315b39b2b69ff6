// qal config: every setting with its value and where that comes from.
import type { Command } from 'commander';
import type { Config } from '../server/config';
import type { FoundSettings } from '../server/env-file';
import { columns, type Terminal } from './command';

export function configCommand(
  program: Command,
  { settings }: Config,
  { sourceOf }: FoundSettings,
  { stdout }: Terminal,
): void {
  program
    .command('config')
    .description('show every setting with its value and where that comes from; secrets are hidden')
    .action(() => {
      const rows = settings.map(({ variable, value }) => [
        variable,
        value ?? 'not set',
        sourceOf(variable) ?? 'default',
      ]);
      stdout.write(columns([['SETTING', 'VALUE', 'FROM'], ...rows]));
    });
}

// qal health: everything that is looked after, for a person, and for cron by its exit code.
import { JobFailed } from '../extension-api';
import { isFine, lineOf, lookAtHealth } from '../health/look-at-health';
import type { AddCommand } from './command';

export const healthCommand: AddCommand = (program, { log, terminal, withInstallation }) => {
  program
    .command('health')
    .description('look for what is wrong and say what to do; exit code 1 when there is something')
    .option('--quiet', 'print only what is wrong')
    .action(async ({ quiet }: { quiet?: true }) => {
      const lines = await withInstallation(({ extensions }) =>
        lookAtHealth(extensions.current().healthChecks, log),
      );
      for (const line of lines) {
        if (line.state === 'fine') {
          if (!quiet) terminal.stdout.write(`${lineOf(line)}\n`);
          continue;
        }
        const { about, remedy } = line;
        const command = remedy.command === undefined ? '' : `  ${remedy.command}\n`;
        terminal.stdout.write(`${lineOf(line)}\n  ${about}\n  ${remedy.text}\n${command}`);
      }
      const wrong = lines.filter((line) => !isFine(line)).length;
      if (wrong > 0) throw new JobFailed(`${wrong} of ${lines.length} checks found something.`);
    });
};

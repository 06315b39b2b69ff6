import { hostname } from 'node:os';
import { hasAlarms, sendAlarm } from '../alarms/send-alarm';
import { JobFailed, messageOf } from '../extension-api';
import { checkHealth, isFine, lineOf } from '../health/check-health';
import { vitalChecks } from '../health/host-checks';
import { migrationComparer } from '../server/installation';
import type { AddCommand } from './command';

export const healthCommand: AddCommand = (program, context) => {
  const { clock, config, log, terminal, schemas, withPlainDatabase, withInstallation } = context;
  program
    .command('health')
    .description(
      'check the installation, and report problems and how to fix them; exits with code 1 if it finds any',
    )
    .option('--quiet', 'print problems only')
    .option('--test-alarm', 'only send a test alarm by e-mail and webhook')
    .action(async ({ quiet, testAlarm }: { quiet?: true; testAlarm?: true }) => {
      if (testAlarm) {
        if (!hasAlarms(config)) throw new JobFailed('Set QAL_ALARM_MAIL or QAL_ALARM_WEBHOOK.');
        const options = { config, log, product: 'A test', server: hostname(), now: clock() };
        await sendAlarm({ problems: [], fineAgain: [] }, options).catch((error: unknown) => {
          throw new JobFailed(messageOf(error), { cause: error });
        });
        terminal.stderr.write('A test alarm was sent.\n');
        return;
      }
      const lines = await withPlainDatabase(async (database) => {
        const { write } = database;
        const compareMigrations = migrationComparer(database, schemas);
        const vital = await checkHealth(vitalChecks({ write, compareMigrations }), log);
        // The other checks need an installation, and opening one migrates the schema.
        if (vital.some(({ state }) => state === 'failing')) return vital;
        return withInstallation(({ extensions }) => checkHealth(extensions.current().healthChecks, log));
      });
      for (const line of lines) {
        if (line.state === 'fine') {
          if (!quiet) terminal.stdout.write(`${lineOf(line)}\n`);
          continue;
        }
        const { about, remedy } = line;
        const command = remedy.command === undefined ? '' : `  ${remedy.command}\n`;
        terminal.stdout.write(`${lineOf(line)}\n  ${about}\n  ${remedy.text}\n${command}`);
      }
      const problems = lines.filter((line) => !isFine(line)).length;
      if (problems > 0) throw new JobFailed(`${problems} of ${lines.length} checks found a problem.`);
    });
};

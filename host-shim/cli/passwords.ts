// qal passwords create | list | revoke: application passwords, which the REST interface takes.
import { randomBytes } from 'node:crypto';
import { showSecret } from '../auth/application-password';
import {
  createApplicationPassword,
  listApplicationPasswords,
  revokeApplicationPasswords,
} from '../auth/application-password-store';
import { columns } from './columns';
import { type AddCommand, JobFailed, WrongUsage } from './command';

const day = (date: Date | null) => (date === null ? 'never used' : `used ${date.toISOString().slice(0, 10)}`);

export const passwordsCommand: AddCommand = (program, context) => {
  const passwords = program.command('passwords').description('application passwords of an account');

  passwords
    .command('create <user>')
    .description('make one; the secret alone goes to standard output and is kept nowhere')
    .requiredOption('--name <name>', 'what it is for')
    .action(async (login: string, options: { name: string }) => {
      const made = await context.withDatabase((database) =>
        createApplicationPassword(
          database.write,
          { login, name: options.name },
          { clock: context.clock, randomBytes },
        ),
      );
      context.terminal.stdout.write(`${showSecret(made.secret)}\n`);
    });

  passwords
    .command('list <user>')
    .description('show names, uuids and last use')
    .action(async (login: string) => {
      const found = await context.withDatabase((database) => listApplicationPasswords(database.write, login));
      const rows = found.map((one) => [
        one.uuid,
        one.createdAt.toISOString().slice(0, 10),
        day(one.lastUsedAt),
        one.name,
      ]);
      context.terminal.stdout.write(columns(rows));
    });

  passwords
    .command('revoke <user> [uuid]')
    .description('make one useless at once, or all with --all')
    .option('--all', 'revoke every application password of the account')
    .action(async (login: string, uuid: string | undefined, options: { all?: true }) => {
      if ((uuid === undefined) === (options.all === undefined)) {
        throw new WrongUsage('Say which one by its uuid ("qal passwords list" shows them), or --all.');
      }
      const revoked = await context.withDatabase((database) =>
        revokeApplicationPasswords(database.write, login, uuid ?? 'all'),
      );
      if (revoked === 0 && uuid !== undefined)
        throw new JobFailed(`${login} has no application password ${uuid}.`);
      context.terminal.stderr.write(`Revoked ${revoked}.\n`);
    });
};

// qal users add | list.
import { randomBytes } from 'node:crypto';
import { Option } from 'commander';
import { type ListedSite, listSites } from '../../db/sites/apply-sites';
import { AccountError, createUser, listUsers, ROLES } from '../auth/users';
import type { HostUser } from '../extension-api';
import { columns } from './columns';
import type { AddCommand } from './command';
import { readPassword } from './read-password';

interface AddOptions {
  readonly role: HostUser['role'];
  readonly sites?: string;
  readonly email?: string;
  readonly passwordStdin?: true;
}

const splitList = (text = '') =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** A misspelled site would be one that the account never sees. */
function refuseUnknown(wanted: readonly string[], known: readonly ListedSite[]): void {
  const ids = known.map(({ trackingId }) => trackingId);
  const unknown = wanted.filter((id) => !ids.includes(id));
  if (unknown.length === 0) return;
  throw new AccountError(
    `There is no site ${unknown.join(', ')}; the sites are ${ids.join(', ') || 'none yet'}.`,
  );
}

export const usersCommand: AddCommand = (program, context) => {
  const users = program.command('users').description('accounts of this installation');

  users
    .command('add <name>')
    .description('create an account; asks for its login password')
    .addOption(new Option('--role <role>', 'what it may do').choices([...ROLES]).makeOptionMandatory())
    .option('--sites <list>', 'tracking ids that an analyst may see, separated by commas')
    .option('--email <address>', 'may be used instead of the name to log in')
    .option('--password-stdin', 'read the login password from the first line of standard input')
    .action(async (login: string, options: AddOptions) => {
      const password = await readPassword(context.terminal, {
        login,
        fromStdin: options.passwordStdin === true,
      });
      const sites = splitList(options.sites);
      await context.withDatabase(async (database) => {
        if (options.role === 'analyst') refuseUnknown(sites, await listSites(database.write));
        await createUser(
          database.write,
          {
            login,
            password,
            role: options.role,
            sites,
            ...(options.email !== undefined && { email: options.email }),
          },
          { clock: context.clock, randomBytes },
        );
      });
      context.terminal.stderr.write(
        `Added ${options.role} ${login}. Next: qal passwords create ${login} --name NAME\n`,
      );
    });

  users
    .command('list')
    .description('show all accounts')
    .action(async () => {
      const found = await context.withDatabase((database) => listUsers(database.write));
      const rows = found.map((user) => [
        user.login,
        user.disabled ? `${user.role} (disabled)` : user.role,
        user.sites === 'all' ? 'all sites' : user.sites.join(',') || 'no site',
        `${user.applicationPasswords} application passwords`,
      ]);
      context.terminal.stdout.write(columns(rows));
    });
};

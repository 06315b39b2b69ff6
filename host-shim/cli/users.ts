import { randomBytes } from 'node:crypto';
import { Option } from 'commander';
import { listUsers, ROLES } from '../accounts/accounts';
import { changeUser, createUser, setDisabled, setLoginPassword } from '../accounts/users';
import { removeSecondFactor } from '../auth/second-factor';
import { countOf, type HostUser, WrongUsage } from '../extension-api';
import { type AddCommand, columns } from './command';
import { findAccount, refuseUnknownSites, siteIds, splitList } from './find-named';
import { readPassword } from './read-answer';

interface SetOptions {
  readonly role?: HostUser['role'];
  readonly sites?: string;
  readonly email?: string;
}

interface AddOptions extends SetOptions {
  readonly role: HostUser['role'];
  readonly passwordStdin?: true;
}

export const usersCommand: AddCommand = (program, context) => {
  const users = program.command('users').description("this installation's accounts");

  users
    .command('add <name>')
    .description('create an account; asks for its login password')
    .addOption(
      new Option('--role <role>', 'what the account may do').choices([...ROLES]).makeOptionMandatory(),
    )
    .option('--sites <list>', 'ids of the sites that an analyst may see, separated by commas')
    .option('--email <address>', 'can be used instead of the name to log in')
    .option('--password-stdin', 'read the login password from the first line of standard input')
    .action(async (login: string, options: AddOptions) => {
      const password = await readPassword(context.terminal, login, options);
      const sites = splitList(options.sites);
      await context.withInstallation(async (installation) => {
        if (options.role !== 'administrator') refuseUnknownSites(sites, await siteIds(installation));
        await createUser(
          installation.database.write,
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
    .description('list all accounts')
    .action(async () => {
      const found = await context.withDatabase((database) => listUsers(database.write));
      const rows = found.map((user) => [
        user.login,
        user.disabled ? `${user.role} (disabled)` : user.role,
        user.sites === 'all' ? 'all sites' : user.sites.join(',') || 'no sites',
        countOf(user.applicationPasswords, 'application password'),
      ]);
      context.terminal.stdout.write(columns(rows));
    });

  users
    .command('set <name>')
    .description('change an account; options that you leave out stay the same')
    .addOption(new Option('--role <role>', 'what the account may do').choices([...ROLES]))
    .option(
      '--sites <list>',
      'ids of the sites that an analyst may see, replacing the current list; "" for none',
    )
    .option('--email <address>', 'can be used instead of the name to log in; "" removes it')
    .action(async (login: string, { role, sites, email }: SetOptions) => {
      if (role === undefined && sites === undefined && email === undefined)
        throw new WrongUsage('Specify what to change: --role, --sites or --email.');
      await context.withInstallation(async (installation) => {
        const { write } = installation.database;
        const { id } = await findAccount(write, login);
        const granted = sites === undefined ? undefined : splitList(sites);
        refuseUnknownSites(granted ?? [], await siteIds(installation));
        await changeUser(write, id, { role, email, sites: granted });
      });
      context.terminal.stderr.write(`Changed ${login}.\n`);
    });

  users
    .command('password <name>')
    .description('set a new login password and end all sessions; use it when the old password is lost')
    .option('--password-stdin', 'read the login password from the first line of standard input')
    .action(async (login: string, options: { passwordStdin?: true }) => {
      const password = await readPassword(context.terminal, login, options);
      await context.withDatabase(async ({ write }) =>
        setLoginPassword(write, (await findAccount(write, login)).id, password, { randomBytes }),
      );
      context.terminal.stderr.write(`${login} has a new login password, and all its sessions have ended.\n`);
    });

  users
    .command('remove-second-factor <name>')
    .description(
      'let an account log in with its password alone; use it when its device and recovery codes are lost',
    )
    .action(async (login: string) => {
      const isRemoved = await context.withDatabase(async ({ write }) =>
        removeSecondFactor(write, (await findAccount(write, login)).id),
      );
      if (isRemoved) context.log.warn({ login }, 'A second factor was removed.');
      context.terminal.stderr.write(
        isRemoved ? `${login} no longer has a second factor.\n` : `${login} had no second factor.\n`,
      );
    });

  for (const [word, disabled, about, done] of [
    ['disable', true, 'lock an account: end its sessions and refuse its application passwords', 'Disabled'],
    ['enable', false, 'unlock an account', 'Enabled'],
  ] as const) {
    users
      .command(`${word} <name>`)
      .description(about)
      .action(async (login: string) => {
        await context.withDatabase(async ({ write }) =>
          setDisabled(write, (await findAccount(write, login)).id, disabled),
        );
        context.terminal.stderr.write(`${done} ${login}.\n`);
      });
  }
};

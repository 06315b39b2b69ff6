import type { ListedUser } from '../accounts/accounts';
import { issuePassword, revokePasswords } from '../accounts/passwords';
import { checkedFields } from '../accounts/users';
import { showSecret } from '../auth/application-password';
import { type ApplicationPassword, listApplicationPasswords } from '../auth/application-password-store';
import { grantableLevels, LEVEL_TITLES } from '../auth/key-levels';
import { type KeyRestrictions, readRestrictions } from '../auth/key-restrictions';
import { JobFailed, KEY_LEVELS, utcText, WrongUsage } from '../extension-api';
import type { Installation } from '../server/installation';
import { type AddCommand, columns } from './command';
import { findAccount, siteIds, splitList } from './find-named';

interface CreateOptions {
  readonly name: string;
  readonly expires?: string;
  readonly sites?: string;
  readonly addresses?: string;
  readonly share?: string;
  readonly level: string;
}

const LEVELS = KEY_LEVELS.map((level) => `${level} (${LEVEL_TITLES[level]})`).join(', ');

const lastUse = (date: Date | null) => (date === null ? 'never used' : `used ${utcText(date)}`);

/** `Read, until 2027-02-01T00:00Z, only shop, from 10.0.0.0/8, 20% of the rate limit` */
function describe({ restrictions, opens }: ApplicationPassword, now: Date): string {
  const { expiresAt, sites, addressRanges, rateShare, level } = restrictions;
  return [
    opens === null ? LEVEL_TITLES[level] : `link to the ${opens}`,
    expiresAt && `${expiresAt <= now ? 'expired' : 'until'} ${utcText(expiresAt, 'YYYY-MM-DDTHH:mm[Z]')}`,
    sites && `only ${sites.join(' ')}`,
    addressRanges && `from ${addressRanges.join(' ')}`,
    rateShare && `${rateShare}% of the rate limit`,
  ]
    .filter(Boolean)
    .join(', ');
}

/** An empty option (`--sites "$SITES"` with an unset variable) must not create an unrestricted password. */
function refuseEmpty(options: Readonly<Record<string, string | undefined>>): void {
  const empty = Object.keys(options).find((name) => options[name]?.trim() === '');
  if (empty !== undefined) throw new JobFailed(`--${empty} is empty; leave it out for no restriction.`);
}

async function restrictionsFor(
  installation: Installation,
  { capabilities, timezone, sites }: ListedUser,
  options: CreateOptions,
  now: Date,
): Promise<KeyRestrictions> {
  const { expires, addresses, share, level } = options;
  refuseEmpty({ expires, addresses, share, level, sites: options.sites?.replaceAll(',', '') });
  const read = readRestrictions(
    { expires, addresses, share, level, sites: splitList(options.sites) },
    {
      now,
      timezone,
      sites,
      known: await siteIds(installation),
      levels: grantableLevels(capabilities, capabilities),
    },
  );
  if (read.ok) return read.restrictions;
  throw new JobFailed(
    Object.entries(read.faults)
      .map(([option, fault]) => `--${option}: ${fault}`)
      .join('\n'),
  );
}

export const passwordsCommand: AddCommand = (program, context) => {
  const passwords = program.command('passwords').description("an account's application passwords");

  passwords
    .command('create <user>')
    .description('create an application password and print it; only its hash is stored')
    .requiredOption('--name <name>', 'what the password is for')
    .option(
      '--expires <date>',
      "the last day it is valid, or a time such as 2027-01-31T12:00, in the account's time zone",
    )
    .option('--sites <list>', "ids of sites, separated by commas; default: all of the account's sites")
    .option(
      '--addresses <list>',
      'accept the password only from these addresses and ranges: 192.0.2.7,10.0.0.0/8,::1',
    )
    .option('--share <percent>', "percentage of the account's rate limit that the password may use, 1 to 99")
    .option('--level <level>', `what the password may do: ${LEVELS}`, 'read')
    .action(async (login: string, options: CreateOptions) => {
      checkedFields({ name: options.name });
      const secret = await context.withInstallation(async (installation) => {
        const { clock } = context;
        const { write } = installation.database;
        const account = await findAccount(write, login);
        const restrictions = await restrictionsFor(installation, account, options, clock());
        const { hooks } = installation.extensions;
        const requested = { userId: account.id, name: options.name, restrictions };
        return (await issuePassword({ write, clock, hooks }, requested)).secret;
      });
      context.terminal.stdout.write(`${showSecret(secret)}\n`);
    });

  passwords
    .command('list <user>')
    .description("list an account's passwords: uuid, last use, name, level and restrictions")
    .action(async (login: string) => {
      const found = await context.withDatabase(async ({ write }) =>
        listApplicationPasswords(write, (await findAccount(write, login)).id),
      );
      const rows = found.map((one) => [
        one.uuid,
        utcText(one.createdAt),
        lastUse(one.lastUsedAt),
        one.name,
        describe(one, context.clock()),
      ]);
      context.terminal.stdout.write(columns(rows));
    });

  passwords
    .command('revoke <user> [uuid]')
    .description('revoke one application password, or all of them with --all')
    .option('--all', 'revoke every application password and shared link of the account')
    .action(async (login: string, uuid: string | undefined, options: { all?: true }) => {
      if ((uuid === undefined) === (options.all === undefined)) {
        throw new WrongUsage('Specify a password by its uuid ("qal passwords list" shows it), or use --all.');
      }
      const revoked = await context.withInstallation(async ({ database: { write }, extensions }) => {
        const { id } = await findAccount(write, login);
        return revokePasswords({ write, hooks: extensions.hooks }, id, uuid === undefined ? 'all' : [uuid]);
      });
      if (revoked.length === 0 && uuid !== undefined)
        throw new JobFailed(`${login} has no application password ${uuid}.`);
      context.terminal.stderr.write(`Revoked ${revoked.length}.\n`);
    });
};

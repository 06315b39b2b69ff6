import { PROGRAM, shellQuoted } from '../extension-api';
import { type Config, isDefaultDataDir } from '../server/config';
import { FIRST_PAGE } from '../server/page-addresses';

/** The secrets are printed once; the database stores only their hashes. */
export interface FirstAccount {
  readonly login: string;
  readonly loginPassword: string;
  /** In groups of four characters. */
  readonly applicationPassword: string;
}

export interface Welcome {
  readonly url: string;
  /** The address of the separate listener. */
  readonly healthUrl: string | undefined;
  /** For example, "embedded PostgreSQL 18.4 in ./data". */
  readonly database: string;
  readonly config: Config;
  /** Defined only on the very first start. */
  readonly account: FirstAccount | undefined;
  readonly administrator: string;
  readonly lines: readonly string[];
}

export function welcomeText(welcome: Welcome): string {
  const { url, healthUrl, database, lines } = welcome;
  return [
    '',
    `Ready at ${url}, using ${database}.`,
    ...(healthUrl === undefined ? [] : [`Health checks at ${healthUrl}/healthz and /readyz.`]),
    '',
    `Log in at ${url}${FIRST_PAGE} to manage users and application passwords.`,
    '',
    ...accountLines(welcome),
    '',
    ...(lines.length === 0 ? [] : [...lines, '']),
    'Press Ctrl-C to stop.',
    '',
  ].join('\n');
}

function accountLines(welcome: Welcome): readonly string[] {
  const { account } = welcome;
  if (account === undefined) return passwordResetLines(welcome);
  return [
    'Shown only once and not stored:',
    '',
    `  Administrator         ${account.login}`,
    `  Login password        ${account.loginPassword}`,
    `  Application password  ${account.applicationPassword}`,
  ];
}

/** Shows a command that replaces a lost login password. It must open the same database. */
function passwordResetLines({ administrator, config }: Welcome): readonly string[] {
  const embedded = config.databaseUrl === undefined;
  const remark = embedded ? '' : ' (with the same DATABASE_URL set)';
  const set = (name: string, value: string) => `${name}=${shellQuoted(value)} `;
  const dataDir = !embedded || isDefaultDataDir(config) ? '' : set('DATA_DIR', config.dataDir);
  const pgBinDir = !embedded || config.pgBinDir === undefined ? '' : set('PG_BINDIR', config.pgBinDir);
  return [
    `To replace a lost login password${remark}:`,
    '',
    `  ${dataDir}${pgBinDir}${/^[\w/.-]+$/.test(PROGRAM) ? PROGRAM : shellQuoted(PROGRAM)} users password ${administrator}`,
  ];
}

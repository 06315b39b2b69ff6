// The text on stdout once the server listens: where it is, who may log in, and what the extensions add.

import { PROGRAM } from '../extension-api';
import { type Config, dataDirIsUsual } from '../server/config';
import { FIRST_PAGE } from '../server/page-addresses';

/** Its secrets are printed once; the database has only their hashes. */
export interface FirstAccount {
  readonly login: string;
  readonly loginPassword: string;
  /** In groups of four, as people are shown it. */
  readonly applicationPassword: string;
}

export interface Welcome {
  readonly url: string;
  /** For people: "embedded PostgreSQL 18.4 in ./data". */
  readonly database: string;
  readonly config: Config;
  /** Of the very first start only. */
  readonly account: FirstAccount | undefined;
  /** The login of an administrator. */
  readonly administrator: string;
  /** From the extensions. */
  readonly lines: readonly string[];
}

/** The whole text, with a line break at its end. */
export function welcomeText(welcome: Welcome): string {
  const { url, database, lines } = welcome;
  return [
    '',
    `Ready at ${url}, on ${database}.`,
    '',
    `Log in at ${url}${FIRST_PAGE} to manage users and application passwords.`,
    '',
    ...accountLines(welcome),
    '',
    ...(lines.length === 0 ? [] : [...lines, '']),
    'Ctrl-C stops it.',
    '',
  ].join('\n');
}

function accountLines(welcome: Welcome): readonly string[] {
  const { account } = welcome;
  if (account === undefined) return wayBack(welcome);
  return [
    'Shown this once, kept nowhere:',
    '',
    `  Administrator         ${account.login}`,
    `  Login password        ${account.loginPassword}`,
    `  Application password  ${account.applicationPassword}`,
  ];
}

/** As one word of a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** How to reset a lost login password; the command must find the same database. */
function wayBack({ administrator, config }: Welcome): readonly string[] {
  const embedded = config.databaseUrl === undefined;
  const remark = embedded ? '' : ' (with the same DATABASE_URL set)';
  const set = (name: string, value: string) => `${name}=${quote(value)} `;
  const dataDir = !embedded || dataDirIsUsual(config) ? '' : set('DATA_DIR', config.dataDir);
  const pgBinDir = !embedded || config.pgBinDir === undefined ? '' : set('PG_BINDIR', config.pgBinDir);
  return [
    `A lost login password is replaced${remark} with:`,
    '',
    `  ${dataDir}${pgBinDir}${/^[\w/.-]+$/.test(PROGRAM) ? PROGRAM : quote(PROGRAM)} users password ${administrator}`,
  ];
}

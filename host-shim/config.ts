// The settings of the program: the only reader of process.env.
// environment -> Config, or a ConfigError that lists every fault at once. An empty variable counts as unset.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

/** Words joined by slashes, without one at either end. */
export const NAMESPACE_PATTERN = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/;

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i;

const wholeNumber = (least: number, most: number, unit = '') =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most)
    .describe(`a whole number from ${least} to ${most}${unit}`);

const oneOf = <const T extends readonly [string, ...string[]]>(...names: T) =>
  z.enum(names).describe(`one of ${names.join(', ')}`);

const onOff = z
  .enum(['on', 'off'])
  .transform((text) => text === 'on')
  .describe('one of on, off');

/** A user part without a host (`user@/db?host=/socket`) is right for PostgreSQL and wrong for URL, so a host is put in. */
const databaseUrl = z
  .string()
  .refine(
    (text) =>
      /^postgres(ql)?:\/\//.test(text) && URL.canParse(text.replace(/^(\w+:\/\/)([^/]*@)?\//, '$1$2host/')),
  )
  .describe('a PostgreSQL address such as postgresql://user:secret@host:5432/name');

const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isProxyAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  const rangeFits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return NAMED_RANGES.has(text) || (isIP(address) !== 0 && rangeFits && rest.length === 0);
}

const listOf = (text: string) => text.split(',').map((part) => part.trim());

/** A number of proxies, or a list of their addresses; express reads the same forms. */
const trustProxy = z
  .string()
  .refine((text) => /^\d{1,2}$/.test(text) || listOf(text).every(isProxyAddress))
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : listOf(text)))
  .describe(
    'the number of proxies in front, or their addresses separated by commas (10.0.0.1, 10.0.0.0/8, loopback, uniquelocal)',
  );

/**
 * One row per variable. `key` is its name in Config; `shape` carries in its description what a right value looks like;
 * the value of a `secret` is never shown.
 */
const VARIABLES = {
  PORT: {
    key: 'port',
    shape: wholeNumber(0, 65535),
    fallback: '8080',
    about: 'TCP port of the HTTP server; 0 takes a free one',
  },
  HOST: {
    key: 'host',
    shape: z
      .string()
      .regex(/^[A-Za-z0-9.:_[\]-]+$/)
      .describe('a host name or an IP address'),
    fallback: '127.0.0.1',
    about: 'address that the HTTP server listens on',
  },
  DATABASE_URL: {
    key: 'databaseUrl',
    secret: true,
    shape: databaseUrl,
    fallback: undefined,
    about: 'your own PostgreSQL server; without it the embedded one is started',
  },
  DATABASE_READ_URL: {
    key: 'databaseReadUrl',
    secret: true,
    shape: databaseUrl,
    fallback: undefined,
    about:
      'the same database with a role that can only read; without it the connections of DATABASE_URL are set read-only',
  },
  DATA_DIR: {
    key: 'dataDir',
    shape: z
      .string()
      .transform((path) => resolve(path))
      .describe('a directory'),
    fallback: './data',
    about: 'where the embedded database lives',
  },
  PG_BINDIR: {
    key: 'pgBinDir',
    shape: z
      .string()
      .transform((path) => resolve(path))
      .describe('a directory that holds initdb and postgres'),
    fallback: undefined,
    about: 'run the embedded database with these PostgreSQL programs (15 or newer)',
  },
  DB_POOL_MAX: {
    key: 'dbPoolMax',
    shape: wholeNumber(2, 200),
    fallback: '10',
    about: 'most connections that each database pool opens; an import takes two at once',
  },
  REST_PREFIX: {
    key: 'restPrefix',
    shape: z
      .string()
      .regex(/^(\/[A-Za-z0-9_-]+)+$/)
      .describe('a path that begins with a slash and ends without one'),
    fallback: '/wp-json',
    about: 'path under which the REST interface lies',
  },
  QAL_NAMESPACE: {
    key: 'namespace',
    shape: z
      .string()
      .regex(NAMESPACE_PATTERN)
      .describe('words of letters, digits, - and _, joined by slashes'),
    fallback: 'qa-platform',
    about: 'REST namespace of the query service',
  },
  QAL_DEFAULT_VERSION: {
    key: 'defaultVersion',
    shape: z
      .string()
      .regex(/^(latest|oldest|\d{4}-\d{2}-\d{2})$/)
      .describe('latest, oldest or the date of a contract'),
    fallback: 'latest',
    about: 'contract of a request that names no version',
  },
  QAL_RATE_PER_HOUR: {
    key: 'ratePerHour',
    shape: wholeNumber(0, 1_000_000),
    fallback: '100',
    about: 'calls per user and hour with application passwords; 0 = no limit',
  },
  QAL_RATE_PER_MINUTE: {
    key: 'ratePerMinute',
    shape: wholeNumber(0, 1_000_000),
    fallback: '10',
    about: 'calls per user and minute with application passwords; 0 = no limit',
  },
  QAL_PAGES_RATE_PER_MINUTE: {
    key: 'pagesRatePerMinute',
    shape: wholeNumber(0, 1_000_000),
    fallback: '120',
    about: 'calls per user and minute that the pages make for a person; 0 = no limit',
  },
  QAL_QUERY_TIMEOUT_SECONDS: {
    key: 'queryTimeoutSeconds',
    shape: wholeNumber(1, 86_400),
    fallback: '300',
    about: 'a query that runs longer is cancelled',
  },
  QAL_ROLLUPS: {
    key: 'rollups',
    shape: onOff,
    fallback: 'on',
    about:
      'off answers every query from rows, with equal results; the counts that imports keep beside them stay up to date',
  },
  QAL_RESULT_CACHE_MB: {
    key: 'resultCacheMb',
    shape: wholeNumber(0, 65_536),
    fallback: '64',
    about: 'megabytes of results that are kept for equal queries, until the data change; 0 = none',
  },
  QAL_DOCS_URL: {
    key: 'docsUrl',
    shape: z
      .string()
      .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text))
      .describe('an address that begins with http:// or https://'),
    fallback: undefined,
    about: 'address of the documentation that the guide names',
  },
  QAL_RESPONSE_ENVELOPE: {
    key: 'responseEnvelope',
    shape: oneOf('result', 'data'),
    fallback: 'result',
    about: 'envelope of a successful answer of the newest contract',
  },
  QAL_ENVIRONMENT: {
    key: 'environment',
    shape: oneOf('local', 'production'),
    fallback: undefined,
    about:
      'local accepts credentials over plain HTTP from anywhere and tells a wrong user from a wrong password on host routes; default: local when HOST is a loopback address and TRUST_PROXY is not set, else production',
  },
  TRUST_PROXY: {
    key: 'trustProxy',
    shape: trustProxy,
    fallback: undefined,
    about: 'proxies whose X-Forwarded-* headers are believed',
  },
  LOG_LEVEL: {
    key: 'logLevel',
    shape: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'warn',
    about: 'least level of the log on stderr; info adds one line per request, debug the stack of every error',
  },
} as const;

type Variable = keyof typeof VARIABLES;
type Row<Name extends Variable> = (typeof VARIABLES)[Name];

/** What the rows read; without a fallback it may be unset. */
type ReadValues = {
  readonly [Name in Variable as Row<Name>['key']]:
    | z.output<Row<Name>['shape']>
    | (Row<Name>['fallback'] extends string ? never : undefined);
};

export type Config = Omit<ReadValues, 'environment'> & {
  readonly environment: NonNullable<ReadValues['environment']>;
};

export type LogLevel = Config['logLevel'];

/** One row of the table of settings. */
export interface Setting {
  readonly key: keyof Config;
  readonly name: string;
  readonly about: string;
  readonly allowed: string;
  readonly fallback: string | undefined;
  readonly secret: boolean;
}

/** Every variable with what it means, what it takes and what holds without it. */
export const settings: readonly Setting[] = Object.entries(VARIABLES).map(([name, row]) => ({
  key: row.key,
  name,
  about: row.about,
  allowed: row.shape.description ?? '',
  fallback: row.fallback,
  secret: 'secret' in row,
}));

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Reads the environment, `overrides` first; throws a ConfigError that names every variable with a wrong value. */
export function readConfig(
  overrides: Partial<Record<Variable, string>> = {},
  environment: NodeJS.ProcessEnv = process.env,
): Config {
  const faults: string[] = [];
  const first: Readonly<Record<string, string | undefined>> = overrides;
  const values: Record<string, unknown> = {};
  for (const [name, row] of Object.entries(VARIABLES)) {
    const text = (first[name] ?? environment[name])?.trim() || row.fallback;
    const outcome = row.shape.optional().safeParse(text);
    if (outcome.success) {
      values[row.key] = outcome.data;
      continue;
    }
    const shown = 'secret' in row ? 'its value (not shown, it may hold a password)' : JSON.stringify(text);
    faults.push(`${name} must be ${row.shape.description}; ${shown} is not.`);
  }
  // Each value is of its own row's shape; where one is missing a fault is thrown.
  const read = values as ReadValues;
  if (read.databaseReadUrl !== undefined && read.databaseUrl === undefined) {
    faults.push('DATABASE_READ_URL needs DATABASE_URL beside it; alone it has no database to belong to.');
  }
  if (faults.length > 0) throw new ConfigError(faults);
  // A proxy in front brings callers from elsewhere to a loopback address.
  const isLocal = LOOPBACK_HOST.test(read.host) && read.trustProxy === undefined;
  return { ...read, environment: read.environment ?? (isLocal ? 'local' : 'production') };
}

/** The settings that lead another command to the same database; those with a secret are named without their value. */
export function databaseSettings(
  config: Config,
): readonly { readonly name: string; readonly value?: string }[] {
  if (config.databaseUrl !== undefined) return [{ name: 'DATABASE_URL' }];
  const isUsual = config.dataDir === resolve(VARIABLES.DATA_DIR.fallback);
  return [
    ...(isUsual ? [] : [{ name: 'DATA_DIR', value: config.dataDir }]),
    ...(config.pgBinDir === undefined ? [] : [{ name: 'PG_BINDIR', value: config.pgBinDir }]),
  ];
}

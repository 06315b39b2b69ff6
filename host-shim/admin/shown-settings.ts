// The settings as a page may show them: each variable with what holds, and never a secret.
// An address with a password in it is only said to be set.
import { type Config, settings } from '../config';

export interface ShownSetting {
  readonly name: string;
  readonly about: string;
  /** null = not set. */
  readonly value: string | null;
}

const addressOf = (url: string | undefined): string | null =>
  url === undefined ? null : 'set; not shown, it may hold a password';

const VALUES: Readonly<Record<string, (config: Config) => string | null>> = {
  PORT: ({ port }) => String(port),
  HOST: ({ host }) => host,
  DATABASE_URL: ({ databaseUrl }) => addressOf(databaseUrl),
  DATABASE_READ_URL: ({ databaseReadUrl }) => addressOf(databaseReadUrl),
  DATA_DIR: ({ dataDir }) => dataDir,
  PG_BINDIR: ({ pgBinDir }) => pgBinDir ?? null,
  DB_POOL_MAX: ({ dbPoolMax }) => String(dbPoolMax),
  REST_PREFIX: ({ restPrefix }) => restPrefix,
  QAL_NAMESPACE: ({ namespace }) => namespace,
  QAL_DEFAULT_VERSION: ({ defaultVersion }) => defaultVersion,
  QAL_RATE_PER_HOUR: ({ ratePerHour }) => String(ratePerHour),
  QAL_RATE_PER_MINUTE: ({ ratePerMinute }) => String(ratePerMinute),
  QAL_PAGES_RATE_PER_MINUTE: ({ pagesRatePerMinute }) => String(pagesRatePerMinute),
  QAL_QUERY_TIMEOUT_SECONDS: ({ queryTimeoutSeconds }) => String(queryTimeoutSeconds),
  QAL_ROLLUPS: ({ rollups }) => (rollups ? 'on' : 'off'),
  QAL_RESULT_CACHE_MB: ({ resultCacheMb }) => String(resultCacheMb),
  QAL_DOCS_URL: ({ docsUrl }) => docsUrl ?? null,
  QAL_RESPONSE_ENVELOPE: ({ responseEnvelope }) => responseEnvelope,
  QAL_ENVIRONMENT: ({ environment }) => environment,
  TRUST_PROXY: ({ trustProxy }) =>
    trustProxy === undefined
      ? null
      : typeof trustProxy === 'number'
        ? String(trustProxy)
        : trustProxy.join(', '),
  LOG_LEVEL: ({ logLevel }) => logLevel,
};

/** Every setting there is, in the order of the table of settings. */
export const shownSettings = (config: Config): readonly ShownSetting[] =>
  settings.map(({ name, about }) => ({ name, about, value: VALUES[name]?.(config) ?? null }));

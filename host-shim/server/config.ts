// Reads the settings of the host and its extensions. An empty variable is treated as not set.
import type { Extension, ExtensionFactory, Setting, SettingTable, SettingValues } from '../extension-api';
import { DEFAULT_DATA_DIR, HOST_SETTINGS } from './host-settings';

export type Environment = Readonly<Record<string, string | undefined>>;

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i;

type HostValues = SettingValues<typeof HOST_SETTINGS>;

interface ShownSetting {
  readonly variable: string;
  readonly about: string;
  /** null = not set. A secret's value is not shown. */
  readonly value: string | null;
}

export type Config = HostValues & {
  readonly environment: NonNullable<HostValues['environment']>;
  readonly dataDir: string;
  /** The host's settings, then those of its extensions. */
  readonly settings: readonly ShownSetting[];
};

export const listSettings = (extensions: readonly ExtensionFactory[]): readonly Setting[] =>
  [HOST_SETTINGS, ...extensions.map(({ settings }) => settings)].flatMap((table) => Object.values(table));

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/** Reads all settings and creates the extensions. Throws a ConfigError that lists every invalid variable. */
export function configure(
  factories: readonly ExtensionFactory[],
  environment: Environment,
): { readonly config: Config; readonly extensions: readonly Extension[] } {
  const host = readSettings(HOST_SETTINGS, environment);
  const ofExtensions = factories.map((factory) => ({
    factory,
    ...readSettings(factory.settings, environment),
  }));
  const faults = [host, ...ofExtensions].flatMap((read) => read.faults);
  const { values } = host;
  if (values.databaseReadUrl !== undefined && values.databaseUrl === undefined)
    faults.push('DATABASE_READ_URL needs DATABASE_URL too.');
  if (values.alarmMail !== undefined && (values.smtpUrl === undefined || values.mailFrom === undefined))
    faults.push('QAL_ALARM_MAIL needs QAL_SMTP_URL and QAL_MAIL_FROM too.');
  if (values.alarmWebhook !== undefined && values.webhookSecret === undefined)
    faults.push('QAL_ALARM_WEBHOOK needs QAL_WEBHOOK_SECRET too.');
  if (values.alarmWebhook?.startsWith('http:') && !values.webhookPrivate)
    faults.push('QAL_ALARM_WEBHOOK must begin with https://, unless QAL_WEBHOOK_PRIVATE=on allows others.');
  if (values.loginHeader !== undefined && values.loginHeaderFrom === undefined)
    faults.push('QAL_LOGIN_HEADER needs QAL_LOGIN_HEADER_FROM too.');
  if (faults.length > 0) throw new ConfigError(faults);
  // Behind a proxy, a loopback address does not mean that callers are local.
  const isLocal = LOOPBACK_HOST.test(values.host) && values.trustProxy === undefined;
  const complete = {
    ...values,
    environment: values.environment ?? (isLocal ? 'local' : 'production'),
    dataDir: values.dataDir ?? DEFAULT_DATA_DIR,
  };
  const settings = [
    ...showSettings(HOST_SETTINGS, complete),
    ...ofExtensions.flatMap((one) => showSettings(one.factory.settings, one.values)),
  ];
  return {
    config: { ...complete, settings },
    extensions: ofExtensions.map((one) => one.factory.create(one.values)),
  };
}

/** `values` is complete only if there are no faults. */
export function readSettings<Table extends SettingTable>(
  table: Table,
  environment: Environment,
): { readonly values: SettingValues<Table>; readonly faults: readonly string[] } {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [key, { variable, shape, fallback, secret = false }] of Object.entries(table)) {
    const text = environment[variable]?.trim() || fallback;
    const outcome = shape.optional().safeParse(text);
    if (outcome.success) {
      values[key] = outcome.data;
      continue;
    }
    const given = secret ? 'its value (not shown, it may contain a password)' : JSON.stringify(text);
    faults.push(`${variable} must be ${shape.description}; ${given} is not.`);
  }
  return { values: values as SettingValues<Table>, faults };
}

const showSettings = (table: SettingTable, values: SettingValues<SettingTable>): readonly ShownSetting[] =>
  Object.entries(table).map(([key, { variable, about, secret = false }]) => ({
    variable,
    about,
    value: shownValue(values[key], secret),
  }));

function shownValue(value: unknown, secret: boolean): string | null {
  if (value === undefined) return null;
  if (secret) return 'set; not shown, it may contain a password';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Whether a command finds the embedded database if DATA_DIR is not set. */
export const isDefaultDataDir = ({ dataDir }: Config): boolean => dataDir === DEFAULT_DATA_DIR;

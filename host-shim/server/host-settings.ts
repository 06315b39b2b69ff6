// Every setting of the host: variable, format and purpose.
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { databaseUrls } from '../../db/read-addresses';
import { addressRangeOf } from '../auth/address-ranges';
import {
  MAIL_ADDRESS,
  matching,
  matchingUrl,
  oneOf,
  onOff,
  PACKAGE_ROOT,
  type SettingTable,
  wholeNumber,
} from '../extension-api';

const folder = (description: string) =>
  z
    .string()
    .transform((path) => resolve(path))
    .describe(description);

const listOf = (text: string) => text.split(',').map((part) => part.trim());

/** Values separated by commas. */
const listing = (isValid: (part: string) => boolean, description: string) =>
  z
    .string()
    .transform(listOf)
    .refine((parts) => parts.every(isValid))
    .describe(description);

const secretKey = matching(/^[!-~]{16,}$/, 'at least 16 characters without spaces');

const NAMED_RANGES = new Set(['loopback', 'linklocal', 'uniquelocal']);

function isProxyAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const maxBits = isIP(address) === 4 ? 32 : 128;
  const rangeFits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
  return NAMED_RANGES.has(text) || (isIP(address) !== 0 && rangeFits && rest.length === 0);
}

/** A number of proxies or a list of addresses, in the form that Express accepts. */
const trustProxy = z
  .string()
  .refine((text) => /^\d{1,2}$/.test(text) || listOf(text).every(isProxyAddress))
  .transform((text) => (/^\d+$/.test(text) ? Number(text) : listOf(text)))
  .describe(
    'the number of proxies in front of the server, or their addresses separated by commas (10.0.0.1, 10.0.0.0/8, loopback, uniquelocal)',
  );

/** The host must be a name or an address, so that it can neither terminate a header directive nor match other hosts. */
const isOrigin = (text: string): boolean =>
  /^https?:\/\/[\w.:[\]-]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** The login in an address is percent-encoded. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** An npm update replaces an installed package's folder, so data is not stored there. */
export const defaultDataDir = (program: string, home: () => string): string =>
  program.split(sep).includes('node_modules')
    ? join(home(), '.local', 'share', 'qal-analytics')
    : join(program, 'data');

export const DEFAULT_DATA_DIR = defaultDataDir(PACKAGE_ROOT, homedir);

/** If QAL_ENV_FILE has this value, no file is read. */
export const NO_ENV_FILE = 'off';

export const HOST_SETTINGS = {
  envFile: {
    variable: 'QAL_ENV_FILE',
    shape: matching(/^(?:off|\/.*)$/, 'an absolute path, or off'),
    about:
      'file with settings, one NAME=value per line; environment variables override it. Default: qal.env in DATA_DIR, else /etc/qal.env; off reads none',
  },
  port: {
    variable: 'PORT',
    shape: wholeNumber(0, 65535),
    fallback: '8080',
    about: 'TCP port of the HTTP server; 0 picks a free one',
  },
  healthPort: {
    variable: 'HEALTH_PORT',
    shape: wholeNumber(0, 65535),
    about:
      'TCP port of a second listener for /healthz, /readyz and /metrics, in a separate thread that answers while the server is busy; 0 picks a free one. Default: only PORT serves them',
  },
  host: {
    variable: 'HOST',
    shape: matching(/^[A-Za-z0-9.:_[\]-]+$/, 'a host name or an IP address'),
    fallback: '127.0.0.1',
    about: 'address the HTTP server listens on',
  },
  databaseUrl: {
    variable: 'DATABASE_URL',
    secret: true,
    shape: databaseUrls,
    about:
      'your own PostgreSQL server, or a primary and its standbys, separated by commas; without it the program starts the embedded one',
  },
  databaseReadUrl: {
    variable: 'DATABASE_READ_URL',
    secret: true,
    shape: databaseUrls,
    about:
      'the same database with a read-only role, or its replicas, separated by commas; default: DATABASE_URL in read-only mode',
  },
  dataDir: {
    variable: 'DATA_DIR',
    shape: folder('a directory'),
    about:
      "directory of the embedded database; default: data in the program's folder, or ~/.local/share/qal-analytics if npm installed it",
  },
  pgBinDir: {
    variable: 'PG_BINDIR',
    shape: folder('a directory that contains initdb and postgres'),
    about:
      'directory with the PostgreSQL programs (15 or newer) that run the embedded database; default: the bundled ones',
  },
  pgOldBinDir: {
    variable: 'PG_OLD_BINDIR',
    shape: folder('a directory that contains postgres from an earlier major version'),
    about:
      'directory with the PostgreSQL programs of the earlier major version that wrote the embedded database; needed once, to upgrade it; default: the standard folders, such as /usr/lib/postgresql/15/bin',
  },
  dbPoolMax: {
    variable: 'DB_POOL_MAX',
    shape: wholeNumber(2, 200),
    fallback: '10',
    about:
      'maximum number of connections in each of the two database pools; the one for writing has at least 3',
  },
  dbTempFileMb: {
    variable: 'DB_TEMP_FILE_MB',
    shape: wholeNumber(0, 16_777_216),
    fallback: '4096',
    about:
      'megabytes of temporary files that one read in PostgreSQL may write, if the role may set this limit; 0 = no limit',
  },
  restPrefix: {
    variable: 'REST_PREFIX',
    shape: matching(
      /^(?!\/(?:wp-admin|docs|link|healthz|readyz|metrics)(?:\/|$))(\/[A-Za-z0-9_-]+)+$/,
      'a path that begins with a slash, ends without one, and is not below /wp-admin, /docs or another path of this program',
    ),
    fallback: '/wp-json',
    about: 'path of the REST interface',
  },
  ratePerHour: {
    variable: 'QAL_RATE_PER_HOUR',
    shape: wholeNumber(0, 1_000_000),
    fallback: '100',
    about: 'calls per user per hour with application passwords; 0 = no limit',
  },
  ratePerMinute: {
    variable: 'QAL_RATE_PER_MINUTE',
    shape: wholeNumber(0, 1_000_000),
    fallback: '10',
    about: 'calls per user per minute with application passwords; 0 = no limit',
  },
  readingRatePerHour: {
    variable: 'QAL_MCP_RATE_PER_HOUR',
    shape: wholeNumber(0, 1_000_000),
    fallback: '1000',
    about: 'messages from AI clients (MCP) per user per hour; 0 = no limit',
  },
  readingRatePerMinute: {
    variable: 'QAL_MCP_RATE_PER_MINUTE',
    shape: wholeNumber(0, 1_000_000),
    fallback: '60',
    about: 'messages from AI clients (MCP) per user per minute; 0 = no limit',
  },
  pagesRatePerHour: {
    variable: 'QAL_PAGES_RATE_PER_HOUR',
    shape: wholeNumber(0, 1_000_000),
    fallback: '1000',
    about:
      'calls per user per hour from the pages, and per address per hour through a shared link; 0 = no limit',
  },
  pagesRatePerMinute: {
    variable: 'QAL_PAGES_RATE_PER_MINUTE',
    shape: wholeNumber(0, 1_000_000),
    fallback: '60',
    about:
      'calls per user per minute from the pages, and per address per minute through a shared link; 0 = no limit',
  },
  environment: {
    variable: 'QAL_ENVIRONMENT',
    shape: oneOf('local', 'production'),
    about:
      'local accepts credentials over plain HTTP from anywhere and distinguishes an unknown user from a wrong password on host routes; default: local when HOST is a loopback address and TRUST_PROXY is not set, else production',
  },
  embedOrigins: {
    variable: 'QAL_EMBED_ORIGINS',
    shape: listing(isOrigin, 'origins separated by commas, such as https://www.example.com'),
    about: 'websites that may show shared pages in a frame. Default: none',
  },
  publicUrl: {
    variable: 'QAL_PUBLIC_URL',
    shape: z
      .string()
      .regex(/^https?:\/\/[^/?#@\\]+\/?$/i)
      .transform((text) => (URL.canParse(text) ? new URL(text).origin : ''))
      .refine(isOrigin)
      .describe('an address without a path, such as https://stats.example.com'),
    about:
      'address at which people and programs reach this installation, for links and URLs in responses; needed by scheduled reports. Default: in responses, the host that the client requested',
  },
  trustProxy: {
    variable: 'TRUST_PROXY',
    shape: trustProxy,
    about: 'proxies whose X-Forwarded-* headers are trusted',
  },
  loginHeader: {
    variable: 'QAL_LOGIN_HEADER',
    shape: matching(
      /^(?!(?:authorization|cookie|host|origin)$)[A-Za-z][A-Za-z0-9-]*$/i,
      'the name of a header, such as X-Forwarded-User',
    ),
    about:
      "header in which an authenticating proxy passes the user's login to the pages; needs QAL_LOGIN_HEADER_FROM",
  },
  loginHeaderFrom: {
    variable: 'QAL_LOGIN_HEADER_FROM',
    shape: listing(
      (range) => addressRangeOf(range) !== undefined,
      'addresses and ranges separated by commas (127.0.0.1, 10.0.0.0/8)',
    ),
    about: 'addresses of the proxies whose QAL_LOGIN_HEADER is trusted; from others, the header is ignored',
  },
  adminSecondFactor: {
    variable: 'QAL_ADMIN_SECOND_FACTOR',
    shape: onOff,
    fallback: 'off',
    about:
      'on = administrators must set up a second factor on their profile before they can do anything else on the pages',
  },
  metricsToken: {
    variable: 'METRICS_TOKEN',
    secret: true,
    shape: secretKey,
    about: 'bearer token for /metrics; without it /metrics does not exist',
  },
  otlpEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    shape: matchingUrl(
      /^https?:\/\/[^?#@]+$/,
      'an address that begins with http:// or https://, without a login, ? or #',
    ),
    about:
      'address of an OpenTelemetry collector that receives the spans of every request via OTLP over HTTP',
  },
  backupDir: {
    variable: 'QAL_BACKUP_DIR',
    shape: folder('a directory'),
    about:
      'existing folder, ideally on a different disk, into which a server writes a backup every day; each installation needs its own; default: no backups',
  },
  backupAt: {
    variable: 'QAL_BACKUP_AT',
    shape: matching(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day such as 03:00'),
    fallback: '03:00',
    about: "when the daily backup begins, in the server's local time",
  },
  backupCommand: {
    variable: 'QAL_BACKUP_COMMAND',
    shape: z.string().describe('a shell command'),
    about:
      'shell command that runs after each backup, for example to copy it to another computer; "$1" is the file; an exit code other than 0 is shown as a problem on the Health page',
  },
  backupRecipients: {
    variable: 'QAL_BACKUP_RECIPIENTS',
    shape: listing(
      (key) => /^age1[a-z0-9]{50,}$/.test(key),
      'age public keys (age1...), separated by commas',
    ),
    about:
      'backups in QAL_BACKUP_DIR are encrypted for the owners of these keys (age-encryption.org); default: not encrypted',
  },
  backupRehearsal: {
    variable: 'QAL_BACKUP_REHEARSAL',
    shape: onOff,
    fallback: 'on',
    about:
      'on = once every 30 days, the new backup is restored into a temporary database in DATA_DIR, which is compared with the backup',
  },
  backupBeforeUpgrade: {
    variable: 'QAL_BACKUP_BEFORE_UPGRADE',
    shape: onOff,
    fallback: 'on',
    about:
      'on = a new version writes a backup before it changes the database, into QAL_BACKUP_DIR or the folder backups in DATA_DIR, and does not start without it',
  },
  backupsDaily: {
    variable: 'QAL_BACKUPS_DAILY',
    shape: wholeNumber(1, 10_000),
    fallback: '7',
    about: 'number of days whose last backup is kept',
  },
  backupsWeekly: {
    variable: 'QAL_BACKUPS_WEEKLY',
    shape: wholeNumber(0, 10_000),
    fallback: '4',
    about: 'number of weeks whose last backup is kept',
  },
  backupsMonthly: {
    variable: 'QAL_BACKUPS_MONTHLY',
    shape: wholeNumber(0, 10_000),
    fallback: '12',
    about: 'number of months whose last backup is kept',
  },
  alarmMail: {
    variable: 'QAL_ALARM_MAIL',
    shape: listing((part) => MAIL_ADDRESS.test(part), 'e-mail addresses separated by commas'),
    about:
      'e-mail addresses that are notified when a health check has reported a problem for five minutes, and when it passes again',
  },
  smtpUrl: {
    variable: 'QAL_SMTP_URL',
    secret: true,
    shape: z
      .string()
      .refine((text) => /^smtps?:\/\/[^/?#]+\/?$/.test(text) && URL.canParse(text) && isDecodable(text))
      .describe(
        'an address such as smtps://USER:PASSWORD@mail.example or smtp://mail.example:587, in which special characters of the password are percent-encoded (% as %25)',
      ),
    about: 'mail server for alarms and reports; a password is sent over TLS only',
  },
  mailFrom: {
    variable: 'QAL_MAIL_FROM',
    shape: matching(MAIL_ADDRESS, 'an e-mail address'),
    about: 'sender address of all e-mails',
  },
  alarmWebhook: {
    variable: 'QAL_ALARM_WEBHOOK',
    secret: true,
    shape: matchingUrl(/^https?:\/\//, 'an address that begins with https://'),
    about: 'address that receives alarms as JSON by POST',
  },
  webhookSecret: {
    variable: 'QAL_WEBHOOK_SECRET',
    secret: true,
    shape: secretKey,
    about: 'key for signing webhooks',
  },
  webhookPrivate: {
    variable: 'QAL_WEBHOOK_PRIVATE',
    shape: onOff,
    fallback: 'off',
    about: 'on = webhooks may have a private address or use plain HTTP',
  },
  logLevel: {
    variable: 'LOG_LEVEL',
    shape: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'warn',
    about: 'lowest level logged to stderr; info adds one line per request, debug the stack of every error',
  },
} as const satisfies SettingTable;

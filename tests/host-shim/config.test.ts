// For every setting: accepted values, rejected values, and errors that contain the name of the variable.

import type { ExtensionFactory } from '../../host-shim/extension-api';
import { PRODUCT } from '../../host-shim/main';
import { ConfigError, configure, type Environment, listSettings } from '../../host-shim/server/config';

/** Reads all settings: the host's, and those of the program's extensions. */
function read(environment: Environment): Readonly<Record<string, unknown>> {
  let extensionValues = {};
  const recording = PRODUCT.extensions.map(
    (factory): ExtensionFactory => ({
      settings: factory.settings,
      create(values) {
        extensionValues = { ...extensionValues, ...values };
        return factory.create(values);
      },
    }),
  );
  const { config } = configure(recording, environment);
  return { ...config, ...extensionValues };
}

interface Row {
  readonly name: string;
  readonly key: string;
  readonly valid: readonly (readonly [string, unknown])[];
  readonly invalid: readonly string[];
}

const AGE_KEY = `age1${'q'.repeat(58)}`;
const POSTGRES = 'postgresql://me:pw@db.example:5432/stats';
const companions = {
  DATABASE_READ_URL: { DATABASE_URL: POSTGRES },
  QAL_ALARM_MAIL: { QAL_SMTP_URL: 'smtp://mail.example', QAL_MAIL_FROM: 'qal@a.example' },
  QAL_LOGIN_HEADER: { QAL_LOGIN_HEADER_FROM: '127.0.0.1' },
  QAL_ALARM_WEBHOOK: { QAL_WEBHOOK_SECRET: 'a-secret-of-16-chars' },
} as const;

const switches: readonly (readonly [name: string, key: string])[] = [
  ['QAL_ADMIN_SECOND_FACTOR', 'adminSecondFactor'],
  ['QAL_COLUMNS', 'columns'],
  ['QAL_DEMO', 'demo'],
  ['QAL_BACKUP_REHEARSAL', 'backupRehearsal'],
  ['QAL_BACKUP_BEFORE_UPGRADE', 'backupBeforeUpgrade'],
  ['QAL_WEBHOOK_PRIVATE', 'webhookPrivate'],
  ['QAL_QUERY_RECORD_VALUES', 'queryRecordValues'],
];

const table: readonly Row[] = [
  {
    name: 'QAL_ENV_FILE',
    key: 'envFile',
    valid: [
      ['/srv/qal.env', '/srv/qal.env'],
      ['off', 'off'],
    ],
    invalid: ['qal.env', 'none'],
  },
  {
    name: 'PORT',
    key: 'port',
    valid: [
      ['0', 0],
      ['65535', 65535],
    ],
    invalid: ['65536', '-1', '80.5', 'http', '0x50'],
  },
  {
    name: 'HOST',
    key: 'host',
    valid: [
      ['0.0.0.0', '0.0.0.0'],
      ['::1', '::1'],
      ['localhost', 'localhost'],
    ],
    invalid: ['http://x', 'a b'],
  },
  {
    name: 'DATABASE_URL',
    key: 'databaseUrl',
    valid: [
      [POSTGRES, [POSTGRES]],
      ['postgres:///stats?host=/run/postgresql', ['postgres:///stats?host=/run/postgresql']],
      ['postgres://me@/stats?host=/run/postgresql', ['postgres://me@/stats?host=/run/postgresql']],
      [
        'postgresql://me@one,two:5433/stats?target_session_attrs=read-write',
        [
          'postgresql://me@one/stats?target_session_attrs=read-write',
          'postgresql://me@two:5433/stats?target_session_attrs=read-write',
        ],
      ],
    ],
    invalid: ['mysql://x/y', 'db.example', 'postgres://[bad'],
  },
  {
    name: 'DATABASE_READ_URL',
    key: 'databaseReadUrl',
    valid: [
      [POSTGRES, [POSTGRES]],
      [
        `${POSTGRES}, ${POSTGRES},postgres:///stats?host=/run`,
        [POSTGRES, POSTGRES, 'postgres:///stats?host=/run'],
      ],
      [
        'postgresql://me:a%2Cb@one,two:5433/stats?sslmode=require',
        [
          'postgresql://me:a%2Cb@one/stats?sslmode=require&uselibpqcompat=true',
          'postgresql://me:a%2Cb@two:5433/stats?sslmode=require&uselibpqcompat=true',
        ],
      ],
    ],
    invalid: ['x', `${POSTGRES},x`, `${POSTGRES},mysql://x/y`],
  },
  { name: 'DATA_DIR', key: 'dataDir', valid: [['/srv/data', '/srv/data']], invalid: [] },
  {
    name: 'QAL_LOGIN_HEADER',
    key: 'loginHeader',
    valid: [['X-Forwarded-User', 'X-Forwarded-User']],
    invalid: ['Authorization', 'cookie', 'a b', 'X:Y'],
  },
  {
    name: 'QAL_LOGIN_HEADER_FROM',
    key: 'loginHeaderFrom',
    valid: [['127.0.0.1, fd00::/8', ['127.0.0.1', 'fd00::/8']]],
    invalid: ['proxy.example', '10.0.0.0/33', '10.0.0.1,'],
  },
  {
    name: 'PG_OLD_BINDIR',
    key: 'pgOldBinDir',
    valid: [['/usr/lib/postgresql/15/bin', '/usr/lib/postgresql/15/bin']],
    invalid: [],
  },
  {
    name: 'PG_BINDIR',
    key: 'pgBinDir',
    valid: [['/usr/lib/postgresql/15/bin', '/usr/lib/postgresql/15/bin']],
    invalid: [],
  },
  { name: 'DB_TEMP_FILE_MB', key: 'dbTempFileMb', valid: [['0', 0]], invalid: ['-1', '16777217'] },
  {
    name: 'DB_POOL_MAX',
    key: 'dbPoolMax',
    valid: [
      ['2', 2],
      ['200', 200],
    ],
    invalid: ['1', '201'],
  },
  {
    name: 'REST_PREFIX',
    key: 'restPrefix',
    valid: [
      ['/api', '/api'],
      ['/a/b', '/a/b'],
    ],
    invalid: ['/wp-admin', '/docs/rest', 'api', '/api/', '/', '/a b'],
  },
  {
    name: 'QAL_NAMESPACE',
    key: 'namespace',
    valid: [
      ['stats', 'stats'],
      ['stats/v1', 'stats/v1'],
    ],
    invalid: ['/stats', 'stats/', 'a b', 'wp/v2', 'QAL-data/v1'],
  },
  {
    name: 'QAL_DEFAULT_VERSION',
    key: 'defaultVersion',
    valid: [
      ['oldest', 'oldest'],
      ['2025-10-20', '2025-10-20'],
    ],
    invalid: ['newest', '20251020'],
  },
  {
    name: 'QAL_RATE_PER_HOUR',
    key: 'ratePerHour',
    valid: [
      ['0', 0],
      ['5000', 5000],
    ],
    invalid: ['-1', 'none'],
  },
  { name: 'QAL_MCP_RATE_PER_HOUR', key: 'readingRatePerHour', valid: [['0', 0]], invalid: ['-1'] },
  { name: 'QAL_MCP_RATE_PER_MINUTE', key: 'readingRatePerMinute', valid: [['0', 0]], invalid: ['-1'] },
  {
    name: 'QAL_RATE_PER_MINUTE',
    key: 'ratePerMinute',
    valid: [
      ['0', 0],
      ['60', 60],
    ],
    invalid: ['1e3', ''.padEnd(12, '9')],
  },
  {
    name: 'QAL_EMBED_ORIGINS',
    key: 'embedOrigins',
    valid: [
      ['https://www.example.com', ['https://www.example.com']],
      [
        'https://a.example, http://localhost:3000,https://[2001:db8::1]',
        ['https://a.example', 'http://localhost:3000', 'https://[2001:db8::1]'],
      ],
    ],
    invalid: [
      '*',
      'example.com',
      'https://*.example.com',
      'https://a.example/',
      'https://a.example/path',
      'https://a.example;',
      'https://a.example b',
      "'self'",
      'data:',
      'https://A.example',
    ],
  },
  {
    name: 'QAL_PUBLIC_URL',
    key: 'publicUrl',
    valid: [
      ['https://stats.example.com', 'https://stats.example.com'],
      ['HTTPS://Stats.Example.com:443/', 'https://stats.example.com'],
      ['http://[2001:db8::1]:8080', 'http://[2001:db8::1]:8080'],
      ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ],
    invalid: [
      'stats.example.com',
      'ftp://stats.example.com',
      'https://',
      'https://stats.example.com/path',
      'https://stats.example.com//',
      'https://stats.example.com?',
      'https://stats.example.com/#',
      'https://ann:secret@stats.example.com',
      'https://ann@stats.example.com',
      'https://stats.example.com\\path',
      'https://stats example.com',
      'https://stats.example.com"x',
      'https://stats.example.com:70000',
    ],
  },
  { name: 'QAL_PAGES_RATE_PER_HOUR', key: 'pagesRatePerHour', valid: [['0', 0]], invalid: ['-1'] },
  {
    name: 'QAL_PAGES_RATE_PER_MINUTE',
    key: 'pagesRatePerMinute',
    valid: [
      ['0', 0],
      ['600', 600],
    ],
    invalid: ['-1', 'many'],
  },
  {
    name: 'QAL_QUERY_TIMEOUT_SECONDS',
    key: 'queryTimeoutSeconds',
    valid: [['1', 1]],
    invalid: ['0', '86401'],
  },
  { name: 'QAL_QUERIES_AT_ONCE', key: 'queriesAtOnce', valid: [['1', 1]], invalid: ['0', '200'] },
  { name: 'QAL_QUERIES_PER_USER', key: 'queriesPerUser', valid: [['200', 200]], invalid: ['0', '201'] },
  { name: 'QAL_QUERIES_WAITING', key: 'queriesWaiting', valid: [['0', 0]], invalid: ['-1', '100001'] },
  {
    name: 'QAL_COLUMNS_MEMORY_MB',
    key: 'columnsMemoryMb',
    valid: [['64', 64]],
    invalid: ['63', 'much'],
  },
  { name: 'QAL_COLUMNS_MB', key: 'columnsMb', valid: [['1', 1]], invalid: ['0', '16777217'] },
  {
    name: 'QAL_COLUMNS_AUDIT_HOURS',
    key: 'columnsAuditHours',
    valid: [['0', 0]],
    invalid: ['-1', 'daily'],
  },
  { name: 'QAL_COLUMNS_SHADOW', key: 'columnsShadow', valid: [['0', 0]], invalid: ['-1', '1000001'] },
  { name: 'QAL_SPOOL_MB', key: 'spoolMb', valid: [['1', 1]], invalid: ['0', '16777217'] },
  { name: 'QAL_IMPORT_MB', key: 'importMb', valid: [['1', 1]], invalid: ['0', '16777217'] },
  { name: 'QAL_GEOIP', key: 'geoip', valid: [['/srv/geo.mmdb', '/srv/geo.mmdb']], invalid: [] },
  {
    name: 'QAL_IMPORT_REJECTED_MAX',
    key: 'importRejectedMax',
    valid: [['1000000000', 1e9]],
    invalid: ['-1'],
  },
  { name: 'QAL_COLUMNS_TEMP_MB', key: 'columnsTempMb', valid: [['1', 1]], invalid: ['0', '16777217'] },
  {
    name: 'QAL_COLUMNS_THREADS',
    key: 'columnsThreads',
    valid: [['1', 1]],
    invalid: ['0', 'all'],
  },
  {
    name: 'QAL_RESULT_CACHE_MB',
    key: 'resultCacheMb',
    valid: [
      ['0', 0],
      ['65536', 65_536],
    ],
    invalid: ['-1', '65537', '0.5', '64MB'],
  },
  {
    name: 'QAL_MAX_ANSWER_BYTES',
    key: 'maxAnswerBytes',
    valid: [
      ['0', 0],
      ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ],
    invalid: ['-1', '1.5', '32MB', '9007199254740992'],
  },
  {
    name: 'QAL_BACKUP_DIR',
    key: 'backupDir',
    valid: [['/srv/backups', '/srv/backups']],
    invalid: [],
  },
  { name: 'QAL_BACKUP_AT', key: 'backupAt', valid: [['23:59', '23:59']], invalid: ['24:00', '3:00', 'noon'] },
  {
    name: 'QAL_BACKUP_RECIPIENTS',
    key: 'backupRecipients',
    valid: [[`${AGE_KEY}, ${AGE_KEY}`, [AGE_KEY, AGE_KEY]]],
    invalid: ['age1', 'AGE-SECRET-KEY-1', `${AGE_KEY},`],
  },
  { name: 'QAL_BACKUP_COMMAND', key: 'backupCommand', valid: [['copy "$1"', 'copy "$1"']], invalid: [] },
  {
    name: 'QAL_ALARM_MAIL',
    key: 'alarmMail',
    valid: [['ann@a.example, bob@b.example', ['ann@a.example', 'bob@b.example']]],
    invalid: ['ann', 'ann@a.example,', 'Ann <ann@a.example>'],
  },
  {
    name: 'QAL_SMTP_URL',
    key: 'smtpUrl',
    valid: [['smtps://me:100%25@mail.example', 'smtps://me:100%25@mail.example']],
    invalid: [
      'mail.example',
      'https://mail.example',
      'smtp://mail.example/x',
      'smtps://me:100%@mail.example',
    ],
  },
  {
    name: 'QAL_MAIL_FROM',
    key: 'mailFrom',
    valid: [['qal@a.example', 'qal@a.example']],
    invalid: ['qal'],
  },
  {
    name: 'QAL_ALARM_WEBHOOK',
    key: 'alarmWebhook',
    valid: [['https://hooks.example/a?b', 'https://hooks.example/a?b']],
    invalid: ['hooks.example', 'ftp://hooks.example'],
  },
  {
    name: 'QAL_WEBHOOK_SECRET',
    key: 'webhookSecret',
    valid: [['a-secret-of-16-chars', 'a-secret-of-16-chars']],
    invalid: ['short', 'with a space in it'],
  },
  { name: 'QAL_BACKUPS_DAILY', key: 'backupsDaily', valid: [['1', 1]], invalid: ['0', '10001'] },
  { name: 'QAL_BACKUPS_WEEKLY', key: 'backupsWeekly', valid: [['0', 0]], invalid: ['-1', '10001'] },
  { name: 'QAL_BACKUPS_MONTHLY', key: 'backupsMonthly', valid: [['0', 0]], invalid: ['-1', '10001'] },
  {
    name: 'HEALTH_PORT',
    key: 'healthPort',
    valid: [
      ['0', 0],
      ['65535', 65_535],
    ],
    invalid: ['-1', '65536', 'on'],
  },
  { name: 'QAL_QUERY_RECORD_DAYS', key: 'queryRecordDays', valid: [['1', 1]], invalid: ['0', '36501'] },
  { name: 'QAL_GSC_DAYS', key: 'gscDays', valid: [['1', 1]], invalid: ['0', '36501'] },
  { name: 'QAL_GA4_DAYS', key: 'ga4Days', valid: [['1', 1]], invalid: ['0', '36501'] },
  { name: 'QAL_PAGE_VERSION_DAYS', key: 'pageVersionDays', valid: [['1', 1]], invalid: ['0', '36501'] },
  { name: 'QAL_IMPORT_RECORD_DAYS', key: 'importRecordDays', valid: [['1', 1]], invalid: ['0', '36501'] },
  { name: 'QAL_REJECTED_ROW_DAYS', key: 'rejectedRowDays', valid: [['1', 1]], invalid: ['0', '36501'] },
  {
    name: 'QAL_QUERY_RECORDS_MAX',
    key: 'queryRecordsMax',
    valid: [['1000000000', 1e9]],
    invalid: ['0', '1e3'],
  },
  {
    name: 'QAL_UNDOABLE_IMPORTS',
    key: 'undoableImports',
    valid: [
      ['0', 0],
      ['1000', 1000],
    ],
    invalid: ['-1', '1001', 'all'],
  },
  { name: 'QAL_USER', key: 'mcpUser', valid: [['ann', 'ann']], invalid: [] },
  { name: 'QAL_APPLICATION_PASSWORD', key: 'mcpPassword', valid: [['abcd efgh', 'abcd efgh']], invalid: [] },
  {
    name: 'QAL_DOCS_URL',
    key: 'docsUrl',
    valid: [['https://docs.example/', 'https://docs.example/']],
    invalid: ['docs.example', 'ftp://x'],
  },
  {
    name: 'QAL_RESPONSE_ENVELOPE',
    key: 'responseEnvelope',
    valid: [['data', 'data']],
    invalid: ['DATA', 'rows'],
  },
  {
    name: 'QAL_ENVIRONMENT',
    key: 'environment',
    valid: [
      ['production', 'production'],
      ['local', 'local'],
    ],
    invalid: ['prod'],
  },
  {
    name: 'TRUST_PROXY',
    key: 'trustProxy',
    valid: [
      ['1', 1],
      ['loopback', ['loopback']],
      ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ],
    invalid: ['true', '10.0.0', '10.0.0.0/33', 'proxy.example'],
  },
  {
    name: 'METRICS_TOKEN',
    key: 'metricsToken',
    valid: [['sixteen-letters!', 'sixteen-letters!']],
    invalid: ['fifteen-letters', 'sixteen letters, with spaces'],
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    key: 'otlpEndpoint',
    valid: [['http://127.0.0.1:4318', 'http://127.0.0.1:4318']],
    invalid: [
      '127.0.0.1:4318',
      'grpc://collector',
      'http://user:secret@collector:4318',
      'http://collector/?token=secret',
    ],
  },
  {
    name: 'LOG_LEVEL',
    key: 'logLevel',
    valid: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    invalid: ['verbose', 'INFO'],
  },
  ...switches.map(
    ([name, key]): Row => ({
      name,
      key,
      valid: [
        ['on', true],
        ['off', false],
      ],
      invalid: ['ON', 'true', '0', 'yes'],
    }),
  ),
];

const companionsOf = (name: string): Environment =>
  Object.entries(companions).find(([variable]) => variable === name)?.[1] ?? {};

test('the table above contains every setting', () => {
  expect(table.map(({ name }) => name).sort()).toEqual(
    listSettings(PRODUCT.extensions)
      .map(({ variable }) => variable)
      .sort(),
  );
});

const validCases = table.flatMap(({ name, key, valid }) =>
  valid.map(([text, value]) => ({ name, key, text, value })),
);
// conformance: goals.documentation-source-setting, host.rate-limits-per
test.each(validCases)('$name accepts $text', ({ name, key, text, value }) => {
  expect(read({ ...companionsOf(name), [name]: text })[key]).toEqual(value);
});

const invalidCases = table.flatMap(({ name, invalid }) => invalid.map((text) => ({ name, text })));
test.each(invalidCases)('$name rejects $text, and the error names the variable', ({ name, text }) => {
  const attempt = () => read({ ...companionsOf(name), [name]: text });
  expect(attempt).toThrow(ConfigError);
  expect(attempt).toThrow(new RegExp(`^${name} must be .+; .+ is not\\.$`));
});

test('an empty variable is treated as unset', () => {
  expect(read({ PORT: '', DATABASE_URL: '  ' })).toEqual(read({}));
});

// conformance: limit.query-timeout-seconds, limit.100-requests-hour, limit.10-requests-minute
test('unset variables take their default values', () => {
  expect(read({})).toMatchObject({
    port: 8080,
    host: '127.0.0.1',
    databaseUrl: undefined,
    dataDir: expect.stringMatching(/\/data$/),
    restPrefix: '/wp-json',
    namespace: 'qa-platform',
    defaultVersion: 'latest',
    ratePerHour: 100,
    ratePerMinute: 10,
    pagesRatePerHour: 1000,
    pagesRatePerMinute: 60,
    queryTimeoutSeconds: 300,
    queriesAtOnce: undefined,
    queriesPerUser: 2,
    dbTempFileMb: 4096,
    demo: false,
    resultCacheMb: 64,
    maxAnswerBytes: 33_554_432,
    responseEnvelope: 'result',
    environment: 'local',
    logLevel: 'warn',
  });
});

test('behind a proxy, the environment defaults to production, even on a loopback address', () => {
  for (const TRUST_PROXY of ['loopback', '1', '0'])
    expect(read({ TRUST_PROXY }).environment).toBe('production');
  expect(read({ TRUST_PROXY: ' ' }).environment).toBe('local');
  expect(read({ TRUST_PROXY: 'loopback', QAL_ENVIRONMENT: 'local' }).environment).toBe('local');
});

test('on an address that others can reach, the environment defaults to production', () => {
  expect(read({ HOST: '0.0.0.0' }).environment).toBe('production');
  expect(read({ HOST: '0.0.0.0', QAL_ENVIRONMENT: 'local' }).environment).toBe('local');
});

test('the error lists all problems, including those with extension settings', () => {
  expect.assertions(1);
  try {
    read({ PORT: 'x', LOG_LEVEL: 'loud', QAL_COLUMNS: 'no', QAL_RATE_PER_HOUR: '-5' });
  } catch (error) {
    expect(error).toMatchObject({
      faults: [/^PORT/, /^QAL_RATE_PER_HOUR/, /^LOG_LEVEL/, /^QAL_COLUMNS/].map((start) =>
        expect.stringMatching(start),
      ),
    });
  }
});

test('the error does not repeat a database address, which may contain a password', () => {
  expect(() => read({ DATABASE_URL: 'mysql://me:hunter2@db/x' })).toThrow(/^(?!.*hunter2)/);
});

test('DATABASE_READ_URL requires DATABASE_URL', () => {
  expect(() => read({ DATABASE_READ_URL: POSTGRES })).toThrow(/^DATABASE_READ_URL needs DATABASE_URL/);
});

test('a login header requires the addresses from which it is trusted', () => {
  expect(() => read({ QAL_LOGIN_HEADER: 'X-User' })).toThrow(
    /^QAL_LOGIN_HEADER needs QAL_LOGIN_HEADER_FROM too\.$/,
  );
});

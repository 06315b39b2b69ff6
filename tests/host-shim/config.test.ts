// For every setting: accepted values, rejected values, and errors that contain the name of the variable.

import type { ExtensionFactory } from '../../host-shim/extension-api';
import { PRODUCT } from '../../host-shim/main';
import { ConfigError, configure, type Environment, listSettings } from '../../host-shim/server/config';

/** All the settings of the host and the program's extension. */
function read(environment: Environment): Readonly<Record<string, unknown>> {
  let own = {};
  const noting = PRODUCT.extensions.map(
    (factory): ExtensionFactory => ({
      settings: factory.settings,
      create(values) {
        own = { ...own, ...values };
        return factory.create(values);
      },
    }),
  );
  const { config } = configure(noting, environment);
  return { ...config, ...own };
}

interface Row {
  readonly name: string;
  readonly key: string;
  readonly takes: readonly (readonly [string, unknown])[];
  readonly refuses: readonly string[];
}

const AGE_KEY = `age1${'q'.repeat(58)}`;
const POSTGRES = 'postgresql://me:pw@db.example:5432/stats';
const beside = {
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
    takes: [
      ['/srv/qal.env', '/srv/qal.env'],
      ['off', 'off'],
    ],
    refuses: ['qal.env', 'none'],
  },
  {
    name: 'PORT',
    key: 'port',
    takes: [
      ['0', 0],
      ['65535', 65535],
    ],
    refuses: ['65536', '-1', '80.5', 'http', '0x50'],
  },
  {
    name: 'HOST',
    key: 'host',
    takes: [
      ['0.0.0.0', '0.0.0.0'],
      ['::1', '::1'],
      ['localhost', 'localhost'],
    ],
    refuses: ['http://x', 'a b'],
  },
  {
    name: 'DATABASE_URL',
    key: 'databaseUrl',
    takes: [
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
    refuses: ['mysql://x/y', 'db.example', 'postgres://[bad'],
  },
  {
    name: 'DATABASE_READ_URL',
    key: 'databaseReadUrl',
    takes: [
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
    refuses: ['x', `${POSTGRES},x`, `${POSTGRES},mysql://x/y`],
  },
  { name: 'DATA_DIR', key: 'dataDir', takes: [['/srv/data', '/srv/data']], refuses: [] },
  {
    name: 'QAL_LOGIN_HEADER',
    key: 'loginHeader',
    takes: [['X-Forwarded-User', 'X-Forwarded-User']],
    refuses: ['Authorization', 'cookie', 'a b', 'X:Y'],
  },
  {
    name: 'QAL_LOGIN_HEADER_FROM',
    key: 'loginHeaderFrom',
    takes: [['127.0.0.1, fd00::/8', ['127.0.0.1', 'fd00::/8']]],
    refuses: ['proxy.example', '10.0.0.0/33', '10.0.0.1,'],
  },
  {
    name: 'PG_OLD_BINDIR',
    key: 'pgOldBinDir',
    takes: [['/usr/lib/postgresql/15/bin', '/usr/lib/postgresql/15/bin']],
    refuses: [],
  },
  {
    name: 'PG_BINDIR',
    key: 'pgBinDir',
    takes: [['/usr/lib/postgresql/15/bin', '/usr/lib/postgresql/15/bin']],
    refuses: [],
  },
  { name: 'DB_TEMP_FILE_MB', key: 'dbTempFileMb', takes: [['0', 0]], refuses: ['-1', '16777217'] },
  {
    name: 'DB_POOL_MAX',
    key: 'dbPoolMax',
    takes: [
      ['2', 2],
      ['200', 200],
    ],
    refuses: ['1', '201'],
  },
  {
    name: 'REST_PREFIX',
    key: 'restPrefix',
    takes: [
      ['/api', '/api'],
      ['/a/b', '/a/b'],
    ],
    refuses: ['api', '/api/', '/', '/a b'],
  },
  {
    name: 'QAL_NAMESPACE',
    key: 'namespace',
    takes: [
      ['stats', 'stats'],
      ['stats/v1', 'stats/v1'],
    ],
    refuses: ['/stats', 'stats/', 'a b'],
  },
  {
    name: 'QAL_DEFAULT_VERSION',
    key: 'defaultVersion',
    takes: [
      ['oldest', 'oldest'],
      ['2025-10-20', '2025-10-20'],
    ],
    refuses: ['newest', '20251020'],
  },
  {
    name: 'QAL_RATE_PER_HOUR',
    key: 'ratePerHour',
    takes: [
      ['0', 0],
      ['5000', 5000],
    ],
    refuses: ['-1', 'none'],
  },
  { name: 'QAL_MCP_RATE_PER_HOUR', key: 'readingRatePerHour', takes: [['0', 0]], refuses: ['-1'] },
  { name: 'QAL_MCP_RATE_PER_MINUTE', key: 'readingRatePerMinute', takes: [['0', 0]], refuses: ['-1'] },
  {
    name: 'QAL_RATE_PER_MINUTE',
    key: 'ratePerMinute',
    takes: [
      ['0', 0],
      ['60', 60],
    ],
    refuses: ['1e3', ''.padEnd(12, '9')],
  },
  {
    name: 'QAL_EMBED_ORIGINS',
    key: 'embedOrigins',
    takes: [
      ['https://www.example.com', ['https://www.example.com']],
      [
        'https://a.example, http://localhost:3000,https://[2001:db8::1]',
        ['https://a.example', 'http://localhost:3000', 'https://[2001:db8::1]'],
      ],
    ],
    refuses: [
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
    takes: [
      ['https://stats.example.com', 'https://stats.example.com'],
      ['HTTPS://Stats.Example.com:443/', 'https://stats.example.com'],
      ['http://[2001:db8::1]:8080', 'http://[2001:db8::1]:8080'],
      ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ],
    refuses: [
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
  { name: 'QAL_PAGES_RATE_PER_HOUR', key: 'pagesRatePerHour', takes: [['0', 0]], refuses: ['-1'] },
  {
    name: 'QAL_PAGES_RATE_PER_MINUTE',
    key: 'pagesRatePerMinute',
    takes: [
      ['0', 0],
      ['600', 600],
    ],
    refuses: ['-1', 'many'],
  },
  {
    name: 'QAL_QUERY_TIMEOUT_SECONDS',
    key: 'queryTimeoutSeconds',
    takes: [['1', 1]],
    refuses: ['0', '86401'],
  },
  { name: 'QAL_QUERIES_AT_ONCE', key: 'queriesAtOnce', takes: [['1', 1]], refuses: ['0', '200'] },
  { name: 'QAL_QUERIES_PER_USER', key: 'queriesPerUser', takes: [['200', 200]], refuses: ['0', '201'] },
  { name: 'QAL_QUERIES_WAITING', key: 'queriesWaiting', takes: [['0', 0]], refuses: ['-1', '100001'] },
  {
    name: 'QAL_COLUMNS_MEMORY_MB',
    key: 'columnsMemoryMb',
    takes: [['64', 64]],
    refuses: ['63', 'much'],
  },
  { name: 'QAL_COLUMNS_MB', key: 'columnsMb', takes: [['1', 1]], refuses: ['0', '16777217'] },
  {
    name: 'QAL_COLUMNS_AUDIT_HOURS',
    key: 'columnsAuditHours',
    takes: [['0', 0]],
    refuses: ['-1', 'daily'],
  },
  { name: 'QAL_COLUMNS_SHADOW', key: 'columnsShadow', takes: [['0', 0]], refuses: ['-1', '1000001'] },
  { name: 'QAL_SPOOL_MB', key: 'spoolMb', takes: [['1', 1]], refuses: ['0', '16777217'] },
  { name: 'QAL_IMPORT_MB', key: 'importMb', takes: [['1', 1]], refuses: ['0', '16777217'] },
  { name: 'QAL_GEOIP', key: 'geoip', takes: [['/srv/geo.mmdb', '/srv/geo.mmdb']], refuses: [] },
  {
    name: 'QAL_IMPORT_REJECTED_MAX',
    key: 'importRejectedMax',
    takes: [['1000000000', 1e9]],
    refuses: ['-1'],
  },
  { name: 'QAL_COLUMNS_TEMP_MB', key: 'columnsTempMb', takes: [['1', 1]], refuses: ['0', '16777217'] },
  {
    name: 'QAL_COLUMNS_THREADS',
    key: 'columnsThreads',
    takes: [['1', 1]],
    refuses: ['0', 'all'],
  },
  {
    name: 'QAL_RESULT_CACHE_MB',
    key: 'resultCacheMb',
    takes: [
      ['0', 0],
      ['65536', 65_536],
    ],
    refuses: ['-1', '65537', '0.5', '64MB'],
  },
  {
    name: 'QAL_MAX_ANSWER_BYTES',
    key: 'mostAnswerBytes',
    takes: [
      ['0', 0],
      ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ],
    refuses: ['-1', '1.5', '32MB', '9007199254740992'],
  },
  {
    name: 'QAL_BACKUP_DIR',
    key: 'backupDir',
    takes: [['/srv/backups', '/srv/backups']],
    refuses: [],
  },
  { name: 'QAL_BACKUP_AT', key: 'backupAt', takes: [['23:59', '23:59']], refuses: ['24:00', '3:00', 'noon'] },
  {
    name: 'QAL_BACKUP_RECIPIENTS',
    key: 'backupRecipients',
    takes: [[`${AGE_KEY}, ${AGE_KEY}`, [AGE_KEY, AGE_KEY]]],
    refuses: ['age1', 'AGE-SECRET-KEY-1', `${AGE_KEY},`],
  },
  { name: 'QAL_BACKUP_COMMAND', key: 'backupCommand', takes: [['copy "$1"', 'copy "$1"']], refuses: [] },
  {
    name: 'QAL_ALARM_MAIL',
    key: 'alarmMail',
    takes: [['ann@a.example, bob@b.example', ['ann@a.example', 'bob@b.example']]],
    refuses: ['ann', 'ann@a.example,', 'Ann <ann@a.example>'],
  },
  {
    name: 'QAL_SMTP_URL',
    key: 'smtpUrl',
    takes: [['smtps://me:pw@mail.example', 'smtps://me:pw@mail.example']],
    refuses: ['mail.example', 'https://mail.example', 'smtp://mail.example/x'],
  },
  {
    name: 'QAL_MAIL_FROM',
    key: 'mailFrom',
    takes: [['qal@a.example', 'qal@a.example']],
    refuses: ['qal'],
  },
  {
    name: 'QAL_ALARM_WEBHOOK',
    key: 'alarmWebhook',
    takes: [['https://hooks.example/a?b', 'https://hooks.example/a?b']],
    refuses: ['hooks.example', 'ftp://hooks.example'],
  },
  {
    name: 'QAL_WEBHOOK_SECRET',
    key: 'webhookSecret',
    takes: [['a-secret-of-16-chars', 'a-secret-of-16-chars']],
    refuses: ['short', 'with a space in it'],
  },
  { name: 'QAL_BACKUPS_DAILY', key: 'backupsDaily', takes: [['1', 1]], refuses: ['0', '10001'] },
  { name: 'QAL_BACKUPS_WEEKLY', key: 'backupsWeekly', takes: [['0', 0]], refuses: ['-1', '10001'] },
  { name: 'QAL_BACKUPS_MONTHLY', key: 'backupsMonthly', takes: [['0', 0]], refuses: ['-1', '10001'] },
  {
    name: 'HEALTH_PORT',
    key: 'healthPort',
    takes: [
      ['0', 0],
      ['65535', 65_535],
    ],
    refuses: ['-1', '65536', 'on'],
  },
  { name: 'QAL_QUERY_RECORD_DAYS', key: 'queryRecordDays', takes: [['1', 1]], refuses: ['0', '36501'] },
  { name: 'QAL_GSC_DAYS', key: 'gscDays', takes: [['1', 1]], refuses: ['0', '36501'] },
  { name: 'QAL_GA4_DAYS', key: 'ga4Days', takes: [['1', 1]], refuses: ['0', '36501'] },
  { name: 'QAL_PAGE_VERSION_DAYS', key: 'pageVersionDays', takes: [['1', 1]], refuses: ['0', '36501'] },
  { name: 'QAL_IMPORT_RECORD_DAYS', key: 'importRecordDays', takes: [['1', 1]], refuses: ['0', '36501'] },
  { name: 'QAL_REJECTED_ROW_DAYS', key: 'rejectedRowDays', takes: [['1', 1]], refuses: ['0', '36501'] },
  {
    name: 'QAL_QUERY_RECORDS_MAX',
    key: 'queryRecordsMax',
    takes: [['1000000000', 1e9]],
    refuses: ['0', '1e3'],
  },
  {
    name: 'QAL_UNDOABLE_IMPORTS',
    key: 'undoableImports',
    takes: [
      ['0', 0],
      ['1000', 1000],
    ],
    refuses: ['-1', '1001', 'all'],
  },
  { name: 'QAL_USER', key: 'mcpUser', takes: [['ann', 'ann']], refuses: [] },
  { name: 'QAL_APPLICATION_PASSWORD', key: 'mcpPassword', takes: [['abcd efgh', 'abcd efgh']], refuses: [] },
  {
    name: 'QAL_DOCS_URL',
    key: 'docsUrl',
    takes: [['https://docs.example/', 'https://docs.example/']],
    refuses: ['docs.example', 'ftp://x'],
  },
  {
    name: 'QAL_RESPONSE_ENVELOPE',
    key: 'responseEnvelope',
    takes: [['data', 'data']],
    refuses: ['DATA', 'rows'],
  },
  {
    name: 'QAL_ENVIRONMENT',
    key: 'environment',
    takes: [
      ['production', 'production'],
      ['local', 'local'],
    ],
    refuses: ['prod'],
  },
  {
    name: 'TRUST_PROXY',
    key: 'trustProxy',
    takes: [
      ['1', 1],
      ['loopback', ['loopback']],
      ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ],
    refuses: ['true', '10.0.0', '10.0.0.0/33', 'proxy.example'],
  },
  {
    name: 'METRICS_TOKEN',
    key: 'metricsToken',
    takes: [['sixteen-letters!', 'sixteen-letters!']],
    refuses: ['fifteen-letters', 'sixteen letters, with spaces'],
  },
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    key: 'otlpEndpoint',
    takes: [['http://127.0.0.1:4318', 'http://127.0.0.1:4318']],
    refuses: [
      '127.0.0.1:4318',
      'grpc://collector',
      'http://user:secret@collector:4318',
      'http://collector/?token=secret',
    ],
  },
  {
    name: 'LOG_LEVEL',
    key: 'logLevel',
    takes: [
      ['debug', 'debug'],
      ['silent', 'silent'],
    ],
    refuses: ['verbose', 'INFO'],
  },
  ...switches.map(
    ([name, key]): Row => ({
      name,
      key,
      takes: [
        ['on', true],
        ['off', false],
      ],
      refuses: ['ON', 'true', '0', 'yes'],
    }),
  ),
];

const surroundings = (name: string): Environment =>
  Object.entries(beside).find(([variable]) => variable === name)?.[1] ?? {};

test('the table above contains every setting', () => {
  expect(table.map(({ name }) => name).sort()).toEqual(
    listSettings(PRODUCT.extensions)
      .map(({ variable }) => variable)
      .sort(),
  );
});

const taken = table.flatMap(({ name, key, takes }) =>
  takes.map(([text, value]) => ({ name, key, text, value })),
);
// conformance: goals.documentation-source-setting, host.rate-limits-per
test.each(taken)('$name accepts $text', ({ name, key, text, value }) => {
  expect(read({ ...surroundings(name), [name]: text })[key]).toEqual(value);
});

const refused = table.flatMap(({ name, refuses }) => refuses.map((text) => ({ name, text })));
test.each(refused)('$name rejects $text, and the error names it', ({ name, text }) => {
  const refuse = () => read({ ...surroundings(name), [name]: text });
  expect(refuse).toThrow(ConfigError);
  expect(refuse).toThrow(new RegExp(`^${name} must be .+; .+ is not\\.$`));
});

test('an empty variable counts as not set', () => {
  expect(read({ PORT: '', DATABASE_URL: '  ' })).toEqual(read({}));
});

// conformance: limit.query-timeout-seconds, limit.100-requests-hour, limit.10-requests-minute
test('unset variables have their defaults', () => {
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
    mostAnswerBytes: 33_554_432,
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

test('the error lists all problems, including those with settings of an extension', () => {
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

test('an address for reading requires an address for the database', () => {
  expect(() => read({ DATABASE_READ_URL: POSTGRES })).toThrow(/^DATABASE_READ_URL needs DATABASE_URL/);
});

test('a login header requires the addresses from which it is trusted', () => {
  expect(() => read({ QAL_LOGIN_HEADER: 'X-User' })).toThrow(
    /^QAL_LOGIN_HEADER needs QAL_LOGIN_HEADER_FROM too\.$/,
  );
});

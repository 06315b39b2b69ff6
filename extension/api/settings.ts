// The settings of the extension, read by the host from the environment.
import { z } from 'zod';
import {
  NAMESPACE_PATTERN,
  oneOf,
  type SettingTable,
  type SettingValues,
  wholeNumber,
} from '../../host-shim/extension-api';
import { UNDOABLE_IMPORTS } from '../data/import/import-options';

export const analyticsSettings = {
  namespace: {
    variable: 'QAL_NAMESPACE',
    shape: z
      .string()
      .regex(NAMESPACE_PATTERN)
      .describe('words of letters, digits, - and _, joined by slashes'),
    fallback: 'qa-platform',
    about: 'REST namespace of the query service',
  },
  defaultVersion: {
    variable: 'QAL_DEFAULT_VERSION',
    shape: z
      .string()
      .regex(/^(latest|oldest|\d{4}-\d{2}-\d{2})$/)
      .describe('latest, oldest or the date of a contract'),
    fallback: 'latest',
    about: 'contract of requests that name no version',
  },
  queryTimeoutSeconds: {
    variable: 'QAL_QUERY_TIMEOUT_SECONDS',
    shape: wholeNumber(1, 86_400),
    fallback: '300',
    about: 'a query that runs longer is cancelled',
  },
  queriesAtOnce: {
    variable: 'QAL_QUERIES_AT_ONCE',
    shape: wholeNumber(1, 199),
    about:
      'queries that run at the same time, fewer than DB_POOL_MAX; the others wait; by default 4, where DB_POOL_MAX allows it',
  },
  queriesPerUser: {
    variable: 'QAL_QUERIES_PER_USER',
    shape: wholeNumber(1, 200),
    fallback: '2',
    about: 'queries of one user that run at the same time',
  },
  queriesWaiting: {
    variable: 'QAL_QUERIES_WAITING',
    shape: wholeNumber(0, 100_000),
    fallback: '500',
    about: 'queries that may wait, for 30 seconds at most; beyond it they are refused with E_UNAVAILABLE',
  },
  columns: {
    variable: 'QAL_COLUMNS',
    shape: oneOf('on', 'off')
      .transform((text) => text === 'on')
      .describe('one of on, off'),
    fallback: 'on',
    about: 'off = no column copy: every query is answered from rows, with equal results',
  },
  columnsMb: {
    variable: 'QAL_COLUMNS_MB',
    shape: wholeNumber(1, 16_777_216),
    about:
      'megabytes on disk that the column copy may take up: it has the sites that are asked for most; by default it has all sites',
  },
  columnsMemoryMb: {
    variable: 'QAL_COLUMNS_MEMORY_MB',
    shape: wholeNumber(64, 1_048_576),
    about:
      'megabytes that queries over the column copy may use; by default a quarter of what the machine has beyond 768, at most 2048',
  },
  columnsThreads: {
    variable: 'QAL_COLUMNS_THREADS',
    shape: wholeNumber(1, 1024),
    about: 'threads of the column copy; by default one for each core',
  },
  columnsShadow: {
    variable: 'QAL_COLUMNS_SHADOW',
    shape: wholeNumber(0, 1_000_000),
    fallback: '200',
    about:
      'one in so many answers of the column copy is asked again from rows in the background, and compared, with a hundredth of a processor at most; 0 = none is',
  },
  columnsTempMb: {
    variable: 'QAL_COLUMNS_TEMP_MB',
    shape: wholeNumber(1, 16_777_216),
    fallback: '10240',
    about: 'megabytes of temporary files of the column copy, of all its queries together',
  },
  mostAnswerBytes: {
    variable: 'QAL_MAX_ANSWER_BYTES',
    shape: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    fallback: '33554432',
    about:
      'bytes of an answer in JSON, at most; beyond it a query is refused with E_QUERY_TOO_LARGE; CSV, NDJSON and Parquet have no such limit; 0 = none',
  },
  columnsAuditHours: {
    variable: 'QAL_COLUMNS_AUDIT_HOURS',
    shape: wholeNumber(0, 8_760),
    fallback: '24',
    about:
      'hours between two rounds in which every row of the column copy is compared with PostgreSQL, in the background; 0 = never',
  },
  demo: {
    variable: 'QAL_DEMO',
    shape: oneOf('on', 'off')
      .transform((text) => text === 'on')
      .describe('one of on, off'),
    fallback: 'off',
    about: 'on = a start without any site loads the demo site; `make run` sets it unless DATABASE_URL is set',
  },
  resultCacheMb: {
    variable: 'QAL_RESULT_CACHE_MB',
    shape: wholeNumber(0, 65_536),
    fallback: '64',
    about: 'megabytes of cached results, which hold until the data change; 0 = no cache',
  },
  queryRecordDays: {
    variable: 'QAL_QUERY_RECORD_DAYS',
    shape: wholeNumber(1, 36_500),
    about:
      'days that records of queries are kept, up to QAL_QUERY_RECORDS_MAX; by default the newest 200 of each person and application password are',
  },
  queryRecordsMax: {
    variable: 'QAL_QUERY_RECORDS_MAX',
    shape: wholeNumber(1, 1_000_000_000),
    fallback: '100000',
    about: 'most records of queries of everybody together; the oldest go first',
  },
  queryRecordValues: {
    variable: 'QAL_QUERY_RECORD_VALUES',
    shape: oneOf('on', 'off')
      .transform((text) => text === 'on')
      .describe('one of on, off'),
    fallback: 'off',
    about: 'on = the dataset `query_record` has the values of filters; off = it has "?" in their place',
  },
  undoableImports: {
    variable: 'QAL_UNDOABLE_IMPORTS',
    shape: wholeNumber(0, 1000),
    fallback: String(UNDOABLE_IMPORTS),
    about: 'so many of the newest imports of each site can be undone: what they replaced is kept until then',
  },
  importMb: {
    variable: 'QAL_IMPORT_MB',
    shape: wholeNumber(1, 16_777_216),
    fallback: '10240',
    about: 'megabytes of an uploaded file once it is unpacked; a larger one is not imported',
  },
  importRejectedMax: {
    variable: 'QAL_IMPORT_REJECTED_MAX',
    shape: wholeNumber(0, 1_000_000_000),
    fallback: '100000',
    about: 'wrong rows of an upload that on_error=skip leaves out; with more of them nothing is imported',
  },
  docsUrl: {
    variable: 'QAL_DOCS_URL',
    shape: z
      .string()
      .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text))
      .describe('an address that begins with http:// or https://'),
    about: 'address of your documentation, for the guide; by default /docs of the installation',
  },
  mcpUser: {
    variable: 'QAL_USER',
    shape: z.string().min(1).describe('a login'),
    about: 'login that `qal mcp --url` uses on the other installation',
  },
  mcpPassword: {
    variable: 'QAL_APPLICATION_PASSWORD',
    secret: true,
    shape: z.string().min(1).describe('an application password'),
    about: 'application password of that login',
  },
  responseEnvelope: {
    variable: 'QAL_RESPONSE_ENVELOPE',
    shape: oneOf('result', 'data'),
    fallback: 'result',
    about: 'envelope of successful answers of the newest contract',
  },
} as const satisfies SettingTable;

export type AnalyticsSettings = SettingValues<typeof analyticsSettings>;

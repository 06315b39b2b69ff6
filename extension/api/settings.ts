import { z } from 'zod';
import {
  matching,
  matchingUrl,
  NAMESPACE_PATTERN,
  oneOf,
  onOff,
  type SettingTable,
  type SettingValues,
  wholeNumber,
} from '../../host-shim/extension-api';
import { UNDOABLE_IMPORTS } from '../data/import/import-options';

/** The host's namespace, and that of imports. */
const TAKEN_NAMESPACES: readonly string[] = ['wp/v2', 'qal-data/v1'];

export const analyticsSettings = {
  namespace: {
    variable: 'QAL_NAMESPACE',
    shape: z
      .string()
      .refine((name) => NAMESPACE_PATTERN.test(name) && !TAKEN_NAMESPACES.includes(name.toLowerCase()))
      .describe(
        `words of letters, digits, - and _, joined by slashes, other than ${TAKEN_NAMESPACES.join(' and ')}`,
      ),
    fallback: 'qa-platform',
    about: 'REST namespace of the query service',
  },
  defaultVersion: {
    variable: 'QAL_DEFAULT_VERSION',
    shape: matching(/^(latest|oldest|\d{4}-\d{2}-\d{2})$/, 'latest, oldest or the date of a contract'),
    fallback: 'latest',
    about: 'contract for requests that do not specify a version',
  },
  queryTimeoutSeconds: {
    variable: 'QAL_QUERY_TIMEOUT_SECONDS',
    shape: wholeNumber(1, 86_400),
    fallback: '300',
    about: 'time limit of a query; queries that take longer are canceled',
  },
  queriesAtOnce: {
    variable: 'QAL_QUERIES_AT_ONCE',
    shape: wholeNumber(1, 199),
    about:
      'queries that run at the same time; must be less than DB_POOL_MAX; other queries wait; default: 4, or DB_POOL_MAX - 1 if that is less',
  },
  queriesPerUser: {
    variable: 'QAL_QUERIES_PER_USER',
    shape: wholeNumber(1, 200),
    fallback: '2',
    about: 'queries that run at the same time for one user',
  },
  queriesWaiting: {
    variable: 'QAL_QUERIES_WAITING',
    shape: wholeNumber(0, 100_000),
    fallback: '500',
    about:
      'queries that may wait, each for up to 30 seconds; beyond either limit, a query is rejected with E_UNAVAILABLE',
  },
  columns: {
    variable: 'QAL_COLUMNS',
    shape: onOff,
    fallback: 'on',
    about: 'off = no columnar copy: every query is answered from rows, with the same results',
  },
  columnsMb: {
    variable: 'QAL_COLUMNS_MB',
    shape: wholeNumber(1, 16_777_216),
    about:
      'megabytes on disk that the columnar copy may take up; with a limit, it contains only the sites with the most queries; default: no limit, all sites',
  },
  columnsMemoryMb: {
    variable: 'QAL_COLUMNS_MEMORY_MB',
    shape: wholeNumber(64, 1_048_576),
    about:
      'megabytes of memory for queries over the columnar copy; default: a quarter of the memory of the machine or container beyond 1280 MB, up to 1536 MB',
  },
  columnsThreads: {
    variable: 'QAL_COLUMNS_THREADS',
    shape: wholeNumber(1, 1024),
    about: 'threads for the columnar copy; default: one per core',
  },
  columnsShadow: {
    variable: 'QAL_COLUMNS_SHADOW',
    shape: wholeNumber(0, 1_000_000),
    fallback: '200',
    about:
      'N: about one in N answers from the columnar copy is compared with rows in the background, using up to 1% of a CPU core; 0 = off',
  },
  columnsTempMb: {
    variable: 'QAL_COLUMNS_TEMP_MB',
    shape: wholeNumber(1, 16_777_216),
    fallback: '10240',
    about: 'megabytes on disk, in total, for the temporary files of queries over the columnar copy',
  },
  maxAnswerBytes: {
    variable: 'QAL_MAX_ANSWER_BYTES',
    shape: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    fallback: '33554432',
    about:
      'maximum bytes of a JSON response; a query with a larger response is rejected with E_QUERY_TOO_LARGE; does not apply to CSV, NDJSON and Parquet; 0 = no limit',
  },
  columnsAuditHours: {
    variable: 'QAL_COLUMNS_AUDIT_HOURS',
    shape: wholeNumber(0, 8_760),
    fallback: '24',
    about:
      'hours between audits, which compare every row of the columnar copy with PostgreSQL in the background; 0 = never',
  },
  demo: {
    variable: 'QAL_DEMO',
    shape: onOff,
    fallback: 'off',
    about:
      'on = load the demo site at startup if there are no sites; `make run` sets it unless DATABASE_URL is set',
  },
  resultCacheMb: {
    variable: 'QAL_RESULT_CACHE_MB',
    shape: wholeNumber(0, 65_536),
    fallback: '64',
    about: 'megabytes of cached results, which stay valid until a change that may affect them; 0 = no cache',
  },
  queryRecordDays: {
    variable: 'QAL_QUERY_RECORD_DAYS',
    shape: wholeNumber(1, 36_500),
    about:
      'days to keep query records, up to QAL_QUERY_RECORDS_MAX; default: keep the newest 200 per user and application password',
  },
  gscDays: {
    variable: 'QAL_GSC_DAYS',
    shape: wholeNumber(1, 36_500),
    about:
      'days to keep search data (dataset gsc); default: all, because Search Console itself deletes it after 16 months',
  },
  ga4Days: {
    variable: 'QAL_GA4_DAYS',
    shape: wholeNumber(1, 36_500),
    about: 'days to keep monthly GA4 data; default: all',
  },
  pageVersionDays: {
    variable: 'QAL_PAGE_VERSION_DAYS',
    shape: wholeNumber(1, 36_500),
    about: 'days to keep a page version after the next one has replaced it; default: all',
  },
  importRecordDays: {
    variable: 'QAL_IMPORT_RECORD_DAYS',
    shape: wholeNumber(1, 36_500),
    fallback: '730',
    about: 'days to keep the records of imports; records of imports that can be undone are kept longer',
  },
  rejectedRowDays: {
    variable: 'QAL_REJECTED_ROW_DAYS',
    shape: wholeNumber(1, 36_500),
    fallback: '90',
    about: 'days to keep rejected rows, in the records of imports and in DATA_DIR',
  },
  queryRecordsMax: {
    variable: 'QAL_QUERY_RECORDS_MAX',
    shape: wholeNumber(1, 1_000_000_000),
    fallback: '100000',
    about: 'maximum number of query records for all users together; the oldest are deleted first',
  },
  queryRecordValues: {
    variable: 'QAL_QUERY_RECORD_VALUES',
    shape: onOff,
    fallback: 'off',
    about: 'on = the dataset `query_record` contains filter values; off = it has "?" in their place',
  },
  undoableImports: {
    variable: 'QAL_UNDOABLE_IMPORTS',
    shape: wholeNumber(0, 1000),
    fallback: String(UNDOABLE_IMPORTS),
    about:
      'how many of the newest imports per site can be undone, not counting those that changed nothing; the rows that an import replaced are kept while it can be undone',
  },
  geoip: {
    variable: 'QAL_GEOIP',
    shape: z.string().min(1).describe('a path'),
    about:
      'database that maps IP addresses to countries, or also to regions and cities (.mmdb), for all imports; default: the one that was uploaded on the Imports page, in DATA_DIR',
  },
  importMb: {
    variable: 'QAL_IMPORT_MB',
    shape: wholeNumber(1, 16_777_216),
    fallback: '10240',
    about: 'maximum megabytes of an uploaded file after decompression; larger files are rejected',
  },
  spoolMb: {
    variable: 'QAL_SPOOL_MB',
    shape: wholeNumber(1, 16_777_216),
    fallback: '10240',
    about:
      'megabytes on disk, in DATA_DIR, for uploads that are being received or waiting to be imported, measured after their Content-Encoding is decoded; an upload that exceeds it is rejected',
  },
  importRejectedMax: {
    variable: 'QAL_IMPORT_REJECTED_MAX',
    shape: wholeNumber(0, 1_000_000_000),
    fallback: '100000',
    about: 'invalid rows that on_error=skip may skip in an upload; with more, nothing is imported',
  },
  docsUrl: {
    variable: 'QAL_DOCS_URL',
    shape: matchingUrl(/^https?:\/\//, 'an address that begins with http:// or https://'),
    about: 'address of your documentation, for the guide; default: /docs on this installation',
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
    about: 'application password for that login',
  },
  responseEnvelope: {
    variable: 'QAL_RESPONSE_ENVELOPE',
    shape: oneOf('result', 'data'),
    fallback: 'result',
    about: 'envelope for successful responses under the newest contract',
  },
} as const satisfies SettingTable;

export type AnalyticsSettings = SettingValues<typeof analyticsSettings>;

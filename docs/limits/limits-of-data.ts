// Limits on imports, sites and records.
import {
  bytes,
  characters,
  type Limit,
  limit,
  megabytes,
  NO_IMPORT,
  NOT_SAVED,
  seconds,
  usual,
  WRONG_ROW,
} from './limit';
import { sourceConstant, sourceText } from './source-constant';

const RECORD = 'extension/data/import/limits.ts';
const PARAMS = 'extension/data/import/exact-json.ts';
const VALUES = 'extension/data/import/parse-value.ts';
const YAML = 'manifests/reader/load-yaml.ts';
const OPEN_BODY = 'host-shim/rest/open-body.ts';
const SITE_FILE = 'extension/data/storage/sites/site-file.ts';
const GOALS = 'extension/data/storage/goals/goal-schema.ts';
const RECORDS = 'extension/query/query-records/query-records.ts';
const SAVED = 'extension/pages/saved/saved-queries.ts';
const FUNNELS = 'extension/pages/funnels/saved-funnels.ts';
const FUNNEL_STEP = 'extension/pages/funnels/funnel-step.ts';
const NOTES = 'extension/pages/notes/site-notes.ts';
const REPORTS = 'extension/pages/reports/stored-reports.ts';
const SEGMENTS = 'extension/pages/segments/saved-segments.ts';
const QUEUE = 'extension/data/import/import-queue.ts';

const SPOOL =
  '413 `import_too_large` for an upload that can never fit, otherwise 503 `import_spool_full` with `Retry-After`';

export const importLimits = (): readonly Limit[] => [
  limit('uploaded file, decompressed', megabytes('QAL_IMPORT_MB'), NO_IMPORT, 'QAL_IMPORT_MB'),
  limit(
    'rejected rows in an upload with `on_error=skip`',
    usual('QAL_IMPORT_REJECTED_MAX'),
    NO_IMPORT,
    'QAL_IMPORT_REJECTED_MAX',
  ),
  limit(
    'rejected rows that are recorded',
    sourceConstant('extension/data/import/import-record.ts', 'RECORDED_REJECTIONS'),
    'the others are counted; `qal import` also writes them to a file',
  ),
  limit('columns in a CSV header', sourceConstant(RECORD, 'MAX_COLUMNS'), NO_IMPORT),
  limit('line in CSV or NDJSON', characters(sourceConstant(RECORD, 'MAX_LINE_LENGTH')), WRONG_ROW),
  limit('line in a log', characters(sourceConstant(RECORD, 'MAX_LOG_LINE_LENGTH')), WRONG_ROW),
  limit(
    'CSV record that spans several lines',
    characters(sourceConstant(RECORD, 'MAX_LINE_LENGTH')),
    NO_IMPORT,
  ),
  limit('quotes in a CSV cell', sourceConstant(RECORD, 'MAX_PARAMS_LENGTH'), WRONG_ROW),
  limit('element in a JSON list', characters(sourceConstant(RECORD, 'MAX_ELEMENT_LENGTH')), NO_IMPORT),
  limit('values in a JSON record', sourceConstant(RECORD, 'MAX_VALUES'), WRONG_ROW),
  limit('keys of an object in a JSON record', sourceConstant(RECORD, 'MAX_COLUMNS'), WRONG_ROW),
  limit('levels in a JSON record', sourceConstant(RECORD, 'MAX_LEVELS'), WRONG_ROW),
  limit('user agent', characters(sourceConstant(RECORD, 'MAX_AGENT_LENGTH')), 'the rest is ignored'),
  limit('pairs in `map` or `set`', sourceConstant(RECORD, 'MAX_COLUMNS'), 'nothing is imported'),
  limit('`map` or `set`', characters(sourceConstant(RECORD, 'MAX_PAIRS_LENGTH')), 'nothing is imported'),
  limit(
    'format or sites file in YAML',
    `${characters(sourceConstant(YAML, 'MAX_YAML_LENGTH'))}, ${sourceConstant(YAML, 'MAX_VALUES').toLocaleString('en')} values, ${sourceConstant(YAML, 'MAX_LEVELS')} levels`,
    'nothing is imported or applied',
  ),
  limit('text', characters(sourceConstant(VALUES, 'MAX_TEXT_LENGTH')), WRONG_ROW),
  limit('`url`, `referrer`, `to_url`', characters(sourceConstant(VALUES, 'MAX_ADDRESS_LENGTH')), WRONG_ROW),
  limit('text id', characters(sourceConstant(VALUES, 'MAX_ID_LENGTH')), WRONG_ROW),
  limit(
    'numeric id that is stored unchanged',
    sourceConstant('extension/data/rows/generated-ids.ts', 'LAST_GIVEN_ID'),
    'it is replaced by another number, which is the same in every file',
  ),
  limit(
    '`params` of an event',
    `${characters(sourceConstant(RECORD, 'MAX_PARAMS_LENGTH'))}, ${sourceConstant(PARAMS, 'MAX_DEPTH')} levels`,
    WRONG_ROW,
  ),
  limit(
    'concurrent imports of uploads per server',
    sourceConstant(QUEUE, 'QUEUE_LIMITS', 'running'),
    'the import waits, as does a second import into the same site',
  ),
  limit('uploads on disk until they are imported', megabytes('QAL_SPOOL_MB'), SPOOL, 'QAL_SPOOL_MB'),
  limit(
    'imports per server that are being received, waiting or running',
    sourceConstant(QUEUE, 'QUEUE_LIMITS', 'admitted'),
    '503 `import_queue_full` with `Retry-After`',
  ),
  limit(
    'pause during an upload',
    seconds(sourceConstant(OPEN_BODY, 'PATIENCE', 'stallMs')),
    '408 `rest_body_too_slow`',
  ),
  limit(
    'duration of an upload',
    `1 s per ${bytes(sourceConstant(OPEN_BODY, 'PATIENCE', 'minBytesPerSecond'))}, plus ${seconds(sourceConstant(OPEN_BODY, 'PATIENCE', 'graceMs'))}`,
    '408 `rest_body_too_slow`',
  ),
  limit(
    'imports per site that can be undone',
    sourceConstant('extension/data/import/import-options.ts', 'UNDOABLE_IMPORTS'),
    'older ones can no longer be undone',
    'QAL_UNDOABLE_IMPORTS',
  ),
];

export const siteLimits = (): readonly Limit[] => [
  limit('sites', sourceText('db/schema.sql', 'site_id        smallint', 2 ** 15 - 1), 'no site can be added'),
  limit('tracking id', characters(sourceText(SITE_FILE, '.max(64,', 64)), NOT_SAVED),
  limit(
    'domain',
    characters(sourceConstant('extension/data/storage/plain-text.ts', 'MAX_HOST_LENGTH')),
    NOT_SAVED,
  ),
  limit('name of a site', characters(sourceConstant(SITE_FILE, 'MAX_NAME_LENGTH')), NOT_SAVED),
  limit('`retention_days`', sourceConstant(SITE_FILE, 'MAX_RETENTION_DAYS'), NOT_SAVED),
  limit('goals per site', sourceConstant('manifests/reader/schema.ts', 'MAX_GOALS'), NOT_SAVED),
  limit('name of a goal', characters(sourceConstant(GOALS, 'MAX_NAME_LENGTH')), NOT_SAVED),
  limit('condition of a goal', characters(sourceConstant(GOALS, 'MAX_CONDITION_LENGTH')), NOT_SAVED),
  limit(
    'time that a change to a site or goal waits for an import',
    seconds(sourceConstant('extension/data/storage/site-locks.ts', 'PATIENCE_MS')),
    'nothing is saved; the page asks you to try again',
  ),
];

const OLDER_DELETED = 'older ones are deleted';
const days = (setting: string): string => `${usual(setting)} days`;

export const recordLimits = (): readonly Limit[] => [
  limit('search data', 'all', OLDER_DELETED, 'QAL_GSC_DAYS'),
  limit('monthly GA4 data', 'all', OLDER_DELETED, 'QAL_GA4_DAYS'),
  limit('replaced page versions', 'all', OLDER_DELETED, 'QAL_PAGE_VERSION_DAYS'),
  limit('records of imports', days('QAL_IMPORT_RECORD_DAYS'), OLDER_DELETED, 'QAL_IMPORT_RECORD_DAYS'),
  limit('rejected rows', days('QAL_REJECTED_ROW_DAYS'), OLDER_DELETED, 'QAL_REJECTED_ROW_DAYS'),
  limit('query records', usual('QAL_QUERY_RECORDS_MAX'), 'the oldest are deleted', 'QAL_QUERY_RECORDS_MAX'),
  limit(
    'query records per user and application password',
    sourceConstant(RECORDS, 'MAX_RECORDS'),
    'the oldest are deleted',
    'QAL_QUERY_RECORD_DAYS',
  ),
  limit(
    "query records of all of a user's application passwords",
    sourceConstant(RECORDS, 'MAX_RECORDS_OF_KEYS'),
    'the oldest are deleted',
    'QAL_QUERY_RECORD_DAYS',
  ),
  limit(
    'query in a record',
    characters(sourceConstant(RECORDS, 'MAX_RECORDED_BODY_LENGTH')),
    'the query is recorded without its text',
  ),
  limit('saved queries per user', sourceConstant(SAVED, 'MAX_SAVED_QUERIES'), '409; nothing is saved'),
  limit('saved query', characters(sourceConstant(SAVED, 'MAX_SAVED_QUERY_LENGTH')), NOT_SAVED),
  limit('segments per user and site', sourceConstant(SEGMENTS, 'MAX_SEGMENTS'), '409; nothing is saved'),
  limit(
    'filters of a segment, encoded in a URL',
    characters(sourceConstant(SEGMENTS, 'MAX_ADDRESS_LENGTH')),
    NOT_SAVED,
  ),
  limit('notes per site', sourceConstant(NOTES, 'MAX_NOTES'), '409; nothing is saved'),
  limit(
    'note',
    characters(sourceConstant('extension/pages/shared-types/dashboard-types.ts', 'MAX_NOTE_LENGTH')),
    NOT_SAVED,
  ),
  limit('scheduled reports per user', sourceConstant(REPORTS, 'MAX_REPORTS'), '400; nothing is saved'),
  limit(
    'attempts to send a report, within 11 hours',
    sourceConstant('extension/pages/reports/report-state.ts', 'MAX_ATTEMPTS'),
    'no further attempts until the next week or month',
  ),
  limit(
    'test reports to a recipient',
    `1 in ${sourceConstant(REPORTS, 'TEST_PAUSE_SECONDS')} s`,
    '409; nothing is sent',
  ),
  limit('funnels per site', sourceConstant(FUNNELS, 'MAX_FUNNELS'), '409; nothing is saved'),
  limit('steps of a funnel', sourceConstant(FUNNEL_STEP, 'MAX_STEPS'), NOT_SAVED),
  limit(
    'days on the dashboard',
    sourceConstant('extension/pages/dashboard/dashboard-range.ts', 'MAX_DAYS'),
    'the page shows an error',
  ),
];

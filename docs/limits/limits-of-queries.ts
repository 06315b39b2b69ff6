// Limits on queries and their responses.
import { headContract } from '../../manifests/reader/catalog';
import type { Manifest } from '../../manifests/reader/manifest';
import { bytes, characters, error, type Limit, limit, megabytes, seconds, TOO_LARGE, usual } from './limit';
import { sourceConstant } from './source-constant';

const ANALYTICS = 'extension/api/analytics.ts';
const CALC = 'extension/language/parse/calc-expression.ts';
const DOCUMENT = 'extension/language/parse/read-document.ts';
const HTTP = 'host-shim/server/http-server.ts';
const MCP_TABLE = 'extension/api/mcp/result-table.ts';
const SHEDDING = 'host-shim/server/load-shedding.ts';
const KEPT_ROWS = 'extension/query/result-cache/kept-rows.ts';

export const queryLimits = (manifest: Manifest): readonly Limit[] => {
  const { limits } = headContract(manifest);
  return [
    limit(
      'request body',
      bytes(sourceConstant('host-shim/rest/read-body.ts', 'BODY_LIMIT_BYTES')),
      error('E_BODY_TOO_LARGE'),
    ),
    limit('levels of nested JSON', sourceConstant(DOCUMENT, 'MAX_DEPTH'), TOO_LARGE),
    limit('keys, objects and lists in the body', sourceConstant(DOCUMENT, 'MAX_MEMBERS'), TOO_LARGE),
    limit('views in a query', limits.max_views, TOO_LARGE),
    limit('columns in a view', limits.max_columns, TOO_LARGE),
    limit('values in a filter list', limits.max_list_values, TOO_LARGE),
    limit(
      'values in a view and in all views that it reads, together',
      sourceConstant('extension/query/run/read-rows.ts', 'MAX_BINDINGS'),
      TOO_LARGE,
    ),
    limit(
      'materials that a view reads, including those of all views that it joins',
      limits.max_reads,
      TOO_LARGE,
    ),
    limit('characters in a calc', sourceConstant(CALC, 'LIMITS', 'characters'), TOO_LARGE),
    limit('functions in a calc', sourceConstant(CALC, 'LIMITS', 'calls'), TOO_LARGE),
    limit('numbers in a calc', sourceConstant(CALC, 'LIMITS', 'numbers'), TOO_LARGE),
    limit(
      'parts of a calc, and its terms when it is written as a single fraction',
      sourceConstant(CALC, 'LIMITS', 'parts'),
      TOO_LARGE,
    ),
    limit(
      'periods to fill, times the combinations of the other kept columns',
      sourceConstant('extension/language/resolve/resolve-fill-periods.ts', 'MAX_FILLED'),
      TOO_LARGE,
    ),
    limit(
      'errors that a check lists',
      sourceConstant('extension/language/errors/query-error.ts', 'MAX_FAULTS'),
      `the others are not listed; the last entry is \`E_QUERY_TOO_LARGE\``,
    ),
    limit(
      'body of an invalid query for which a correction is suggested',
      characters(sourceConstant('extension/language/parse/parse-query.ts', 'MAX_BODY_LENGTH')),
      'the error has no `details.repaired`',
    ),
  ];
};

export const answerLimits = (manifest: Manifest): readonly Limit[] => {
  const { limits } = headContract(manifest);
  return [
    limit('rows without `result.limit`', limits.default_rows, '`meta.truncated` is true'),
    limit('rows in a JSON response', limits.max_rows, error('E_INVALID_LIMIT')),
    limit(
      'rows in a CSV, NDJSON or Parquet response',
      limits.max_streamed_rows ?? 'none',
      error('E_INVALID_LIMIT'),
    ),
    limit('size of a JSON response', bytes(usual('QAL_MAX_ANSWER_BYTES')), TOO_LARGE, 'QAL_MAX_ANSWER_BYTES'),
    limit(
      'table in a response to an AI client (MCP)',
      `${sourceConstant(MCP_TABLE, 'MAX_ROWS')} rows, ${bytes(sourceConstant(MCP_TABLE, 'MAX_BYTES'))}`,
      'the response has the first rows, and explains how to get the others',
    ),
    limit(
      'size of a response that `qal mcp --url` forwards',
      bytes(sourceConstant('extension/api/mcp/relay.ts', 'MAX_ANSWER_BYTES')),
      'the tool returns an error',
    ),
    limit(
      'JSON responses stored on disk for their clients',
      `${bytes(sourceConstant(KEPT_ROWS, 'MAX_FILE_BYTES'))}, ${sourceConstant(KEPT_ROWS, 'MAX_FILES')} files`,
      'the oldest are dropped; clients that are still reading one are disconnected',
    ),
    limit(
      'large responses being sent, in total',
      bytes(sourceConstant('host-shim/rest/outbox.ts', 'OUTBOX_LIMITS', 'maxBytes')),
      `the client that has stalled longest, for at least ${seconds(sourceConstant('host-shim/rest/outbox.ts', 'OUTBOX_LIMITS', 'stalledMs'))}, is disconnected`,
    ),
    limit(
      'time that a client may go without reading its response',
      seconds(2 * sourceConstant(HTTP, 'UNREAD_MS')),
      'the client is disconnected',
    ),
  ];
};

export const timeLimits = (): readonly Limit[] => [
  limit(
    'running time of a query',
    `${usual('QAL_QUERY_TIMEOUT_SECONDS')} s`,
    error('E_TIMEOUT'),
    'QAL_QUERY_TIMEOUT_SECONDS',
  ),
  limit(
    'concurrent queries',
    `${sourceConstant(ANALYTICS, 'DEFAULT_QUERIES_AT_ONCE')}, and fewer than \`DB_POOL_MAX\``,
    'the query waits',
    'QAL_QUERIES_AT_ONCE',
  ),
  limit(
    'concurrent queries per user',
    usual('QAL_QUERIES_PER_USER'),
    'the query waits',
    'QAL_QUERIES_PER_USER',
  ),
  limit(
    'waiting queries',
    usual('QAL_QUERIES_WAITING'),
    `${error('E_UNAVAILABLE')} for the last query of the user with the most waiting queries`,
    'QAL_QUERIES_WAITING',
  ),
  limit(
    'time that a query waits',
    seconds(sourceConstant(ANALYTICS, 'QUERY_PATIENCE_MS')),
    error('E_UNAVAILABLE'),
  ),
  limit(
    'time that a query waits for authentication',
    `${sourceConstant(SHEDDING, 'LATE_MS')} ms, with ${sourceConstant(SHEDDING, 'FEW_REQUESTS')} waiting queries, divided by the number of their callers`,
    `${error('E_UNAVAILABLE')} for further queries of a caller with that many, until the others are authenticated`,
  ),
  limit(
    'time that a request waits for a database connection',
    `${sourceConstant('db/pool-options.ts', 'PATIENCE_SECONDS')} s`,
    error('E_UNAVAILABLE'),
    'DB_POOL_MAX',
  ),
  limit(
    'concurrent statements on the columnar copy',
    sourceConstant('extension/query/columns/column-file.ts', 'MAX_READS'),
    'the statement waits',
  ),
];

export const resourceLimits = (): readonly Limit[] => [
  limit('connections in each of the two pools', usual('DB_POOL_MAX'), 'statements wait', 'DB_POOL_MAX'),
  limit('temporary files per PostgreSQL process', megabytes('DB_TEMP_FILE_MB'), TOO_LARGE, 'DB_TEMP_FILE_MB'),
  limit(
    'memory for queries on the columnar copy',
    `a quarter of what the machine or container has beyond ${sourceConstant('extension/query/columns/columns-of-server.ts', 'PROGRAM_MB')} MiB, at most ${bytes(sourceConstant('extension/query/columns/columns-of-server.ts', 'MAX_MEMORY_MB') * 2 ** 20)}`,
    'temporary files are used; if that is not enough, the query is answered from rows',
    'QAL_COLUMNS_MEMORY_MB',
  ),
  limit(
    'temporary files of the columnar copy',
    megabytes('QAL_COLUMNS_TEMP_MB'),
    'the query is answered from rows',
    'QAL_COLUMNS_TEMP_MB',
  ),
  limit(
    'size of the columnar copy',
    'none',
    'only the sites that are queried most are copied',
    'QAL_COLUMNS_MB',
  ),
  limit(
    'cached results',
    megabytes('QAL_RESULT_CACHE_MB'),
    'the least recently used are dropped',
    'QAL_RESULT_CACHE_MB',
  ),
  limit(
    'one cached result',
    `1/${sourceConstant('extension/query/result-cache/result-cache.ts', 'LARGEST_PART')} of the cache`,
    'it is not cached',
    'QAL_RESULT_CACHE_MB',
  ),
  limit(
    'memory for writing Parquet',
    `${sourceConstant('extension/query/columns/write-parquet.ts', 'MEMORY_MB')} MB`,
    'temporary files are used',
  ),
];

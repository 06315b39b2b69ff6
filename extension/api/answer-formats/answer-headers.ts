// The `meta` of JSON as headers: an answer in another format has only rows.
import type { Answer } from '../../language/types/query-result';
import { MEDIA_TYPES, type StreamedFormat } from './format-names';

/** Each header with its description and JSON Schema. */
export const ANSWER_HEADERS = {
  'X-QAL-Total-Count': { description: 'Rows of the view before the limit.', schema: { type: 'integer' } },
  'X-QAL-Returned-Count': {
    description: 'Rows of this answer; an answer that ends with fewer broke off.',
    schema: { type: 'integer' },
  },
  'X-QAL-Limit': { description: 'The most rows that the query asks for.', schema: { type: 'integer' } },
  'X-QAL-Offset': {
    description: 'Rows before this page, where one was asked for.',
    schema: { type: 'integer' },
  },
  'X-QAL-Data-Version': {
    description: 'Of a page: result.data_version of the next ones.',
    schema: { type: 'string' },
  },
  'X-QAL-Truncated': { description: 'Whether the view has more rows.', schema: { type: 'boolean' } },
} as const;

const CONTENT_TYPES: Readonly<Record<StreamedFormat, string>> = {
  csv: `${MEDIA_TYPES.csv}; charset=utf-8; header=present`,
  ndjson: `${MEDIA_TYPES.ndjson}; charset=utf-8`,
  parquet: MEDIA_TYPES.parquet,
};

/** Letters of the view's name in the file name: clients and proxies refuse headers of several kilobytes. */
const LONGEST_FILE_NAME = 100;

/** The headers of an answer; a browser saves it as a file named after the view. */
export const answerHeaders = (
  { view, totalCount, rowCount, limit, truncated, page }: Answer<unknown>,
  format: StreamedFormat,
): Readonly<Record<string, string>> => ({
  'Content-Type': CONTENT_TYPES[format],
  'Content-Disposition': `attachment; filename="${view.slice(0, LONGEST_FILE_NAME)}.${format}"`,
  'X-QAL-Total-Count': String(totalCount),
  'X-QAL-Returned-Count': String(rowCount),
  'X-QAL-Limit': String(limit),
  ...(page && { 'X-QAL-Offset': String(page.offset), 'X-QAL-Data-Version': page.dataVersion }),
  'X-QAL-Truncated': String(truncated),
});

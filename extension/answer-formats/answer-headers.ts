// What JSON says in `meta`, as headers: an answer in another format has rows and nothing else.
import type { BatchedResult } from '../qal/types/query-result';
import { MEDIA_TYPES, type StreamedFormat } from './format-names';

/** Each header, what it says, and its JSON Schema. */
export const ANSWER_HEADERS = {
  'X-QAL-Total-Count': { description: 'Rows of the view before the limit.', schema: { type: 'integer' } },
  'X-QAL-Returned-Count': {
    description: 'Rows of this answer; an answer that ends with fewer broke off.',
    schema: { type: 'integer' },
  },
  'X-QAL-Limit': { description: 'The most rows that the query asks for.', schema: { type: 'integer' } },
  'X-QAL-Truncated': { description: 'Whether the view has more rows.', schema: { type: 'boolean' } },
} as const;

const CONTENT_TYPES: Readonly<Record<StreamedFormat, string>> = {
  csv: `${MEDIA_TYPES.csv}; charset=utf-8; header=present`,
  ndjson: `${MEDIA_TYPES.ndjson}; charset=utf-8`,
  parquet: MEDIA_TYPES.parquet,
};

/** The headers of an answer; a browser saves it as a file named after the view. */
export const answerHeaders = (
  { view, totalCount, rowCount, limit, truncated }: Omit<BatchedResult, 'batches'>,
  format: StreamedFormat,
): Readonly<Record<keyof typeof ANSWER_HEADERS | 'Content-Type' | 'Content-Disposition', string>> => ({
  'Content-Type': CONTENT_TYPES[format],
  'Content-Disposition': `attachment; filename="${view}.${format}"`,
  'X-QAL-Total-Count': String(totalCount),
  'X-QAL-Returned-Count': String(rowCount),
  'X-QAL-Limit': String(limit),
  'X-QAL-Truncated': String(truncated),
});

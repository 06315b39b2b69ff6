// Answers in formats other than JSON contain only rows, so headers carry what JSON answers have in `meta`.
import type { Answer, Note } from '../../language/types/query-result';
import { MEDIA_TYPES, type StreamedFormat } from './format-names';

const header = (type: 'boolean' | 'integer' | 'string', description: string) => ({
  description,
  schema: { type },
});

export const ANSWER_HEADERS = {
  'X-QAL-Total-Count': header('integer', 'Number of rows in the view before the limit.'),
  'X-QAL-Returned-Count': header(
    'integer',
    'Number of rows in this answer. If fewer arrive, the answer is incomplete.',
  ),
  'X-QAL-Limit': header('integer', 'Maximum number of rows that the query requests.'),
  'X-QAL-Offset': header('integer', 'Number of rows before this page, if the query requests a page.'),
  'X-QAL-Data-Version': header(
    'string',
    'On pages only: the result.data_version to send for the next pages.',
  ),
  'X-QAL-Notes': header(
    'string',
    'Parts of the query that may not mean what was intended, as a JSON list of {at, message, hint} in ASCII; absent if there are none.',
  ),
  'X-QAL-Truncated': header('boolean', 'Whether the view has more rows.'),
} as const;

const CONTENT_TYPES: Readonly<Record<StreamedFormat, string>> = {
  csv: `${MEDIA_TYPES.csv}; charset=utf-8; header=present`,
  ndjson: `${MEDIA_TYPES.ndjson}; charset=utf-8`,
  parquet: MEDIA_TYPES.parquet,
};

/** A view's name may be long, but clients and proxies reject headers of several kilobytes. */
const MAX_FILE_NAME_LENGTH = 100;

export const answerHeaders = (
  { view, totalCount, rowCount, limit, truncated, page, notes }: Answer<unknown>,
  format: StreamedFormat,
): Readonly<Record<string, string>> => ({
  'Content-Type': CONTENT_TYPES[format],
  'Content-Disposition': `attachment; filename="${view.slice(0, MAX_FILE_NAME_LENGTH)}.${format}"`,
  'X-QAL-Total-Count': String(totalCount),
  'X-QAL-Returned-Count': String(rowCount),
  'X-QAL-Limit': String(limit),
  ...(page && { 'X-QAL-Offset': String(page.offset), 'X-QAL-Data-Version': page.dataVersion }),
  ...(notes.length > 0 && { 'X-QAL-Notes': notesText(notes) }),
  'X-QAL-Truncated': String(truncated),
});

const MAX_NOTES_LENGTH = 2048;

/** The notes as ASCII JSON. If they are too long in total, the last ones are dropped. */
function notesText(notes: readonly Note[]): string {
  const text = JSON.stringify(notes).replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return text.length <= MAX_NOTES_LENGTH ? text : notesText(notes.slice(0, -1));
}

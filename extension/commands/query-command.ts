import { type CommandInput, JobFailed, jsonPieces } from '../../host-shim/extension-api';
import { type Analytics, contractOf } from '../api/analytics';
import { formatAnswer } from '../api/answer-formats/format-answer';
import { ANSWER_FORMATS, STREAMED_FORMATS, type StreamedFormat } from '../api/answer-formats/format-names';
import type { InstalledContract } from '../api/contracts/contract';
import { forStreaming } from '../api/contracts/with-switches';
import { queryContext } from '../api/routes/query-route';
import { tableBody } from '../api/routes/table-body';
import { QueryError } from '../language/errors/query-error';
import { noteText } from '../language/notes/note-text';
import { type QueryDocument, readDocument } from '../language/parse/read-document';
import { runQuery, streamQuery, wholeAnswer } from '../query/run-query';
import { type AnalyticsCommand, textOption } from './analytics-command';
import { formatError, formatTable } from './format-result';

interface ParsedQuery {
  readonly document: QueryDocument;
  readonly contract: InstalledContract;
}

export const queryCommand: AnalyticsCommand = {
  name: 'query',
  summary: 'run a QAL query and print the answer',
  args: [{ name: 'file', about: 'file with the query as JSON, or - for standard input' }],
  options: [
    {
      flags: '--format <format>',
      about: 'json (default), table, csv, ndjson or parquet; the last three can return up to a million rows',
      choices: ['table', ...ANSWER_FORMATS],
    },
    { flags: '--version-date <date>', about: 'API version: latest, oldest or a date' },
  ],
  async run(analytics, input) {
    const { args, options, readText } = input;
    const named = textOption(options.format) ?? 'json';
    const streamed = STREAMED_FORMATS.find((format) => format === named);
    const body = await readText(args[0] ?? '-');
    try {
      const contract = await contractOf(analytics, textOption(options.versionDate));
      const parsed = { document: readDocument(body, analytics.host.clock()), contract };
      if (streamed === undefined) await printWhole(analytics, input, parsed, named === 'table');
      else await printPieces(analytics, input, parsed, streamed);
    } catch (error) {
      throw error instanceof QueryError ? new JobFailed(formatError(error), { cause: error }) : error;
    }
  },
};

async function printWhole(
  analytics: Analytics,
  { user, signal, out, err, write }: CommandInput,
  { document, contract }: ParsedQuery,
  asTable: boolean,
): Promise<void> {
  const { responseEnvelope } = analytics.settings;
  const started = performance.now();
  const context = await queryContext(analytics, contract, { user, signal }, responseEnvelope);
  const answer = await runQuery(document, context);
  if (asTable) for (const note of answer.notes) err(`${noteText(note)}\n`);
  if (asTable) out(`${formatTable(await wholeAnswer(answer))}\n`);
  else {
    const milliseconds = Math.round(performance.now() - started);
    const maxBytes = context.maxAnswerBytes;
    const body = tableBody(contract, answer, responseEnvelope, { milliseconds, maxBytes });
    for await (const piece of jsonPieces(body)) await write(piece);
    answer.rows.release();
    out('\n');
  }
}

async function printPieces(
  analytics: Analytics,
  { user, signal, write, err }: CommandInput,
  { document, contract }: ParsedQuery,
  format: StreamedFormat,
): Promise<void> {
  const context = await queryContext(analytics, forStreaming(contract), { user, signal });
  const result = await streamQuery(document, context);
  for await (const piece of await formatAnswer(result, format, { signal })) await write(piece);
  const { rowCount, totalCount, truncated, page, notes } = result;
  for (const note of notes) err(`${noteText(note)}\n`);
  const after = page === null || page.offset === 0 ? '' : ` after row ${page.offset}`;
  if (truncated) err(`Wrote the first ${rowCount} of ${totalCount} rows${after}.\n`);
}

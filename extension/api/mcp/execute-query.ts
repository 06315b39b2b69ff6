import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { noteText } from '../../language/notes/note-table';
import { isEnabled } from '../../language/types/contract';
import type { Answer, KeptRows, WholeAnswer } from '../../language/types/query-result';
import { answerTooLarge } from '../../query/read-result';
import { runQuery, wholeAnswer } from '../../query/run-query';
import { csvText } from '../answer-formats/csv';
import { CELL, COUNT, NOTE } from '../contracts/response-parts';
import {
  type Call,
  dataResult,
  documentOfArgument,
  type McpCaller,
  QUERY_ARGUMENT,
  READS_ONLY,
  runTool,
} from './tool';

const OUTPUT = {
  view: z.string(),
  count: COUNT.optional().describe('Only with count_only, which returns no rows.'),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(CELL)).optional().describe('The values of each row, in the order of columns.'),
  total_count: COUNT.optional().describe('The number of all rows, if it is known.'),
  truncated: z.boolean().optional().describe("Whether there are more rows than the query's limit."),
  offset: COUNT.optional().describe('On pages only: the number of rows before this page.'),
  data_version: z
    .string()
    .optional()
    .describe('On pages only: the result.data_version to send for the next pages.'),
  notes: z.array(NOTE).optional().describe('What may be misread in the query.'),
  cached: z
    .boolean()
    .optional()
    .describe('Whether it is the unchanged result of an earlier, identical query.'),
};

export function registerExecuteQuery(server: McpServer, caller: McpCaller): void {
  const config = {
    title: 'Run a query',
    description:
      'Runs one query and returns its table as CSV. Read the guide first. An error says where it is and how to fix it; if it includes a corrected query, send that.',
    inputSchema: QUERY_ARGUMENT,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
  };
  server.registerTool('qa_execute_query', config, ({ query }, call) =>
    runTool(caller, call, async (contract, context) => {
      const { results } = caller.analytics;
      const document = await documentOfArgument(query);
      await sendProgress(call);
      const result = await caller.record(document, contract, async () => {
        const answer = await wholeAnswer(notTooLarge(await runQuery(document, context, results)));
        const { count, rowCount, answeredBy, cached } = answer;
        return { answer, rowCount: count === null ? rowCount : null, answeredBy, cached };
      });
      return dataResult(resultText(result), dataOf(result, isEnabled(contract, 'meta_cached')));
    }),
  );
}

/** A message is written and validated as a whole, and models could not read more anyway. */
const MOST_BYTES = 2 * 2 ** 20;

function notTooLarge(answer: Answer<KeptRows>): Answer<KeptRows> {
  if (answer.rows.bytes <= MOST_BYTES) return answer;
  answer.rows.release();
  throw answerTooLarge(MOST_BYTES);
}

async function sendProgress({ _meta, sendNotification }: Call) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: 0, total: 1, message: 'Running the query.' };
  await sendNotification({ method: 'notifications/progress', params });
}

function resultText(result: WholeAnswer): string {
  return [...result.notes.map(noteText), tableText(result)].join('\n');
}

function tableText(result: WholeAnswer): string {
  const { view, count, columns, rows, totalCount, truncated, limit, page } = result;
  if (count !== null) return `${view} has ${count} rows.`;
  const more = totalCount === null ? 'there are more' : `there are ${totalCount}`;
  const cut = truncated ? `, cut off at the limit of ${limit}: ${more}` : '';
  const part = page === null ? '' : ` after row ${page.offset}, data version ${page.dataVersion}`;
  return `${rows.length} rows of ${view}${part}${cut}\n${csvText(columns, rows)}`;
}

function dataOf(
  { view, count, columns, rows, totalCount, truncated, cached, page, notes }: WholeAnswer,
  showsCached: boolean,
) {
  return {
    view,
    ...(count === null ? { columns, rows, truncated } : { count }),
    ...(totalCount === null || count !== null ? {} : { total_count: totalCount }),
    ...(page && { offset: page.offset, data_version: page.dataVersion }),
    ...(notes.length > 0 && { notes }),
    ...(showsCached ? { cached } : {}),
  };
}

import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { noteText } from '../../language/notes/note-text';
import { isEnabled } from '../../language/types/contract';
import { runQuery } from '../../query/run-query';
import { CELL, COUNT, NOTE } from '../contracts/response-parts';
import { resultText, type Shown, shownOf } from './result-table';
import {
  type Call,
  dataResult,
  documentOfArgument,
  type McpCaller,
  QUERY_ARGUMENT,
  READ_ONLY,
  runTool,
} from './tool';

const OUTPUT = {
  view: z.string(),
  count: COUNT.optional().describe('Only with count_only, which returns no rows.'),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(CELL)).optional().describe('The values of each row, in the order of columns.'),
  left_out: COUNT.optional().describe(
    'The number of rows that are omitted here: at most 200 are returned. The text explains how to get the others.',
  ),
  total_count: COUNT.optional().describe('The total number of rows, if known.'),
  truncated: z.boolean().optional().describe("Whether there are more rows than the query's limit."),
  offset: COUNT.optional().describe('On pages only: the number of rows before this page.'),
  data_version: z
    .string()
    .optional()
    .describe('On pages only: the result.data_version to send for the next pages.'),
  notes: z.array(NOTE).optional().describe('Parts of the query that may not mean what was intended.'),
  cached: z
    .boolean()
    .optional()
    .describe('Whether this is the unchanged result of an earlier, identical query.'),
};

export function registerExecuteQuery(server: McpServer, caller: McpCaller): void {
  const config = {
    title: 'Run a query',
    description:
      'Runs one query and returns its table, with at most 200 rows. Read the guide first. An error includes its place in the query and how to fix it; if it also includes a corrected query, send that query.',
    inputSchema: QUERY_ARGUMENT,
    outputSchema: OUTPUT,
    annotations: READ_ONLY,
  };
  server.registerTool('qa_execute_query', config, ({ query }, call) =>
    runTool(caller, call, async (contract, context) => {
      const { results } = caller.analytics;
      const document = await documentOfArgument(query, caller.analytics);
      await sendProgress(call);
      const result = await caller.record(document, contract, async () => {
        const answer = await shownOf(await runQuery(document, context, results));
        const { count, rowCount, answeredBy, cached } = answer;
        return { answer, rowCount: count === null ? rowCount : null, answeredBy, cached };
      });
      const text = [...result.notes.map(noteText), resultText(result, contract, caller.allRowsAt)].join('\n');
      return dataResult(text, dataOf(result, isEnabled(contract, 'meta_cached')));
    }),
  );
}

async function sendProgress({ _meta, sendNotification }: Call) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: 0, total: 1, message: 'Running the query.' };
  await sendNotification({ method: 'notifications/progress', params });
}

function dataOf(
  { view, count, columns, rows, leftOut, totalCount, truncated, cached, page, notes }: Shown,
  showsCached: boolean,
) {
  return {
    view,
    ...(count === null ? { columns, rows, left_out: leftOut, truncated } : { count }),
    ...(totalCount === null || count !== null ? {} : { total_count: totalCount }),
    ...(page && { offset: page.offset, data_version: page.dataVersion }),
    ...(notes.length > 0 && { notes }),
    ...(showsCached ? { cached } : {}),
  };
}

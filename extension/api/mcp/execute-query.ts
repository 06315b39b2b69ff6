// The tool qa_execute_query: one query in, its table out.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { isEnabled } from '../../language/types/contract';
import type { Answer, KeptRows, WholeAnswer } from '../../language/types/query-result';
import { answerTooLarge } from '../../query/read-result';
import { runQuery } from '../../query/run-query';
import { wholeAnswer } from '../../query/whole-answer';
import { csvText } from '../answer-formats/csv';
import { CELL, COUNT } from '../contracts/response-parts';
import { queryContext } from '../routes/query-route';
import type { McpCaller } from './caller';
import { QUERY_ARGUMENT } from './query-argument';
import { type Call, dataResult, documentOfArgument, READS_ONLY, runTool } from './tool';

const OUTPUT = {
  view: z.string(),
  count: COUNT.optional().describe('Of a query with count_only, which has no rows.'),
  columns: z.array(z.string()).optional(),
  rows: z.array(z.array(CELL)).optional().describe('Each in the order of columns.'),
  total_count: COUNT.optional().describe('Of all rows, where it is known.'),
  truncated: z.boolean().optional().describe('There are more rows than the limit of the query.'),
  offset: COUNT.optional().describe('Of a page: how many rows come before.'),
  data_version: z.string().optional().describe('Of a page: result.data_version of the next ones.'),
  cached: z.boolean().optional().describe('From an equal earlier query, and no data have changed since.'),
};

export function registerExecuteQuery(server: McpServer, caller: McpCaller): void {
  const config = {
    title: 'Run a query',
    description:
      'Runs one query and gives its table as CSV. Read the guide first. An error names its place and its repair; where there is a corrected query, send that.',
    inputSchema: QUERY_ARGUMENT,
    outputSchema: OUTPUT,
    annotations: READS_ONLY,
  };
  server.registerTool('qa_execute_query', config, ({ query }, call) =>
    runTool(caller, call, async ({ contract, signal }) => {
      const { analytics, user } = caller;
      const document = documentOfArgument(query);
      await tellProgress(call, 'The query is being run.');
      const result = await caller.record(document, contract, async () => {
        const context = queryContext(analytics, contract, user, signal, 'result');
        const answer = await wholeAnswer(notTooLarge(await runQuery(document, context, analytics.results)));
        const { count, rowCount, answeredBy, cached } = answer;
        return { answer, rowCount: count === null ? rowCount : null, answeredBy, cached };
      });
      return dataResult(resultText(result), dataOf(result, isEnabled(contract, 'meta_cached')));
    }),
  );
}

/** A message is written and checked as a whole, and models do not read more. */
const MOST_BYTES = 2 * 2 ** 20;

function notTooLarge(answer: Answer<KeptRows>): Answer<KeptRows> {
  if (answer.rows.bytes <= MOST_BYTES) return answer;
  answer.rows.release();
  throw answerTooLarge(MOST_BYTES);
}

/** For a client that asked for progress. */
async function tellProgress({ _meta, sendNotification }: Call, message: string) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress: 0, total: 1, message };
  await sendNotification({ method: 'notifications/progress', params });
}

function resultText(result: WholeAnswer): string {
  const { view, count, columns, rows, totalCount, truncated, limit, page } = result;
  if (count !== null) return `${view} has ${count} rows.`;
  const more = totalCount === null ? 'there are more' : `there are ${totalCount}`;
  const cut = truncated ? `, cut at the limit of ${limit}: ${more}` : '';
  const part = page === null ? '' : ` after row ${page.offset}, data version ${page.dataVersion}`;
  return `${rows.length} rows of ${view}${part}${cut}\n${csvText(columns, rows)}`;
}

function dataOf(
  { view, count, columns, rows, totalCount, truncated, cached, page }: WholeAnswer,
  tells: boolean,
) {
  return {
    view,
    ...(count === null ? { columns, rows, truncated } : { count }),
    ...(totalCount === null || count !== null ? {} : { total_count: totalCount }),
    ...(page && { offset: page.offset, data_version: page.dataVersion }),
    ...(tells ? { cached } : {}),
  };
}

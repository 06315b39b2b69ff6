// The tool qa_check_query: all faults at once, and what a query would read.
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { featureError } from '../../language/errors/feature-error';
import { isEnabled } from '../../language/types/contract';
import { checkQuery, type QueryCheck } from '../../query/check-query';
import { CHECK_FEATURE, checkSchema, writeCheck } from '../contracts/query-check';
import { queryContext } from '../routes/query-route';
import type { McpCaller } from './caller';
import { QUERY_ARGUMENT } from './query-argument';
import { dataResult, documentOfArgument, faultText, READS_ONLY, runTool } from './tool';

export function registerCheckQuery(server: McpServer, caller: McpCaller): void {
  const config = {
    title: 'Check a query',
    description:
      'Tells everything wrong with a query at once, with the corrected query where that is certain, and otherwise what it would read (period in UTC, engine, rows). Runs nothing and takes milliseconds.',
    inputSchema: QUERY_ARGUMENT,
    outputSchema: checkSchema.shape,
    annotations: READS_ONLY,
  };
  server.registerTool('qa_check_query', config, ({ query }, call) =>
    runTool(caller, call, async ({ contract, signal }) => {
      if (!isEnabled(contract, CHECK_FEATURE)) throw featureError(contract, CHECK_FEATURE, undefined);
      const context = queryContext(caller.analytics, contract, caller.user, signal, 'result');
      const check = await checkQuery(documentOfArgument(query), context);
      return dataResult(checkText(check), { ...writeCheck(check) });
    }),
  );
}

function checkText({ faults, repaired, reads }: QueryCheck): string {
  const found = faults.map(faultText);
  const correction =
    repaired === undefined ? [] : [`The corrected query, to be sent instead: ${JSON.stringify(repaired)}`];
  if (reads === undefined) return [...found, ...correction].join('\n\n');
  const { bounds, answeredBy, rows } = reads;
  const counted = rows.map((it) => `about ${it.rows} of ${it.material}`).join(', ');
  const about = `It reads ${bounds.start} to ${bounds.end} (${bounds.zone}), ${counted === '' ? 'no rows' : counted}, from ${answeredBy.engine}. ${answeredBy.because}`;
  const verdict = faults.length === 0 ? 'The query is right.' : 'That query is right.';
  return [...found, ...correction, `${verdict} ${about}`].join('\n\n');
}

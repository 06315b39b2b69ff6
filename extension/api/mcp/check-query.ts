import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { countOf } from '../../../host-shim/extension-api';
import { featureError } from '../../language/errors/feature-error';
import { noteText } from '../../language/notes/note-text';
import { isEnabled } from '../../language/types/contract';
import { checkQuery, type QueryCheck } from '../../query/check-query';
import { CHECK_FEATURE, checkSchema, writeCheck } from '../contracts/query-check';
import {
  dataResult,
  documentOfArgument,
  faultText,
  type McpCaller,
  QUERY_ARGUMENT,
  READ_ONLY,
  repairText,
  runTool,
} from './tool';

export function registerCheckQuery(server: McpServer, caller: McpCaller): void {
  const config = {
    title: 'Check a query',
    description:
      'Reports all errors in a query, with a corrected query if the correction is certain. For a valid query, reports what it would read (period in UTC, engine, rows). Does not run the query; takes milliseconds.',
    inputSchema: QUERY_ARGUMENT,
    outputSchema: checkSchema.shape,
    annotations: READ_ONLY,
  };
  server.registerTool('qa_check_query', config, ({ query }, call) =>
    runTool(caller, call, async (contract, context) => {
      if (!isEnabled(contract, CHECK_FEATURE)) throw featureError(contract, CHECK_FEATURE, undefined);
      const check = await checkQuery(await documentOfArgument(query, caller.analytics), context);
      return dataResult(checkText(check), { ...writeCheck(check) });
    }),
  );
}

function checkText({ faults, repaired, reads, notes }: QueryCheck): string {
  const found = [...faults.map(faultText), ...repairText(repaired)];
  if (reads === undefined) return found.join('\n\n');
  const { bounds, answeredBy, rows } = reads;
  const counted = rows.map((it) => `about ${countOf(it.rows, 'row')} of ${it.material}`).join(', ');
  const verdict = faults.length === 0 ? 'The query is valid.' : 'The corrected query is valid.';
  return [
    ...found,
    `${verdict} It reads ${bounds.start} to ${bounds.end} (${bounds.zone}), ${counted === '' ? 'no rows' : counted}, from ${answeredBy.engine}. ${answeredBy.because}`,
    ...notes.map(noteText),
  ].join('\n\n');
}

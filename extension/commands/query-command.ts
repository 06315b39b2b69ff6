// Owns `qal query`: a query from a file, its answer as JSON, a table or CSV.
import type { CommandDefinition, CommandUsage } from '../../host-shim/extension-api';
import { type Analytics, contractOf } from '../analytics';
import { answerOf } from '../contracts/contract';
import { QueryError } from '../errors/query-error';
import type { QueryResult } from '../qal/types/query-result';
import type { GivenResult } from '../result-cache/result-cache';
import { queryContext } from '../routes/query-route';
import { runQuery } from '../run-query';
import { formatCsv, formatError, formatTable } from './format-result';
import { textOption } from './text-option';

const FORMATS: Readonly<Record<string, (result: QueryResult) => string>> = {
  table: formatTable,
  csv: formatCsv,
};

export const queryUsage: CommandUsage = {
  name: 'query',
  summary: 'Runs a QAL query and prints its answer',
  args: [{ name: 'file', about: 'file with the query as JSON, or - for standard input' }],
  options: [
    {
      flags: '--format <format>',
      about: 'json (default), table or csv',
      choices: ['json', 'table', 'csv'],
    },
    { flags: '--version-date <date>', about: 'contract to run under: latest, oldest or a date' },
  ],
};

/** The command that runs a query as the local administrator. */
export function queryCommand(analytics: Analytics): CommandDefinition {
  const { settings } = analytics;
  return {
    ...queryUsage,
    run: async ({ args: [file = '-'], options, user, signal, readText, out, err }) => {
      const body = await readText(file);
      const started = performance.now();
      try {
        const contract = await contractOf(analytics, textOption(options.versionDate));
        const context = queryContext(analytics, contract, user, signal, settings.responseEnvelope);
        const result = await runQuery(body, context);
        const json = (value: GivenResult) =>
          JSON.stringify(
            answerOf(contract, value, settings.responseEnvelope, Math.round(performance.now() - started)),
          );
        const format = FORMATS[textOption(options.format) ?? 'json'] ?? json;
        out(`${format(result)}\n`);
        return 0;
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        err(`${formatError(error)}\n`);
        return 1;
      }
    },
  };
}

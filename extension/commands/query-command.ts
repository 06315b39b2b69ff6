// qal query: a query from a file, its answer as JSON, a table or CSV.
import { JobFailed } from '../../host-shim/extension-api';
import { contractOf } from '../analytics';
import { answerOf } from '../contracts/contract';
import { QueryError } from '../errors/query-error';
import { readDocument } from '../qal/parse/read-document';
import type { QueryResult } from '../qal/types/query-result';
import type { GivenResult } from '../result-cache/result-cache';
import { queryContext } from '../routes/query-route';
import { runQuery } from '../run-query';
import { type AnalyticsCommand, textOption } from './analytics-command';
import { formatCsv, formatError, formatTable } from './format-result';

const FORMATS: Readonly<Record<string, (result: QueryResult) => string>> = {
  table: formatTable,
  csv: formatCsv,
};

export const queryCommand: AnalyticsCommand = {
  name: 'query',
  summary: 'run a QAL query and print its answer',
  args: [{ name: 'file', about: 'file with the query as JSON, or - for standard input' }],
  options: [
    { flags: '--format <format>', about: 'json (default), table or csv', choices: ['json', 'table', 'csv'] },
    { flags: '--version-date <date>', about: 'contract to run under: latest, oldest or a date' },
  ],
  async run(analytics, { args: [file = '-'], options, user, signal, readText, out }) {
    const { responseEnvelope } = analytics.settings;
    const body = await readText(file);
    const started = performance.now();
    try {
      const contract = await contractOf(analytics, textOption(options.versionDate));
      const context = queryContext(analytics, contract, user, signal, responseEnvelope);
      const result = await runQuery(readDocument(body), context);
      const json = (value: GivenResult) =>
        JSON.stringify(answerOf(contract, value, responseEnvelope, Math.round(performance.now() - started)));
      const format = FORMATS[textOption(options.format) ?? 'json'] ?? json;
      out(`${format(result)}\n`);
    } catch (error) {
      throw error instanceof QueryError ? new JobFailed(formatError(error), { cause: error }) : error;
    }
  },
};

// Owns `qal explain`: every stage of a query, from what was asked to the SQL with its bindings.
import type { CommandDefinition, CommandUsage } from '../../host-shim/extension-api';
import { type Analytics, contractOf } from '../analytics';
import { QueryError } from '../errors/query-error';
import { explained } from '../explained';
import { execute } from '../qal/run/execute';
import { queryContext } from '../routes/query-route';
import { prepareQuery } from '../run-query';
import { formatError } from './format-result';
import { textOption } from './text-option';

export const explainUsage: CommandUsage = {
  name: 'explain',
  summary: 'Shows every stage of a QAL query: asked, resolved, plan, SQL',
  args: [{ name: 'file', about: 'file with the query as JSON, or - for standard input' }],
  options: [
    { flags: '--analyze', about: "run it, and add the database's own plan" },
    { flags: '--version-date <date>', about: 'contract to run under: latest, oldest or a date' },
  ],
};

/** The command that shows how a query is understood and run. */
export function explainCommand(analytics: Analytics): CommandDefinition {
  const { settings } = analytics;
  return {
    ...explainUsage,
    run: async ({ args: [file = '-'], options, user, signal, readText, out, err }) => {
      try {
        const contract = await contractOf(analytics, textOption(options.versionDate));
        const context = queryContext(analytics, contract, user, signal, settings.responseEnvelope);
        const { stages, plan, sql } = explained(await prepareQuery(await readText(file), context));
        for (const [stage, value] of Object.entries(stages))
          out(`${stage}\n${JSON.stringify(value, null, 2)}\n\n`);
        out(`sql\n${sql.text}\n\nbindings\n${JSON.stringify(sql.bindings)}\n`);
        if (options.analyze === true) {
          const text = `explain (analyze, buffers) ${sql.text}`;
          const rows = await execute({ ...sql, text }, plan.output.view, context);
          out(`\nanalyze\n${rows.map(([line]) => line).join('\n')}\n`);
        }
        return 0;
      } catch (error) {
        if (!(error instanceof QueryError)) throw error;
        err(`${formatError(error)}\n`);
        return 1;
      }
    },
  };
}

import { JobFailed, WrongUsage } from '../../host-shim/extension-api';
import { contractOf } from '../api/analytics';
import { queryContext } from '../api/routes/query-route';
import { QueryError } from '../language/errors/query-error';
import { nearest } from '../language/names/nearest';
import { type QueryDocument, readDocument } from '../language/parse/read-document';
import type { PassTrace } from '../language/plan/pass';
import { PASSES } from '../language/plan/plan-query';
import type { RowBatches } from '../language/types/compiled-query';
import { explained, explainedPasses } from '../query/explained';
import type { QueryContext } from '../query/query-context';
import { readRows } from '../query/run/read-rows';
import { prepareQuery } from '../query/run-query';
import { type AnalyticsCommand, textOption } from './analytics-command';
import { formatError } from './format-result';

export const explainCommand: AnalyticsCommand = {
  name: 'explain',
  summary: 'show every stage of a QAL query: as sent, resolved, passes, plan, SQL',
  args: [{ name: 'file', about: 'file with the query as JSON, or - for standard input' }],
  options: [
    { flags: '--analyze', about: "run the query and add the database's plan" },
    { flags: '--without <passes>', about: 'plan passes to skip, separated by commas' },
    { flags: '--version-date <date>', about: 'API version: latest, oldest or a date' },
  ],
  async run(analytics, { args: [file = '-'], options, user, signal, readText, out }) {
    const named = (textOption(options.without) ?? '').split(',').map((name) => name.trim());
    const withoutPasses = named.filter((name) => name !== '');
    const unknown = withoutPasses.find((name) => !PASS_NAMES.includes(name));
    if (unknown !== undefined) {
      const near = nearest(unknown, PASS_NAMES);
      const hint = near === undefined ? '' : ` Did you mean ${near}?`;
      throw new WrongUsage(`There is no pass "${unknown}".${hint} The passes are ${PASS_NAMES.join(', ')}.`);
    }
    try {
      const contract = await contractOf(analytics, textOption(options.versionDate));
      const { responseEnvelope } = analytics.settings;
      const context = await queryContext(analytics, contract, { user, signal }, responseEnvelope);
      const document = readDocument(await readText(file), analytics.host.clock());
      out(await explanation(document, { ...context, withoutPasses }, options.analyze === true));
    } catch (error) {
      throw error instanceof QueryError ? new JobFailed(formatError(error), { cause: error }) : error;
    }
  },
};

async function explanation(
  document: QueryDocument,
  context: QueryContext,
  analyze: boolean,
): Promise<string> {
  const prepared = await prepareQuery(document, context);
  const { stages, plan, sql } = explained(prepared);
  const passes = passLines(
    await explainedPasses(prepared, { ...context, engine: prepared.answeredBy.engine }),
  );
  const parts = Object.entries(stages).flatMap(([stage, value]) => [
    ...(stage === 'plan' ? [`passes\n${passes}\n`] : []),
    `${stage}\n${JSON.stringify(value, null, 2)}\n\n`,
  ]);
  const { engine, because } = prepared.answeredBy;
  parts.push(`engine\n${engine}: ${because}\n\n`);
  parts.push(`sql\n${sql.text}\n\nbindings\n${JSON.stringify(sql.bindings)}\n`);
  if (analyze) {
    const text = `explain (analyze, buffers) ${sql.text}`;
    const lines = await readRows({ ...sql, text }, plan.output.view, context, firstValues);
    parts.push(`\nanalyze\n${lines.join('\n')}\n`);
  }
  return parts.join('');
}

async function firstValues(rows: RowBatches): Promise<readonly unknown[]> {
  const values: unknown[] = [];
  for await (const batch of rows) values.push(...batch.map(([value]) => value));
  return values;
}

const PASS_NAMES = PASSES.map(({ name }) => name);

/** One line per pass, followed by one for each reason. */
function passLines(passes: readonly PassTrace[]): string {
  const width = Math.max(...PASS_NAMES.map((name) => name.length));
  return passes
    .flatMap(({ name, did, because }) => [
      `  ${name.padEnd(width)}  ${did}\n`,
      ...because.map((reason) => `    ${reason}\n`),
    ])
    .join('');
}

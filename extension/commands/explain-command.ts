// qal explain: every stage of a query, from what was asked to the SQL with its bindings.
import { JobFailed, WrongUsage } from '../../host-shim/extension-api';
import { contractOf } from '../analytics';
import { QueryError } from '../errors/query-error';
import { explained, explainedPasses } from '../explained';
import { nearest } from '../qal/names/nearest';
import { readDocument } from '../qal/parse/read-document';
import type { PassTrace } from '../qal/plan/pass';
import { PASSES } from '../qal/plan/plan-query';
import { readRows } from '../qal/run/read-rows';
import type { RowBatches } from '../qal/types/compiled-query';
import type { QueryContext } from '../qal/types/query-context';
import { queryContext } from '../routes/query-route';
import { prepareQuery } from '../run-query';
import { type AnalyticsCommand, textOption } from './analytics-command';
import { formatError } from './format-result';

export const explainCommand: AnalyticsCommand = {
  name: 'explain',
  summary: 'show every stage of a QAL query: asked, resolved, passes, plan, SQL',
  args: [{ name: 'file', about: 'file with the query as JSON, or - for standard input' }],
  options: [
    { flags: '--analyze', about: "run it, and add the database's own plan" },
    { flags: '--without <passes>', about: 'rewrites of the plan to leave out, separated by commas' },
    { flags: '--version-date <date>', about: 'API version: latest, oldest or a date' },
  ],
  async run(analytics, { args: [file = '-'], options, user, signal, readText, out }) {
    const named = (textOption(options.without) ?? '').split(',').map((name) => name.trim());
    const withoutPasses = named.filter((name) => name !== '');
    const unknown = withoutPasses.find((name) => !PASS_NAMES.includes(name));
    if (unknown !== undefined)
      throw new WrongUsage(
        `There is no pass "${unknown}". The passes are ${nearestFirst(unknown).join(', ')}.`,
      );
    try {
      const contract = await contractOf(analytics, textOption(options.versionDate));
      const own = queryContext(analytics, contract, user, signal, analytics.settings.responseEnvelope);
      const body = await readText(file);
      const analyze = options.analyze === true;
      out(await explanation(body, { ...own, withoutPasses }, analyze));
    } catch (error) {
      throw error instanceof QueryError ? new JobFailed(formatError(error), { cause: error }) : error;
    }
  },
};

/** All stages as text; `analyze` runs the query. */
async function explanation(body: string, context: QueryContext, analyze: boolean): Promise<string> {
  const prepared = await prepareQuery(readDocument(body), context);
  const { stages, plan, sql } = explained(prepared);
  const passes = passLines(explainedPasses(prepared, { ...context, engine: prepared.answeredBy.engine }));
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

/** All passes, the one that was probably meant before the others. */
function nearestFirst(wanted: string): readonly string[] {
  const meant = nearest(wanted, PASS_NAMES);
  return meant === undefined ? PASS_NAMES : [meant, ...PASS_NAMES.filter((name) => name !== meant)];
}

/** A line for each pass, and one below it for each reason. */
function passLines(passes: readonly PassTrace[]): string {
  const width = Math.max(...PASS_NAMES.map((name) => name.length));
  return passes
    .flatMap(({ name, did, because }) => [
      `  ${name.padEnd(width)}  ${did}\n`,
      ...because.map((reason) => `    ${reason}\n`),
    ])
    .join('');
}

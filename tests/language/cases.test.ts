// Runs the case files, which specify the language, and compares the SQL with the files next to them, which `make test-sql`
// rewrites. A long run also runs each case without plan passes and in batches. Errors that need no data are tested in
// refusals.test.ts.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { QueryError } from '../../extension/language/errors/query-error';
import { readDocument } from '../../extension/language/parse/read-document';
import { PASSES } from '../../extension/language/plan/plan-query';
import type { Row } from '../../extension/language/types/compiled-query';
import type { WholeAnswer } from '../../extension/language/types/query-result';
import type { QueryContext } from '../../extension/query/query-context';
import { prepareQuery, streamQuery } from '../../extension/query/run-query';
import { IS_LONG_RUN } from '../support/long-run';
import { runWhole } from '../support/run-whole';
import { IS_SECOND_SERVER, onFirstServer } from '../support/second-server';
import { isRefusedByData, type QueryCase, readCases } from './case-file';
import { formatSql } from './format-sql';
import { manifest, USERS, useCaseDatabase } from './query-setup';

const CASES = join(__dirname, 'cases');

const opened = useCaseDatabase({ withColumns: !IS_SECOND_SERVER });
const contextOf = (it: QueryCase): QueryContext => ({
  ...opened.context,
  sites: USERS[it.as],
  columns: undefined,
});

const head = installedContracts(manifest).at(-1);
const cases = readCases(CASES);
const answered = cases.filter((it) => it.error === undefined);
const refused = cases.filter(isRefusedByData);
const topics = [...new Set(cases.map(({ topic }) => topic))];

/** Cases whose numbers the columnar copy cannot add exactly. */
const INEXACT: ReadonlySet<string> = new Set([
  'a sum of decimals may exceed the limit of whole numbers',
  'a calc of a calc uses rounded numbers',
]);

async function inBatches(it: QueryCase, context: QueryContext) {
  const result = await streamQuery(readDocument(it.body), context);
  const { rowCount, totalCount, truncated, page } = result;
  const rows: Row[] = [];
  for await (const batch of result.rows) rows.push(...batch);
  const before = page?.offset ?? 0;
  expect([rowCount, Number(totalCount) > before + rowCount]).toEqual([rows.length, truncated]);
  return { rows, truncated };
}

function expectFromColumns(
  { title }: QueryCase,
  answer: WholeAnswer,
  { answeredBy: _, ...onRows }: WholeAnswer,
): void {
  const { answeredBy: by, ...onColumns } = answer;
  expect(onColumns).toEqual(onRows);
  expect([by.engine, title]).toEqual([INEXACT.has(title) ? 'rows' : 'columns', title]);
}

const isAboutUrl = (message: string): boolean => / contains whole URLs, but /.test(message);

const named = (it: QueryCase): [string, QueryCase] => [`${it.topic}: ${it.title}`, it];

describe('answers', () => {
  // conformance: answer.answer-formats
  test.each(answered.map(named))('%s', async (_name, it) => {
    const context = contextOf(it);
    const result = await runWhole(readDocument(it.body), context);
    const rows = it.ids?.map((id) => [id]) ?? it.rows;
    if (rows !== undefined) expect(result.rows).toEqual(rows);
    if (it.columns !== undefined) expect(result.columns).toEqual(it.columns);
    if (it.count !== undefined) expect(result.count).toBe(it.count);
    // The rows in the case files contain paths instead of URLs.
    const notes = result.notes.filter(({ message }) => it.notes !== undefined || !isAboutUrl(message));
    expect(notes).toEqual(it.notes ?? []);
    if (it.meta !== undefined) expect(Object(head?.format.table(result, 'result', 0)).meta).toEqual(it.meta);
    if (IS_SECOND_SERVER) return;
    const { columns } = opened.context;
    const withColumns = { ...context, columns };
    expectFromColumns(it, await runWhole(readDocument(it.body), withColumns), result);
    if (!IS_LONG_RUN) return;
    const withoutPasses = PASSES.map(({ name }) => name);
    expect(await runWhole(readDocument(it.body), { ...context, withoutPasses })).toEqual(result);
    expectFromColumns(it, await runWhole(readDocument(it.body), { ...withColumns, withoutPasses }), result);
    const { rows: wanted, count, truncated } = result;
    for (const variant of [context, withColumns])
      expect(await inBatches(it, variant)).toEqual({ rows: count === null ? wanted : [[count]], truncated });
  });
});

onFirstServer('SQL', () => {
  test('there is a case file for every SQL file', () => {
    const files = readdirSync(CASES, { recursive: true, encoding: 'utf8' });
    const withSql = files.filter((file) => file.endsWith('.sql')).map((file) => file.replace(/\.sql$/, ''));
    expect(withSql.filter((topic) => !topics.includes(topic))).toEqual([]);
  });

  test.each(topics)('%s', async (topic) => {
    const sections: string[] = [];
    for (const it of answered.filter((one) => one.topic === topic)) {
      const { sql } = await prepareQuery(readDocument(it.body), contextOf(it));
      sections.push(`-- ## ${it.title}\n${formatSql(sql.text, sql.bindings)}`);
    }
    const file = join(CASES, `${topic}.sql`);
    const text = sections.join('\n');
    if (process.env.UPDATE_SQL === '1') {
      if (text === '') rmSync(file, { force: true });
      else writeFileSync(file, text);
    }
    expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(text);
  });
});

describe('errors that depend on the database', () => {
  test.each(refused.map(named))('%s', async (_name, it) => {
    const { code, at, hint, details } = it.error ?? { code: '' };
    for (const columns of new Set([undefined, opened.context.columns])) {
      const context = { ...contextOf(it), columns };
      const error: unknown = await runWhole(readDocument(it.body), context).catch((thrown) => thrown);
      if (!(error instanceof QueryError)) throw error;
      expect({ code: error.code, at: error.at }).toEqual({ code, at });
      if (hint !== undefined) expect(error.hint ?? null).toBe(hint);
      if (details !== undefined) expect(error.details).toEqual(details);
    }
  });
});

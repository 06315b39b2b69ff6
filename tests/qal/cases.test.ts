// Runs the case files: each query as it is planned, and again with every rewrite of the plan left out.
import { join } from 'node:path';
import { QueryError } from '../../extension/errors/query-error';
import { PASSES } from '../../extension/qal/plan/plan-query';
import type { QueryContext } from '../../extension/qal/types/query-context';
import { prepareQuery, runQuery } from '../../extension/run-query';
import type { TestDatabase } from '../support/database';
import { type QueryCase, readCases } from './case-file';
import { createCaseDatabase, createContext, USERS } from './query-setup';

let database: TestDatabase;
let context: QueryContext;

beforeAll(async () => {
  database = await createCaseDatabase();
  context = await createContext(database);
});
afterAll(() => database.drop());

const cases = readCases(join(__dirname, 'cases'));
const answered = cases.filter((it) => it.error === undefined);
const refused = cases.filter((it) => it.error !== undefined);

const name = (it: QueryCase): [string, QueryCase] => [`${it.topic}: ${it.title}`, it];

describe('answers', () => {
  test.each(answered.map(name))('%s', async (_name, it) => {
    const own = { ...context, sites: USERS[it.as] };
    const result = await runQuery(it.body, own);
    const rows = it.ids?.map((id) => [id]) ?? it.rows;
    if (rows !== undefined) expect(result.rows).toEqual(rows);
    if (it.columns !== undefined) expect(result.columns).toEqual(it.columns);
    if (it.count !== undefined) expect(result.count).toBe(it.count);
    if (it.meta !== undefined) expect(contractMeta(result)).toEqual(it.meta);
    for (const pass of PASSES) {
      expect(await runQuery(it.body, { ...own, withoutPasses: [pass.name] })).toEqual(result);
    }
    const { sql } = await prepareQuery(it.body, own);
    expect({ bindings: sql.bindings, text: sql.text }).toMatchSnapshot();
  });

  const contractMeta = (result: Parameters<QueryContext['contract']['wire']['table']>[0]): unknown =>
    Object(context.contract.wire.table(result, 'result', 0)).meta;
});

/** The named parts of a query, `view` and `filter` of the view v. */
function partsOf(query: unknown, names: readonly string[]): Record<string, unknown> {
  const { make, ...others } = Object(query);
  const parts = { ...others, make, view: make.v, filter: make.v?.filter };
  return Object.fromEntries(names.map((name) => [name, parts[name]]));
}

describe('refusals', () => {
  test.each(refused.map(name))('%s', async (_name, it) => {
    const { code, at, hint, details, repaired } = it.error ?? { code: '' };
    const own = { ...context, sites: USERS[it.as] };
    const error: unknown = await runQuery(it.body, own).catch((thrown) => thrown);
    if (!(error instanceof QueryError)) throw error;
    expect({ code: error.code, at: error.at }).toEqual({ code, at });
    if (hint !== undefined) expect(error.hint).toBe(hint);
    const { repaired: query, ...others } = error.details ?? {};
    if (details !== undefined) expect(others).toEqual(details);
    expect(query === undefined ? undefined : partsOf(query, Object.keys(repaired ?? {}))).toEqual(repaired);
    if (query !== undefined) await runQuery(JSON.stringify(query), own);
  });
});

// THE PIPELINE: body text -> answer, one line per phase.
// The caller can be wrong up to resolve; from plan on, an exception is a fault of ours.
import { parseQuery } from './qal/parse/parse-query';
import { planQuery } from './qal/plan/plan-query';
import { resolveQuery } from './qal/resolve/resolve-query';
import { execute } from './qal/run/execute';
import { loadScope } from './qal/scope/load-scope';
import { shapeResult } from './qal/shape/shape-result';
import { compilePlan } from './qal/sql/compile-plan';
import type { QueryContext } from './qal/types/query-context';
import type { QueryResult } from './qal/types/query-result';
import { withRepairedQuery } from './repair-query';

/** Every stage of a query up to the statement, as `qal explain` prints it. */
export async function prepareQuery(body: string, context: QueryContext) {
  const asked = parseQuery(body, context.contract, context.zones);
  const scope = await loadScope(asked, context);
  const resolved = resolveQuery(asked, scope, context);
  const plan = planQuery(resolved, context);
  const sql = compilePlan(plan);
  return { asked, resolved, plan, sql };
}

/** The same; its QueryErrors carry the corrected query where that is certain. */
export async function prepareOrRepair(body: string, context: QueryContext) {
  const prepare = (text: string) => prepareQuery(text, context);
  return prepare(body).catch(async (error) => {
    throw await withRepairedQuery(error, body, prepare);
  });
}

/** Runs a query; throws a QueryError for every fault of the caller. */
export async function runQuery(body: string, context: QueryContext): Promise<QueryResult> {
  const { plan, sql } = await prepareOrRepair(body, context);
  const rows = await execute(sql, plan.output.view, context);
  return shapeResult(plan.output, rows);
}

// THE PIPELINE: body text -> answer, one line per phase.
// The caller can be wrong up to resolve; from plan on, an exception is a fault of ours.

import { loadScope } from './load-scope';
import { parseQuery } from './qal/parse/parse-query';
import { planQuery } from './qal/plan/plan-query';
import { resolveQuery } from './qal/resolve/resolve-query';
import { execute } from './qal/run/execute';
import { whileCurrent } from './qal/run/while-current';
import { shapeResult } from './qal/shape/shape-result';
import { compilePlan } from './qal/sql/compile-plan';
import { postgresql } from './qal/sql/dialects/postgresql';
import type { QueryContext } from './qal/types/query-context';
import { withRepairedQuery } from './repair-query';
import { type GivenResult, NO_CACHE } from './result-cache/result-cache';

/** What is asked, in the names and values of the sites: the phases in which the caller can be wrong. */
async function understandQuery(body: string, context: QueryContext) {
  const asked = parseQuery(body, context.contract, context.zones);
  const scope = await loadScope(asked, context);
  const resolved = resolveQuery(asked, scope, context);
  return { asked, resolved };
}

/** Every stage of a query up to the statement, as `qal explain` prints it. */
export async function prepareQuery(body: string, context: QueryContext) {
  const { asked, resolved } = await understandQuery(body, context);
  const plan = planQuery(resolved, context);
  const sql = compilePlan(plan, { dialect: postgresql, storage: context.manifest });
  return { asked, resolved, plan, sql };
}

/** The same; its QueryErrors carry the corrected query where that is certain. */
export const prepareOrRepair = (body: string, context: QueryContext) =>
  orRepair(body, (text) => prepareQuery(text, context));

function orRepair<Stages>(body: string, prepare: (body: string) => Promise<Stages>): Promise<Stages> {
  return prepare(body).catch(async (error) => {
    throw await withRepairedQuery(error, body, prepare);
  });
}

/** Runs a query unless its result is kept; throws a QueryError for every fault of the caller. */
export function runQuery(body: string, context: QueryContext, results = NO_CACHE): Promise<GivenResult> {
  return whileCurrent(context, async (context) => {
    const { resolved } = await orRepair(body, (text) => understandQuery(text, context));
    return results.resultOf(resolved, context, async (signal) => {
      const plan = planQuery(resolved, context);
      const sql = compilePlan(plan, { dialect: postgresql, storage: context.manifest });
      const rows = await execute(sql, plan.output.view, { ...context, signal });
      return shapeResult(plan.output, rows);
    });
  });
}

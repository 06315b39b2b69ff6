// THE PIPELINE: a query document -> its result, one line per phase.
// The caller can be wrong up to resolve; from plan on, an exception is a fault of ours.

import { loadScope } from './load-scope';
import type { QueryDocument } from './qal/parse/read-document';
import { planQuery } from './qal/plan/plan-query';
import { execute } from './qal/run/execute';
import { whileCurrent } from './qal/run/while-current';
import { shapeResult } from './qal/shape/shape-result';
import { compilePlan } from './qal/sql/compile-plan';
import { postgresql } from './qal/sql/dialects/postgresql';
import type { QueryContext } from './qal/types/query-context';
import { type GivenResult, NO_CACHE } from './result-cache/result-cache';
import { understandQuery } from './understand-query';

/** Every stage of a query up to the statement, as `qal explain` prints it; throws a QueryError for every fault of the caller. */
export async function prepareQuery(document: QueryDocument, context: QueryContext) {
  const { asked, resolved } = await understandQuery(document, context, (query) => loadScope(query, context));
  const plan = planQuery(resolved, context);
  const sql = compilePlan(plan, { dialect: postgresql, storage: context.manifest });
  return { asked, resolved, plan, sql };
}

/** Runs a query unless its result is cached; throws a QueryError for every fault of the caller. */
export function runQuery(
  document: QueryDocument,
  context: QueryContext,
  results = NO_CACHE,
): Promise<GivenResult> {
  return whileCurrent(context, async (context) => {
    const { resolved } = await understandQuery(document, context, (query) => loadScope(query, context));
    return results.resultOf(resolved, context, async (signal) => {
      const plan = planQuery(resolved, context);
      const sql = compilePlan(plan, { dialect: postgresql, storage: context.manifest });
      const rows = await execute(sql, plan.output.view, { ...context, signal });
      return shapeResult(plan.output, rows);
    });
  });
}

// THE PIPELINE: a query document -> its result, one line per phase.
// The caller can be wrong up to resolve; from plan on, an exception is a fault of ours.

import { chooseEngine, DIALECTS } from './engines';
import { loadScope } from './load-scope';
import type { QueryDocument } from './qal/parse/read-document';
import { planQuery } from './qal/plan/plan-query';
import { readColumns } from './qal/run/read-columns';
import { readRows } from './qal/run/read-rows';
import { shapeResult } from './qal/shape/shape-result';
import { compilePlan } from './qal/sql/compile-plan';
import type { CompiledQuery, Row } from './qal/types/compiled-query';
import type { Plan } from './qal/types/plan';
import type { EngineChoice, QueryContext } from './qal/types/query-context';
import type { ResolvedQuery } from './qal/types/resolved-query';
import { type AnsweredResult, type GivenResult, NO_CACHE } from './result-cache/result-cache';
import { understandQuery } from './understand-query';

/** Every stage of a query up to the statement, as `qal explain` prints it; throws a QueryError for every fault of the caller. */
export async function prepareQuery(document: QueryDocument, context: QueryContext) {
  const { asked, resolved } = await understandQuery(document, context, (query) => loadScope(query, context));
  const choice = chooseEngine(resolved.scope, context);
  return { asked, resolved, ...compileFor(choice, resolved, context) };
}

/** Runs a query unless its result is cached; throws a QueryError for every fault of the caller. */
export async function runQuery(
  document: QueryDocument,
  context: QueryContext,
  results = NO_CACHE,
): Promise<GivenResult> {
  const { resolved } = await understandQuery(document, context, (query) => loadScope(query, context));
  return results.resultOf(resolved, context, (signal) => answerQuery(resolved, { ...context, signal }));
}

async function answerQuery(resolved: ResolvedQuery, context: QueryContext): Promise<AnsweredResult> {
  const choice = chooseEngine(resolved.scope, context);
  const { plan, rows, answeredBy } = await readRowsOf(
    compileFor(choice, resolved, context),
    resolved,
    context,
  );
  return { ...shapeResult(plan.output, rows), answeredBy };
}

/** A plan and its statement, for the engine that is to run it. */
export interface CompiledPlan {
  readonly plan: Plan;
  readonly sql: CompiledQuery;
  readonly answeredBy: EngineChoice;
}

function compileFor(answeredBy: EngineChoice, resolved: ResolvedQuery, context: QueryContext): CompiledPlan {
  const { engine } = answeredBy;
  const plan = planQuery(resolved, { ...context, engine });
  const sql = compilePlan(plan, { dialect: DIALECTS[engine], storage: context.manifest });
  return { plan, sql, answeredBy };
}

/** The rows of a compiled plan; where the columns cannot answer, those of PostgreSQL in the time that is left. */
export async function readRowsOf(
  compiled: CompiledPlan,
  resolved: ResolvedQuery,
  context: QueryContext,
): Promise<CompiledPlan & { readonly rows: readonly Row[] }> {
  const { plan, sql, answeredBy } = compiled;
  const { columns } = context;
  if (answeredBy.engine === 'rows' || columns === undefined)
    return { ...compiled, rows: await readRows(sql, plan.output.view, context) };
  const started = performance.now();
  const outcome = await readColumns(sql, plan.output.view, resolved.scope, columns, context);
  if ('rows' in outcome) return { ...compiled, rows: outcome.rows };
  const spent = Math.floor((performance.now() - started) / 1000);
  const rest = { ...context, timeoutSeconds: Math.max(1, context.timeoutSeconds - spent) };
  return readRowsOf(
    compileFor({ engine: 'rows', because: outcome.gaveUp }, resolved, context),
    resolved,
    rest,
  );
}

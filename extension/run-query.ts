// THE PIPELINE: a query document -> its result, one line per phase.
// The caller can be wrong up to resolve; from plan on, an exception is a fault of ours.

import { NO_TELEMETRY, type Span } from '../host-shim/extension-api';
import { chooseEngine, DIALECTS } from './engines';
import { loadScope } from './load-scope';
import type { QueryDocument } from './qal/parse/read-document';
import { planQuery } from './qal/plan/plan-query';
import { checkDataVersion, dataVersionOf } from './qal/resolve/data-version';
import { readColumnBatches, readColumns } from './qal/run/read-columns';
import { readRowBatches, readRows } from './qal/run/read-rows';
import { shapeBatches } from './qal/shape/shape-batches';
import { shapeResult } from './qal/shape/shape-result';
import { compilePlan } from './qal/sql/compile-plan';
import type { CompiledQuery, Row, RowBatches } from './qal/types/compiled-query';
import type { ParsedQuery } from './qal/types/parsed-query';
import type { Plan } from './qal/types/plan';
import type { ColumnReader, ColumnsOutcome, EngineChoice, QueryContext } from './qal/types/query-context';
import type { BatchedResult, Page } from './qal/types/query-result';
import type { QueriedSites, ResolvedQuery } from './qal/types/resolved-query';
import { type AnsweredResult, type GivenResult, NO_CACHE } from './result-cache/result-cache';
import { understandQuery } from './understand-query';

/** Every stage of a query up to the statement, as `qal explain` prints it; throws a QueryError for every fault of the caller. */
export async function prepareQuery(document: QueryDocument, context: QueryContext) {
  const { asked, resolved } = await understandQuery(document, context, (query) => loadScope(query, context));
  const choice = chooseEngine(resolved, context);
  return { asked, resolved, ...compileFor(choice, resolved, context) };
}

/** Runs a query unless its result is cached; throws a QueryError for every fault of the caller. */
export async function runQuery(
  document: QueryDocument,
  context: QueryContext,
  results = NO_CACHE,
): Promise<PagedResult> {
  const { asked, resolved } = await inSpan(context, 'parse', () =>
    understandQuery(document, context, (query) => loadScope(query, context)),
  );
  const kept = resolved.isVersioned ? results : NO_CACHE;
  const result = await kept.resultOf(resolved, context, (signal) =>
    answerQuery(resolved, { ...context, signal }),
  );
  return { ...result, page: await pageOf(asked, resolved, context) };
}

/** A result, and which page of its list it is, where one was asked for. */
export interface PagedResult extends GivenResult {
  readonly page: Page | null;
}

/**
 * The statement may have seen newer data than the versions that were read before it. That is no harm for a first page, since
 * its version is then refused for the next; a later page is right only if the versions are still the same after it.
 */
async function pageOf(
  asked: ParsedQuery,
  { scope }: ResolvedQuery,
  context: QueryContext,
): Promise<Page | null> {
  const { offset, dataVersion } = asked.result;
  if (offset === null && dataVersion === null) return null;
  if (dataVersion !== null) {
    const { states } = await loadScope(asked, { ...context, siteAhead: undefined });
    checkDataVersion(dataVersion, states);
  }
  return { offset: offset ?? 0, dataVersion: dataVersionOf(scope.states) };
}

/**
 * Runs a query whose rows are read as they are sent: any number of them, from no cache and into none. Throws a QueryError for
 * every fault of the caller; failures after the first rows come out of the batches.
 */
export async function runInBatches(
  document: QueryDocument,
  given: QueryContext,
): Promise<BatchedResult & { readonly answeredBy: EngineChoice; readonly page: Page | null }> {
  const context = { ...given, countsFirst: true };
  const { asked, resolved } = await inSpan(context, 'parse', () =>
    understandQuery(document, context, (query) => loadScope(query, context)),
  );
  const leave = (await context.takePlace?.(context.signal)) ?? (() => {});
  try {
    const chosen = compileFor(chooseEngine(resolved, context), resolved, context);
    const compiled = isLongList(chosen.plan) ? compileFor(IN_ORDER, resolved, context) : chosen;
    const { plan, rows, answeredBy } = await readFromEngine(compiled, resolved, context, IN_BATCHES);
    const batches = leavingAtEnd(rows, context.signal, leave);
    try {
      const result = await shapeBatches(plan.output, batches, () => countRows(resolved, context));
      return { ...result, answeredBy, page: await pageOf(asked, resolved, context) };
    } catch (error) {
      await batches.return();
      throw error;
    }
  } catch (error) {
    leave();
    throw error;
  }
}

/** Ends, too, when the signal is aborted: a reader that has not begun may never come. */
async function* leavingAtEnd(rows: RowBatches, signal: AbortSignal, leave: () => void): RowBatches {
  const end = () => void rows.return().then(leave, leave);
  signal.addEventListener('abort', end, { once: true });
  try {
    yield* rows;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', end);
    leave();
  }
}

/** The column copy would sort such a list in the memory of this process. */
const isLongList = ({ counted, output }: Plan): boolean => counted !== null && output.limit > LONG_LIST;
const LONG_LIST = 50_000;
const IN_ORDER = { engine: 'rows', because: 'PostgreSQL reads long lists in their order.' } as const;

async function answerQuery(resolved: ResolvedQuery, context: QueryContext): Promise<AnsweredResult> {
  const choice = chooseEngine(resolved, context);
  const compiled = await inSpan(context, 'plan', async () => compileFor(choice, resolved, context));
  const { plan, rows, answeredBy } = await readRowsOf(compiled, resolved, context);
  const shaped = await inSpan(context, 'shape', async () => shapeResult(plan.output, rows));
  const result = { ...shaped, answeredBy };
  const isBehindEnd = resolved.offset > 0 && rows.length === 0 && !resolved.countOnly;
  if (!isBehindEnd || !context.alwaysCount) return result;
  return { ...result, totalCount: await countRows(resolved, context) };
}

/** How many rows the list of a query has. */
async function countRows(resolved: ResolvedQuery, context: QueryContext): Promise<number> {
  const { count } = await answerQuery({ ...resolved, countOnly: true }, context);
  return count ?? 0;
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

/** Does a part of a query, so that who watches sees how long it takes. */
const inSpan = <Result>(
  { inSpan: watched = NO_TELEMETRY.inSpan }: QueryContext,
  name: string,
  work: (span: Span) => Promise<Result>,
): Promise<Result> => watched(name, work);

/** How an engine gives its rows: all at once, or some at a time. */
interface Reading<Rows> {
  /** For who watches: how many rows there are, where that is known. */
  size(rows: Rows): Readonly<Record<string, number>>;
  fromRows(sql: CompiledQuery, view: string, resolved: ResolvedQuery, context: QueryContext): Promise<Rows>;
  fromColumns(
    sql: CompiledQuery,
    view: string,
    scope: QueriedSites,
    columns: ColumnReader,
    context: QueryContext,
  ): Promise<ColumnsOutcome<Rows>>;
}

const AT_ONCE: Reading<readonly Row[]> = {
  size: ({ length }) => ({ 'qal.rows': length }),
  fromRows: (sql, view, { scope, isVersioned }, context) =>
    readRows(sql, view, context, isVersioned ? scope.states : undefined),
  fromColumns: readColumns,
};
const IN_BATCHES: Reading<RowBatches> = {
  size: () => ({}),
  fromRows: async (sql, view, _resolved, context) => readRowBatches(sql, view, context),
  fromColumns: readColumnBatches,
};

/** The rows of a compiled plan, all at once. */
export const readRowsOf = (compiled: CompiledPlan, resolved: ResolvedQuery, context: QueryContext) =>
  readFromEngine(compiled, resolved, context, AT_ONCE);

/** Reads from the engine of the plan; where the columns cannot answer, from PostgreSQL in the time that is left. */
async function readFromEngine<Rows>(
  compiled: CompiledPlan,
  resolved: ResolvedQuery,
  context: QueryContext,
  reading: Reading<Rows>,
): Promise<CompiledPlan & { readonly rows: Rows }> {
  const { plan, sql, answeredBy } = compiled;
  const { columns } = context;
  if (answeredBy.engine === 'rows' || columns === undefined)
    return {
      ...compiled,
      rows: await inSpan(context, 'statement', async ({ note }) => {
        const rows = await reading.fromRows(sql, plan.output.view, resolved, context);
        note({ 'qal.engine': 'rows', ...reading.size(rows) });
        return rows;
      }),
    };
  const started = performance.now();
  const outcome = await inSpan(context, 'statement', async ({ note }) => {
    const read = await reading.fromColumns(sql, plan.output.view, resolved.scope, columns, context);
    note({ 'qal.engine': 'columns', ...('rows' in read && reading.size(read.rows)) });
    return read;
  });
  if ('rows' in outcome) return { ...compiled, rows: outcome.rows };
  const secondsSpent = Math.floor((performance.now() - started) / 1000);
  const fallback = compileFor({ engine: 'rows', because: outcome.gaveUp }, resolved, context);
  return readFromEngine(fallback, resolved, { ...context, secondsSpent }, reading);
}

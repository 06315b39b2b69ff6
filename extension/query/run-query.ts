// The pipeline: from a query document to its answer. All errors in the query itself are found by the end of the resolve step.
// From the plan step on, any exception is an internal error.
import { statesNow } from '../data/storage/sites/site-states';
import type { QueryDocument } from '../language/parse/read-document';
import { dataChanged, dataVersionOf } from '../language/resolve/data-version';
import type { Row } from '../language/types/compiled-query';
import type { ParsedQuery } from '../language/types/parsed-query';
import type {
  Answer,
  KeptRows,
  LiveRows,
  Page,
  ResultHead,
  StreamedAnswer,
  WholeAnswer,
} from '../language/types/query-result';
import type { ResolvedQuery, SiteState } from '../language/types/resolved-query';
import { chooseEngine } from './engines';
import { loadScope, type ScopeContext } from './load-scope';
import { notesOn } from './notes-on';
import type { QueryContext } from './query-context';
import { type ResultContext, readAsSent, readKept, resultOf } from './read-result';
import { repairFromSites } from './repair-from-sites';
import { type KeptResult, NO_CACHE, type ResultCache } from './result-cache/result-cache';
import { isUnaffected } from './result-cache/unaffected';
import { compileFor, inSpan, type PlanContext } from './run/read-from-engine';
import { type UnderstandContext, understandQuery } from './understand-query';

const understand = (document: QueryDocument, context: UnderstandContext & ScopeContext) =>
  understandQuery(document, context, (query) => loadScope(query, context)).catch(async (error) => {
    throw await repairFromSites(error, document, context);
  });

export async function prepareQuery(
  document: QueryDocument,
  context: UnderstandContext & ScopeContext & PlanContext,
) {
  const { requested, resolved } = await understand(document, context);
  return { requested, resolved, ...(await compileFor(chooseEngine(resolved, context), resolved, context)) };
}

/** Runs a query unless its result is cached. The caller must release the rows. */
export async function runQuery(
  document: QueryDocument,
  context: QueryContext,
  results = NO_CACHE,
): Promise<Answer<KeptRows>> {
  const understood = await inSpan(context, 'parse', () => understandPage(document, context));
  const result = await keepRows(understood.resolved, context, results);
  return withPage(result, understood, context, () => result.rows.release());
}

/** Reads a small answer as one value, and releases its rows. */
export async function wholeAnswer(answer: Answer<KeptRows>): Promise<WholeAnswer> {
  const rows: Row[] = [];
  try {
    for await (const batch of answer.rows.batches()) for (const row of batch) rows.push(row);
  } finally {
    answer.rows.release();
  }
  return { ...answer, columns: answer.columns.map(({ name }) => name), rows };
}

/** Runs a query whose rows are read while they are sent. It is not cached. */
export async function streamQuery(document: QueryDocument, given: QueryContext): Promise<StreamedAnswer> {
  const context = { ...given, isStreamed: true };
  const understood = await inSpan(context, 'parse', () => understandPage(document, context));
  const result = await sendRows(understood.resolved, context);
  return withPage(result, understood, context, () => result.rows.return());
}

type Understood = Awaited<ReturnType<typeof understand>>;

/** Adds the page and the notes of this request. If the answer may have changed since the last page, closes the rows and throws. */
async function withPage<Result extends ResultHead>(
  result: Result,
  { requested, resolved }: Understood,
  context: PageContext,
  endRows: () => unknown,
): Promise<Result & Pick<Answer<unknown>, 'page' | 'notes'>> {
  try {
    const [page, notes] = await Promise.all([
      pageOf(requested, resolved, context),
      notesOn(requested, resolved, context, result.count ?? result.rowCount),
    ]);
    return { ...result, page, notes };
  } catch (error) {
    await endRows();
    throw error;
  }
}

/**
 * The statement may have seen newer data than the versions that were read before it. On a first page that is harmless: the
 * next page will be rejected. A later page is correct only if nothing that affects it changed before its statement ended.
 */
async function pageOf(
  { result: { offset, dataVersion } }: ParsedQuery,
  resolved: ResolvedQuery,
  context: PageContext,
): Promise<Page | null> {
  if (offset === null && dataVersion === null) return null;
  const { scope } = resolved;
  if (dataVersion !== null)
    await refuseChanged(dataVersion, resolved, await statesNow(scope, context), context);
  return { offset: offset ?? 0, dataVersion: dataVersion ?? dataVersionOf(scope.states) };
}

type PageContext = ScopeContext & Pick<QueryContext, 'manifest'>;

/** Throws E_DATA_CHANGED if the answer may have changed between the version that the client received and these states. */
async function refuseChanged(
  received: string,
  resolved: ResolvedQuery,
  states: readonly SiteState[],
  context: PageContext,
): Promise<void> {
  const { scope } = resolved;
  if (!(await isUnaffected(resolved, scope.earlier ?? scope.states, states, context)))
    throw dataChanged(received, states);
}

/** Parses and resolves a query, and rejects a page of a list that may have changed. */
async function understandPage(document: QueryDocument, context: UnderstandContext & PageContext) {
  const understood = await understand(document, context);
  const { requested, resolved } = understood;
  const { states, earlier } = resolved.scope;
  if (requested.result.dataVersion !== null && earlier !== undefined)
    await refuseChanged(requested.result.dataVersion, resolved, states, context);
  return understood;
}

function keepRows(resolved: ResolvedQuery, context: QueryContext, results: ResultCache): Promise<KeptResult> {
  const cache = resolved.isVersioned ? results : NO_CACHE;
  const run = (changes: Partial<ResultContext>) => resultOf(resolved, { ...context, ...changes }, readKept);
  const isStillCorrect = (before: readonly SiteState[]) =>
    isUnaffected(resolved, before, resolved.scope.states, context);
  return cache.resultOf(resolved, { ...context, isUnaffected: isStillCorrect }, async (signal) => {
    const ran = await run({ signal });
    if (ran.result.answeredBy.engine === 'columns')
      context.shadow?.answered({
        resolved,
        columns: ran,
        reader: context,
        fromRows: (stopped) => run({ columns: undefined, signal: stopped }),
      });
    return ran.result;
  });
}

/** Returns a result whose rows have not been read yet. The query keeps its slot until the rows end. */
async function sendRows(
  resolved: ResolvedQuery,
  context: Pick<QueryContext, 'queue'> & ResultContext,
): Promise<Omit<StreamedAnswer, 'page' | 'notes'>> {
  const freeSlot = await context.queue.enter(context.signal);
  let held: Promise<unknown> = Promise.resolve();
  const leave = () => void held.then(freeSlot, freeSlot);
  try {
    const { result } = await resultOf(resolved, context, readAsSent);
    const rows = leavingAtEnd(result.rows, context.signal, leave);
    await rows.next();
    const holdPlaceUntil = (ended: Promise<unknown>) => {
      held = ended;
    };
    return { ...result, rows, cached: false, holdPlaceUntil };
  } catch (error) {
    freeSlot();
    throw error;
  }
}

/** Yields an empty batch first. Aborting the signal also ends the rows, because a reader may never start. */
async function* leavingAtEnd(rows: LiveRows, signal: AbortSignal, leave: () => void): LiveRows {
  const end = () => void rows.return().then(leave, leave);
  signal.addEventListener('abort', end, { once: true });
  try {
    yield [];
    yield* rows;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', end);
    await rows.return();
    leave();
  }
}

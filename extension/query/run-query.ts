// THE PIPELINE: a query document -> its result, one line per phase.
// The caller can be wrong up to resolve; from plan on, an exception is a fault of ours.

import { statesNow } from '../data/storage/sites/site-states';
import type { QueryDocument } from '../language/parse/read-document';
import { checkDataVersion, dataVersionOf } from '../language/resolve/data-version';
import type { ParsedQuery } from '../language/types/parsed-query';
import type { Answer, KeptRows, LiveRows, Page, StreamedAnswer } from '../language/types/query-result';
import type { ResolvedQuery } from '../language/types/resolved-query';
import { chooseEngine } from './engines';
import { loadScope } from './load-scope';
import type { QueryContext } from './query-context';
import { readAsSent, readKept, resultOf } from './read-result';
import { NO_CACHE } from './result-cache/result-cache';
import { compileFor, inSpan } from './run/read-from-engine';
import { understandQuery } from './understand-query';

/** Every stage of a query up to the statement, as `qal explain` prints it; throws a QueryError for every fault of the caller. */
export async function prepareQuery(document: QueryDocument, context: QueryContext) {
  const { asked, resolved } = await understandQuery(document, context, (query) => loadScope(query, context));
  const choice = chooseEngine(resolved, context);
  return { asked, resolved, ...compileFor(choice, resolved, context) };
}

/** The answer to a query with its rows, which the caller releases. Runs it unless its result is cached. */
export function runQuery(
  document: QueryDocument,
  context: QueryContext,
  results = NO_CACHE,
): Promise<Answer<KeptRows>> {
  return answerQuery(document, context, (resolved) => {
    const cache = resolved.isVersioned ? results : NO_CACHE;
    const run = (of: QueryContext) => resultOf(resolved, of, readKept);
    return cache.resultOf(resolved, context, async (signal) => {
      const ran = await run({ ...context, signal });
      if (ran.result.answeredBy.engine === 'columns')
        context.shadow?.answered({ resolved, context, columns: ran, fromRows: run });
      return ran.result;
    });
  });
}

/** The answer to a query with any number of rows, which are read as they are sent: from no cache and into none. */
export async function streamQuery(document: QueryDocument, given: QueryContext): Promise<StreamedAnswer> {
  const context = { ...given, isStreamed: true };
  let holdPlace: StreamedAnswer['holdPlace'] = () => () => {};
  const answer = await answerQuery<LiveRows>(document, context, async (resolved) => {
    holdPlace = heldPlace(await context.queue.enter(context.signal));
    const leave = holdPlace();
    try {
      const { result } = await resultOf(resolved, context, readAsSent);
      const rows = leavingAtEnd(result.rows, context.signal, leave);
      await rows.next();
      return { ...result, rows, cached: false };
    } catch (error) {
      leave();
      throw error;
    }
  });
  return { ...answer, holdPlace };
}

/** A place that is left when all who hold it have left. */
function heldPlace(leave: () => void): StreamedAnswer['holdPlace'] {
  let holders = 0;
  return () => {
    let holds = true;
    holders += 1;
    return () => {
      if (!holds) return;
      holds = false;
      holders -= 1;
      if (holders === 0) leave();
    };
  };
}

/** Throws a QueryError for every fault of the caller. */
async function answerQuery<Rows extends KeptRows | LiveRows>(
  document: QueryDocument,
  context: QueryContext,
  run: (resolved: ResolvedQuery) => Promise<Omit<Answer<Rows>, 'page'>>,
): Promise<Answer<Rows>> {
  const { asked, resolved } = await inSpan(context, 'parse', () =>
    understandQuery(document, context, (query) => loadScope(query, context)),
  );
  const result = await run(resolved);
  try {
    return { ...result, page: await pageOf(asked, resolved, context) };
  } catch (error) {
    if ('release' in result.rows) result.rows.release();
    else await result.rows.return();
    throw error;
  }
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
  if (dataVersion !== null) checkDataVersion(dataVersion, await statesNow(scope, context));
  return { offset: offset ?? 0, dataVersion: dataVersionOf(scope.states) };
}

/** An empty batch first. Ends, too, when the signal is aborted: a reader that has not begun may never come. */
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

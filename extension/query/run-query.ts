// THE PIPELINE: a query document -> its answer, one line per phase.
// The caller can be wrong up to resolve. From plan on, an exception is our fault.

import { type SitesReader, statesNow } from '../data/storage/sites/site-states';
import type { QueryDocument } from '../language/parse/read-document';
import { checkDataVersion, dataVersionOf } from '../language/resolve/data-version';
import type { ParsedQuery } from '../language/types/parsed-query';
import type { Answer, KeptRows, Page, StreamedAnswer } from '../language/types/query-result';
import type { ResolvedQuery } from '../language/types/resolved-query';
import { chooseEngine } from './engines';
import { loadScope, type ScopeContext } from './load-scope';
import type { QueryContext } from './query-context';
import { NO_CACHE } from './result-cache/result-cache';
import { compileFor, inSpan, type PlanContext } from './run/read-from-engine';
import { keepRows, sendRows } from './run-resolved';
import { type UnderstandContext, understandQuery } from './understand-query';

/** Parses and resolves a query of the context's sites. Throws a QueryError for every fault of the caller. */
const understand = (document: QueryDocument, context: UnderstandContext & ScopeContext) =>
  understandQuery(document, context, (query) => loadScope(query, context));

/** Every stage of a query up to its statement, for `qal explain`. */
export async function prepareQuery(
  document: QueryDocument,
  context: UnderstandContext & ScopeContext & PlanContext,
) {
  const { asked, resolved } = await understand(document, context);
  return { asked, resolved, ...compileFor(chooseEngine(resolved, context), resolved, context) };
}

/** The answer to a query with its rows, which the caller releases. Runs it unless its result is cached. */
export async function runQuery(
  document: QueryDocument,
  context: QueryContext,
  results = NO_CACHE,
): Promise<Answer<KeptRows>> {
  const { asked, resolved } = await inSpan(context, 'parse', () => understand(document, context));
  const result = await keepRows(resolved, context, results);
  return withPage(result, asked, resolved, context, () => result.rows.release());
}

/** The answer to a query with any number of rows, which are read while they are sent. It is not cached. */
export async function streamQuery(document: QueryDocument, given: QueryContext): Promise<StreamedAnswer> {
  const context = { ...given, isStreamed: true };
  const { asked, resolved } = await inSpan(context, 'parse', () => understand(document, context));
  const result = await sendRows(resolved, context);
  return withPage(result, asked, resolved, context, () => result.rows.return());
}

/** Adds the page to a result. Ends the rows, and throws, where the data have changed since the page before it. */
async function withPage<Result>(
  result: Result,
  asked: ParsedQuery,
  resolved: ResolvedQuery,
  reader: SitesReader,
  endRows: () => unknown,
): Promise<Result & { readonly page: Page | null }> {
  try {
    return { ...result, page: await pageOf(asked, resolved, reader) };
  } catch (error) {
    await endRows();
    throw error;
  }
}

/**
 * The statement may have seen newer data than the versions that were read before it. A first page may be of newer data: its
 * version is then refused for the next page. A later page is right only if the versions are the same after its statement.
 */
async function pageOf(
  { result: { offset, dataVersion } }: ParsedQuery,
  { scope }: ResolvedQuery,
  reader: SitesReader,
): Promise<Page | null> {
  if (offset === null && dataVersion === null) return null;
  if (dataVersion !== null) checkDataVersion(dataVersion, await statesNow(scope, reader));
  return { offset: offset ?? 0, dataVersion: dataVersionOf(scope.states) };
}

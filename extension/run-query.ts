// THE PIPELINE: a query document -> its result, one line per phase.
// The caller can be wrong up to resolve; from plan on, an exception is a fault of ours.

import { chooseEngine } from './engines';
import { type QueryError, queryError } from './errors/query-error';
import { loadScope } from './load-scope';
import type { QueryDocument } from './qal/parse/read-document';
import { checkDataVersion, dataVersionOf } from './qal/resolve/data-version';
import { type ShapedRows, shapeRows } from './qal/shape/shape-rows';
import type { ParsedQuery } from './qal/types/parsed-query';
import type { Plan, PlanOutput } from './qal/types/plan';
import type { QueryContext, Ran } from './qal/types/query-context';
import type {
  Answer,
  HeldRows,
  KeptRows,
  LiveRows,
  Page,
  ResultHead,
  StreamedAnswer,
} from './qal/types/query-result';
import type { ResolvedQuery } from './qal/types/resolved-query';
import { compileFor, inSpan, readFromEngine } from './read-from-engine';
import { NO_CACHE } from './result-cache/result-cache';
import { statesNow } from './storage/sites/site-states';
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
    const run = (of: QueryContext) => resultOf(resolved, of, keepRows(of));
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
    holdPlace = heldPlace((await context.takePlace?.(context.signal)) ?? (() => {}));
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

/** What becomes of the rows of a statement. */
type Reading<Rows> = (
  shaped: ShapedRows,
  output: PlanOutput,
) => Promise<ResultHead & { readonly rows: Rows }>;

/** All of them, up to the most bytes that an answer may have. */
const keepRows =
  ({ store, mostAnswerBytes }: QueryContext): Reading<HeldRows> =>
  async ({ head, rows, extent }) => {
    const kept = await store.keep(rows, mostAnswerBytes, () => answerTooLarge(mostAnswerBytes));
    return { ...head, ...extent(), rows: kept };
  };

/** The fault of a query whose answer has more bytes. */
export const answerTooLarge = (max: number): QueryError =>
  queryError('E_QUERY_TOO_LARGE answer', undefined, { max });

/** Where the total is known first, so is the number of rows. */
const readAsSent: Reading<LiveRows> = async ({ head, total: totalCount, rows, end }, { offset }) => {
  const rowCount = head.count === null ? Math.min(Math.max(0, (totalCount ?? 0) - offset), head.limit) : 1;
  const truncated = head.count === null && (totalCount ?? 0) > offset + rowCount;
  const live = allRows(rows, rowCount, end);
  // A generator that has not begun would not end what it reads from.
  await live.next();
  return { ...head, rowCount, totalCount, truncated, rows: live };
};

/** An empty batch first. Throws at an end that comes too early: a failure may look like one. */
async function* allRows(rows: LiveRows, rowCount: number, end: () => Promise<unknown>): LiveRows {
  let given = 0;
  try {
    yield [];
    for await (const batch of rows) {
      given += batch.length;
      yield batch;
    }
  } finally {
    await end();
  }
  if (given !== rowCount) throw new Error(`An answer of ${rowCount} rows ended after ${given}.`);
}

/** The column copy would sort such a list in the memory of this process. */
const isLongList = ({ counted, output }: Plan): boolean => counted !== null && output.limit > LONG_LIST;
const LONG_LIST = 50_000;
const IN_ORDER = { engine: 'rows', because: 'PostgreSQL reads long lists in their order.' } as const;

async function resultOf<Rows>(
  resolved: ResolvedQuery,
  context: QueryContext,
  reading: Reading<Rows>,
): Promise<Ran<Rows>> {
  const compiled = await inSpan(context, 'plan', async () => {
    const chosen = compileFor(chooseEngine(resolved, context), resolved, context);
    return context.isStreamed === true && isLongList(chosen.plan)
      ? compileFor(IN_ORDER, resolved, context)
      : chosen;
  });
  const { taken, answeredBy, sql } = await readFromEngine(
    compiled,
    resolved,
    context,
    async (fetched, { output }, note) => {
      try {
        const read = await reading(await shapeRows(output, fetched), output);
        note({ 'qal.rows': read.rowCount });
        return read;
      } catch (error) {
        await fetched.return();
        throw error;
      }
    },
  );
  const result = { ...taken, answeredBy };
  const wantsTotal = context.alwaysCount || context.isStreamed === true;
  if (result.totalCount !== null || !wantsTotal) return { result, sql };
  // Behind the end, no row has the total. A count that ends there too makes both of one state; otherwise rows came in between.
  const totalCount = await countRows(resolved, context);
  return totalCount <= resolved.offset
    ? { result: { ...result, totalCount }, sql }
    : resultOf(resolved, context, reading);
}

/** How many rows the list of a query has. */
async function countRows(resolved: ResolvedQuery, given: QueryContext): Promise<number> {
  const context = { ...given, isStreamed: false };
  const counting = compileFor(chooseEngine(resolved, context), { ...resolved, countOnly: true }, context);
  const { taken } = await readFromEngine(
    counting,
    { ...resolved, countOnly: true },
    context,
    (rows, { output }) => shapeRows(output, rows),
  );
  return taken.head.count ?? 0;
}

// Runs a resolved query when it has a place in the queue.
import type { LiveRows, StreamedAnswer } from '../language/types/query-result';
import type { ResolvedQuery } from '../language/types/resolved-query';
import type { QueryContext } from './query-context';
import { type ResultContext, readAsSent, readKept, resultOf } from './read-result';
import { type KeptResult, NO_CACHE, type ResultCache } from './result-cache/result-cache';

export function keepRows(
  resolved: ResolvedQuery,
  context: QueryContext,
  results: ResultCache,
): Promise<KeptResult> {
  const cache = resolved.isVersioned ? results : NO_CACHE;
  const run = (changes: Partial<ResultContext>) => resultOf(resolved, { ...context, ...changes }, readKept);
  return cache.resultOf(resolved, context, async (signal) => {
    const ran = await run({ signal });
    if (ran.result.answeredBy.engine === 'columns')
      context.shadow?.answered({
        ...{ resolved, columns: ran, reader: context },
        fromRows: (stopped) => run({ columns: undefined, signal: stopped }),
      });
    return ran.result;
  });
}

/** The result with rows to read. The query keeps its place in the queue until they end. */
export async function sendRows(
  resolved: ResolvedQuery,
  context: Pick<QueryContext, 'queue'> & ResultContext,
): Promise<Omit<StreamedAnswer, 'page'>> {
  const leavePlace = await context.queue.enter(context.signal);
  let held: Promise<unknown> = Promise.resolve();
  const leave = () => void held.then(leavePlace, leavePlace);
  try {
    const { result } = await resultOf(resolved, context, readAsSent);
    const rows = leavingAtEnd(result.rows, context.signal, leave);
    await rows.next();
    const holdPlaceUntil = (ended: Promise<unknown>) => {
      held = ended;
    };
    return { ...result, rows, cached: false, holdPlaceUntil };
  } catch (error) {
    leavePlace();
    throw error;
  }
}

/** Yields an empty batch first. Aborting the signal also ends it, because a reader may never start. */
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

// Runs a compiled statement on the columnar copy.
import { queryError } from '../../language/errors/query-error';
import { DAY_SECONDS } from '../../language/time/calendar';
import type { CompiledQuery, RowBatches, TakeRows } from '../../language/types/compiled-query';
import { formatPath } from '../../language/types/path';
import type { OutputColumn, ResolvedQuery } from '../../language/types/resolved-query';
import { type ColumnReader, GaveUp } from '../column-reader';
import type { SiteCopy } from '../columns/refresh-site';
import { onAbort } from '../on-abort';
import { type RowReader, secondsLeft } from './read-rows';

/**
 * The result of `take`, or the reason why these copies cannot answer. Throws what `take` throws, E_TIMEOUT,
 * E_CALC_INVALID_EXPRESSION for a number that JSON would round, and the signal's reason if the signal is aborted. Reading rows
 * after `take` has returned throws the same errors and counts toward the time limit.
 */
export async function readColumns<Taken>(
  { text, bindings }: CompiledQuery,
  resolved: Pick<ResolvedQuery, 'use' | 'limit' | 'countOnly'>,
  copies: readonly SiteCopy[],
  columns: ColumnReader,
  { signal, ...limits }: Pick<RowReader, 'timeoutSeconds' | 'secondsSpent' | 'signal'>,
  take: TakeRows<Taken>,
): Promise<{ readonly taken: Taken } | { readonly gaveUp: string }> {
  const { name: view, output } = resolved.use;
  const ending = new AbortController();
  const unlink = onAbort(signal, (reason) => ending.abort(reason));
  const timer = setTimeout(() => ending.abort(), secondsLeft(limits) * 1000).unref();
  const end = () => {
    clearTimeout(timer);
    unlink();
  };
  const toCallerError = (error: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    if (ending.signal.aborted) return queryError('E_TIMEOUT', undefined, { seconds: limits.timeoutSeconds });
    if (error instanceof RangeError)
      return queryError('E_CALC_INVALID_EXPRESSION too-large', formatPath(['make', view]), {});
    return error;
  };
  const maxCells = maxRows(resolved) * output.length;
  const reading = columns.read({ text, bindings }, copies, ending.signal, maxCells);
  const outcome = await reading.catch((error) => {
    end();
    throw toCallerError(error);
  });
  if ('gaveUp' in outcome) {
    end();
    return outcome;
  }
  try {
    return { taken: await take(withCallerErrors(outcome.rows, toCallerError, end)) };
  } catch (error) {
    if (error instanceof GaveUp) return { gaveUp: error.message };
    throw error;
  }
}

/** A query that groups rows returns at most one row per combination of its keys. */
function maxRows({ use, limit, countOnly }: Parameters<typeof readColumns>[1]): number {
  if (countOnly) return 1;
  if (use.calc === null) return limit;
  const keys = use.output.slice(0, use.keep.length);
  return Math.min(
    limit,
    keys.map(maxPeriods).reduce((all, count) => all * count, 1),
  );
}

const HOURS = 24;

/** Columns other than hours have at most one value per local day. The 1 is for null. */
function maxPeriods({ period }: OutputColumn): number {
  if (period === undefined) return Number.POSITIVE_INFINITY;
  const { unit, range } = period;
  return 1 + (unit === 'hour' ? HOURS : Math.ceil((range.end - range.start) / DAY_SECONDS) + 2);
}

async function* withCallerErrors(
  batches: RowBatches,
  toCallerError: (error: unknown) => unknown,
  end: () => void,
): RowBatches {
  try {
    yield* batches;
  } catch (error) {
    throw toCallerError(error);
  } finally {
    end();
  }
}

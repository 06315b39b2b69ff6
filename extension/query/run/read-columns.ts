// Runs a compiled statement on the column copy.
import { queryError } from '../../language/errors/query-error';
import type { CompiledQuery, RowBatches, TakeRows } from '../../language/types/compiled-query';
import { formatPath } from '../../language/types/path';
import type { PlanOutput } from '../../language/types/plan';
import { type ColumnReader, GaveUp } from '../column-reader';
import type { SiteCopy } from '../columns/refresh-site';
import type { RowReader } from './read-rows';

/**
 * The result of `take`, or the reason why these copies cannot answer. Throws what `take` throws, E_TIMEOUT,
 * E_CALC_INVALID_EXPRESSION for a number that JSON would round, and the signal's reason if the signal is aborted. Reading rows
 * after `take` has returned throws the same errors and counts toward the time limit.
 */
export async function readColumns<Taken>(
  { text, bindings }: CompiledQuery,
  { view, kind, limit, columns: { length: width } }: PlanOutput,
  copies: readonly SiteCopy[],
  columns: ColumnReader,
  { timeoutSeconds, signal }: Pick<RowReader, 'timeoutSeconds' | 'signal'>,
  take: TakeRows<Taken>,
): Promise<{ readonly taken: Taken } | { readonly gaveUp: string }> {
  const timeUp = AbortSignal.timeout(timeoutSeconds * 1000);
  const wordFault = (error: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    if (timeUp.aborted) return queryError('E_TIMEOUT', undefined, { seconds: timeoutSeconds });
    if (error instanceof RangeError)
      return queryError('E_CALC_INVALID_EXPRESSION too-large', formatPath(['make', view]), {});
    return error;
  };
  const mostCells = kind === 'count' ? 1 : limit * width;
  const reading = columns.read({ text, bindings }, copies, AbortSignal.any([signal, timeUp]), mostCells);
  const outcome = await reading.catch((error) => {
    throw wordFault(error);
  });
  if ('gaveUp' in outcome) return outcome;
  try {
    return { taken: await take(worded(outcome.rows, wordFault)) };
  } catch (error) {
    if (error instanceof GaveUp) return { gaveUp: error.message };
    throw error;
  }
}

async function* worded(batches: RowBatches, wordFault: (error: unknown) => unknown): RowBatches {
  try {
    yield* batches;
  } catch (error) {
    throw wordFault(error);
  }
}

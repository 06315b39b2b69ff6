// Runs a compiled statement on the column copy. Whatever goes wrong there is answered from rows instead, in the time left.
import { queryError } from '../../errors/query-error';
import type { CompiledQuery, RowBatches } from '../types/compiled-query';
import { formatPath } from '../types/path';
import type { ColumnReader, ColumnsOutcome, QueryContext } from '../types/query-context';
import type { QueriedSites } from '../types/resolved-query';

type Limits = Pick<QueryContext, 'timeoutSeconds' | 'signal'>;

/**
 * The rows of a view over sites of these versions. Throws E_TIMEOUT, E_CALC_INVALID_EXPRESSION for a number that JSON would
 * round, and the signal's reason when it is aborted.
 */
export function readColumns(
  { text, bindings }: CompiledQuery,
  view: string,
  { states }: QueriedSites,
  columns: ColumnReader,
  limits: Limits,
): Promise<ColumnsOutcome> {
  return limited(view, limits, (signal) => columns.read({ text, bindings }, states, signal));
}

/** The same in batches; the time limit holds for the whole iteration, however long its reader takes. */
export function readColumnBatches(
  { text, bindings }: CompiledQuery,
  view: string,
  { states }: QueriedSites,
  columns: ColumnReader,
  limits: Limits,
): Promise<ColumnsOutcome<RowBatches>> {
  return limited(view, limits, async (signal, wordFault) => {
    const outcome = await columns.readBatches({ text, bindings }, states, signal);
    return 'rows' in outcome ? { rows: worded(outcome.rows, wordFault) } : outcome;
  });
}

async function* worded(batches: RowBatches, wordFault: (error: unknown) => unknown): RowBatches {
  try {
    yield* batches;
  } catch (error) {
    throw wordFault(error);
  }
}

async function limited<T>(
  view: string,
  { timeoutSeconds, signal }: Limits,
  work: (signal: AbortSignal, wordFault: (error: unknown) => unknown) => Promise<T>,
): Promise<T> {
  const timeUp = AbortSignal.timeout(timeoutSeconds * 1000);
  const wordFault = (error: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    if (timeUp.aborted) return queryError('E_TIMEOUT', undefined, { seconds: timeoutSeconds });
    if (error instanceof RangeError)
      return queryError('E_CALC_INVALID_EXPRESSION too-large', formatPath(['make', view]), {});
    return error;
  };
  try {
    return await work(AbortSignal.any([signal, timeUp]), wordFault);
  } catch (error) {
    throw wordFault(error);
  }
}

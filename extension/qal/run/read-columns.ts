// Runs a compiled statement on the column copy. Whatever goes wrong there is answered from rows instead, in the time left.
import { queryError } from '../../errors/query-error';
import type { CompiledQuery } from '../types/compiled-query';
import { formatPath } from '../types/path';
import type { ColumnReader, ColumnsOutcome, QueryContext } from '../types/query-context';
import type { QueriedSites } from '../types/resolved-query';

/**
 * The rows of a view over sites of these versions. Throws E_TIMEOUT, E_CALC_INVALID_EXPRESSION for a number that JSON would
 * round, and the signal's reason when it is aborted.
 */
export async function readColumns(
  { text, bindings }: CompiledQuery,
  view: string,
  { states }: QueriedSites,
  columns: ColumnReader,
  { timeoutSeconds, signal }: Pick<QueryContext, 'timeoutSeconds' | 'signal'>,
): Promise<ColumnsOutcome> {
  const timeUp = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    return await columns.read({ text, bindings }, states, AbortSignal.any([signal, timeUp]));
  } catch (error) {
    signal.throwIfAborted();
    if (timeUp.aborted) throw queryError('E_TIMEOUT', undefined, { seconds: timeoutSeconds });
    if (error instanceof RangeError)
      throw queryError('E_CALC_INVALID_EXPRESSION too-large', formatPath(['make', view]), {});
    throw error;
  }
}

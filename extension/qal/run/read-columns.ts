// Runs a compiled statement on the column copy. Whatever goes wrong there is answered from rows instead, in the time left.
import { queryError } from '../../errors/query-error';
import type { CompiledQuery, Row } from '../types/compiled-query';
import { formatPath } from '../types/path';
import type { ColumnReader, QueryContext } from '../types/query-context';

export type ColumnsOutcome =
  | { readonly rows: readonly Row[] }
  /** Why the rows must answer: a sentence, and the engine's error where there was one. */
  | { readonly gaveUp: string; readonly error?: unknown };

/**
 * The rows of a view. Throws E_TIMEOUT, E_CALC_INVALID_EXPRESSION for a number that JSON would round, and the signal's
 * reason when it is aborted.
 */
export async function readColumns(
  { text, bindings }: CompiledQuery,
  view: string,
  columns: ColumnReader,
  { timeoutSeconds, signal }: Pick<QueryContext, 'timeoutSeconds' | 'signal'>,
): Promise<ColumnsOutcome> {
  const timeUp = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    const rows = await columns.read({ text, bindings }, AbortSignal.any([signal, timeUp]));
    return rows === undefined ? { gaveUp: 'The data changed while the query ran.' } : { rows };
  } catch (error) {
    signal.throwIfAborted();
    if (timeUp.aborted) throw queryError('E_TIMEOUT', undefined, { seconds: timeoutSeconds });
    if (error instanceof RangeError)
      throw queryError('E_CALC_INVALID_EXPRESSION too-large', formatPath(['make', view]), {});
    return { gaveUp: 'The column copy could not answer it.', error };
  }
}

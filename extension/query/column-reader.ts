import type { CompiledQuery, RowBatches } from '../language/types/compiled-query';
import type { SiteState } from '../language/types/resolved-query';
import type { PreparedCounts } from '../language/types/unique-counts';
import type { SiteCopy } from './columns/refresh-site';

/** The columnar copy failed after it had returned rows. The message is the reason, as a sentence. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
}

/** The message if the copy did not have enough memory. */
export const OUT_OF_MEMORY = 'The columnar copy ran out of memory.';
/** The message if a statement divided whole numbers that are too large for it. */
export const LARGE_QUOTIENT = 'The columnar copy divided large numbers.';

export interface ColumnReader extends PreparedCounts {
  /** Why the copy cannot answer queries about sites with these data versions, as a sentence; undefined if it can. */
  whyNot(sites: readonly SiteState[]): string | undefined;
  /** The current copies of these sites, which a new plan would use. */
  copiesOf(siteIds: readonly number[]): readonly SiteCopy[];
  /**
   * Runs a statement that was planned for these copies, and reads the first batch. Returns the reason if that is not possible.
   * Rejects with the signal's reason if it is aborted, and with a RangeError for an integer that JSON would round. Iterating
   * throws the same errors, and GaveUp. The result has at most `maxCells` values; undefined = no limit.
   */
  read(
    statement: CompiledQuery,
    copies: readonly SiteCopy[],
    signal: AbortSignal,
    maxCells?: number,
  ): Promise<{ readonly rows: RowBatches } | { readonly gaveUp: string }>;
}

// The column copy, as queries read it.
import type { PreparedCounts } from '../language/plan/plan-query';
import type { CompiledQuery, RowBatches } from '../language/types/compiled-query';
import type { SiteState } from '../language/types/resolved-query';
import type { SiteCopy } from './columns/refresh-site';

/** The column copy failed after its first rows. The message is the reason why rows must answer: a sentence. */
export class GaveUp extends Error {
  override readonly name = 'GaveUp';
}

type SiteVersion = Pick<SiteState, 'siteId' | 'version'>;

export interface ColumnReader extends PreparedCounts {
  /** Why the copy cannot answer for sites of these data versions, as a sentence; undefined where it can. */
  whyNot(sites: readonly SiteVersion[]): string | undefined;
  /** The copies of sites that a plan made now is for. */
  copiesOf(siteIds: readonly number[]): readonly SiteCopy[];
  /**
   * The rows of a statement planned for these copies, with the first batch read, or the reason why rows must answer.
   * Rejects with the signal's reason when it is aborted, and with a RangeError for a whole number that JSON would round. The
   * iteration throws the same, and GaveUp.
   */
  read(
    statement: CompiledQuery,
    copies: readonly SiteCopy[],
    signal: AbortSignal,
  ): Promise<{ readonly rows: RowBatches } | { readonly gaveUp: string }>;
}

// Owns a condition on what a key of a row opens in a dimension.
import type { ColumnType } from '../../../manifests/reader/schema';
import type { ResolvedTest } from './resolved-query';

/**
 * The key of the row opens an entry of the dimension whose field passes the test. With `except` the other rows stay
 * instead, those included whose key opens nothing.
 */
export interface DimensionFilter {
  readonly key: string;
  readonly dimension: string;
  readonly field: string;
  readonly bit: number | null;
  readonly type: ColumnType;
  readonly test: ResolvedTest;
  /** How the entries are found: each of the tested texts is that of one entry at most, of few, or all are looked through. */
  readonly found: 'one' | 'few' | 'any';
  readonly except: boolean;
  /** The sites whose entries count: one, several of which the rows tell theirs, or none where sites share the entries. */
  readonly siteIds: readonly number[];
}

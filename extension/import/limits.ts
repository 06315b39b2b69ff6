// Owns the sizes that keep the importer's memory flat, in one place. Tests pass small ones to reach every edge.

import { ROLLUP_LIMITS, type RollupLimits } from '../rollups/limits';

export interface ImportLimits extends RollupLimits {
  /** Rows of a batch: read, sorted and copied together. */
  readonly batchRows: number;
  /** Rows of open sessions that may wait for the next batch. */
  readonly heldRows: number;
  /** Characters of the texts that a batch brings along; a batch that has so many is full. */
  readonly batchCharacters: number;
  /** Characters of the texts of one statement. */
  readonly statementCharacters: number;
  /** Texts that a dimension remembers, and how long they may be together. */
  readonly dimensionEntries: number;
  readonly dimensionCharacters: number;
  /** Readers, and sessions, that are remembered. */
  readonly knownKeys: number;
  /** Hashes of rows without a pv_id that are remembered, twice over. */
  readonly rowHashes: number;
  /** Pages and readers whose newest texts wait to be written. */
  readonly newestEntries: number;
}

export const IMPORT_LIMITS: ImportLimits = {
  batchRows: 32_768,
  heldRows: 16_384,
  batchCharacters: 4_000_000,
  statementCharacters: 2_000_000,
  dimensionEntries: 120_000,
  dimensionCharacters: 2_000_000,
  knownKeys: 360_000,
  rowHashes: 180_000,
  newestEntries: 50_000,
  ...ROLLUP_LIMITS,
};

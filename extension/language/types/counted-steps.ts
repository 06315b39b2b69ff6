/**
 * One row per key, with the number of steps that its rows take in order. The row for a step is the matching row with the
 * lowest `at` above that of the previous step's row. Keys and `at` are never null.
 */
export interface CountedSteps {
  readonly key: string;
  /** Positive, with at most 32 bits. */
  readonly at: string;
  /** A bitmask of the steps that the row matches. The lowest bit is the first step. */
  readonly matched: string;
  /** The number of steps. */
  readonly count: number;
  /** The added column with the number of steps taken. */
  readonly taken: string;
}

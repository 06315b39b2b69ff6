/**
 * One row per key, with how many of the steps its rows take in order. Each step is the matching row with the lowest `at` above that
 * of the step before. Keys and `at` are never null.
 */
export interface CountedSteps {
  readonly key: string;
  /** Positive, with at most 32 bits. */
  readonly at: string;
  /** A number with a bit for each step that the row matches, the lowest for the first step. */
  readonly matched: string;
  /** The number of steps. */
  readonly count: number;
  /** The added column with the number of steps taken. */
  readonly taken: string;
}

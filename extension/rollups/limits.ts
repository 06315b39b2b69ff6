// Owns the sizes that keep the memory of counting flat, in one place. Tests pass small ones to reach every edge.

export interface RollupLimits {
  /** Rows of the days whose counts are in memory together. */
  readonly portionRows: number;
  /** Rows of the days of which different values are counted together, with the earlier days of these values. Not fewer than those of a portion. */
  readonly stretchRows: number;
}

export const ROLLUP_LIMITS: RollupLimits = { portionRows: 200_000, stretchRows: 4_000_000 };

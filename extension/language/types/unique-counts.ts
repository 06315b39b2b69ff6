// Rollups of distinct values by quarter of an hour, which are numbered since 1970. For a site and a key, `count` values occur in
// `quarter` and last occurred in the quarter `previous`, which is null for values that never occurred before. Local days start on a
// quarter, since zone offsets are multiples of it.
import type { TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../time/zone-offsets';

/** In seconds. */
export const QUARTER_HOUR = 900;

/**
 * Quarters of an hour that are less than a day and a week, by more than a clock changes. A rollup's `spread` is how many of them have
 * passed since a value first occurred, and the highest of its values.
 */
export const SPREADS = [22 * 4, (6 * 24 - 2) * 4] as const;

/** Counts the distinct values of a field, per key or over all rows. */
export interface UniqueCounts {
  readonly material: string;
  readonly value: string;
  readonly by: string | null;
}

/** What the column copy has counted. */
export interface PreparedCounts {
  /** The instant in epoch seconds up to which these counts are complete for all of the sites. Infinity if all rows are counted. */
  countedUntil(counts: UniqueCounts, siteIds: readonly number[]): number;
  /** At least how many of the SPREADS have passed between two quarter hours of a value on one of the sites. */
  countedSpread(counts: UniqueCounts, siteIds: readonly number[]): number;
}

/**
 * Rows whose `count` adds up to the number of distinct values of each site and period. The other columns are the site, the
 * key, and the period. [start, end) is in epoch seconds and starts and ends on a quarter of an hour.
 */
export interface UniqueCountsNode {
  readonly kind: 'unique-counts';
  readonly counts: UniqueCounts;
  readonly siteIds: readonly number[];
  readonly start: number;
  readonly end: number;
  readonly period: {
    readonly name: string;
    readonly part: TimePart;
    readonly clock: LocalClock;
  } | null;
}

/** The name of a rollup's table in the `analytics` schema. */
export const uniqueCountsTable = ({ material, value, by }: UniqueCounts): string =>
  ['unique', material, value, ...(by === null ? [] : ['by', by])].join('_');

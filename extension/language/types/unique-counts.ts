// Rollups of distinct values by quarter of an hour. For a site and a key, `count` values occur in the quarter `at` and last
// occurred in the quarter `previous`, which is null for values that never occurred before. Local days start on a quarter,
// since zone offsets are multiples of it.
import type { LocalClock } from '../time/zone-offsets';

/** In seconds. */
export const QUARTER_HOUR = 900;

/** Counts the distinct values of a field, per key or over all rows. */
export interface UniqueCounts {
  readonly material: string;
  readonly value: string;
  readonly by: string | null;
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
    readonly part: 'date' | 'week' | 'month';
    readonly clock: LocalClock;
  } | null;
}

/** The name of a rollup's table in the `analytics` schema. */
export const uniqueCountsTable = ({ material, value, by }: UniqueCounts): string =>
  ['unique', material, value, ...(by === null ? [] : ['by', by])].join('_');

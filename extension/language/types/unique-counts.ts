// Rollups that count distinct values. A row has a site, a key, and two quarters of an hour: `count` values occur in `at`
// and, with that key, last occurred before it in `previous`, which is null for the first time. Zone offsets are multiples
// of a quarter of an hour, so local days begin with one.

import type { LocalClock } from '../time/local-clock';

/** In seconds. */
export const QUARTER_HOUR = 900;

/** The distinct values of a field of a material, per key or, without a key, over all rows. */
export interface UniqueCounts {
  readonly material: string;
  readonly value: string;
  readonly by: string | null;
}

/**
 * Rows whose `count`s add up to the number of distinct values of a site, or of each period of a site; the other columns
 * are the site, the key, and the named period. [start, end) are epoch seconds, in whole quarters of an hour.
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

/** The table of a rollup, in the schema `analytics`. */
export const uniqueCountsTable = ({ material, value, by }: UniqueCounts): string =>
  ['unique', material, value, ...(by === null ? [] : ['by', by])].join('_');

// The numbers of different values that the column copy keeps. Their tables have a row for each site, key, quarter of an
// hour `at`, and quarter `previous` before it: `count` values occur in `at` and with that key last before in `previous`,
// which is null where never before. Offsets of zones are whole quarters, so that local days are too.

import type { LocalClock } from '../time/local-clock';

/** In seconds. */
export const QUARTER_HOUR = 900;

/** The different values of a field in the rows of a material, by a key of these or in all. */
export interface UniqueCounts {
  readonly material: string;
  readonly value: string;
  readonly by: string | null;
}

/**
 * Rows whose `count`s add up to the number of different values of a site, or of each period of a site; other columns are
 * the site, the key, and the period under its name. [start, end) are whole quarters of an hour, in epoch seconds.
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

/** Their table in the column copy, in the schema `analytics`. */
export const uniqueCountsTable = ({ material, value, by }: UniqueCounts): string =>
  ['unique', material, value, ...(by === null ? [] : ['by', by])].join('_');

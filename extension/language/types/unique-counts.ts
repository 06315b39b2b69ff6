// Rollups of distinct values by quarter hour; quarter hours are numbered from 1970. For a site and a value of each key, `count` is
// the number of values that occur in `quarter` and, before that, last occurred in `previous`, which is null if they never occurred
// before. Local days start on a quarter hour in zones whose offset is a multiple of 15 minutes; the pass checks that.
import type { CountedField, TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../time/zone-offsets';

/** In seconds. */
export const QUARTER_HOUR = 900;

/**
 * Spans just short of a day and of a week, in quarter hours; the margin is longer than a clock change. A rollup's `spread` is the
 * number of these spans that have passed since a value first occurred, or the highest such number if several values are counted.
 */
export const SPREADS = [22 * 4, (6 * 24 - 2) * 4] as const;

/**
 * In seconds. A visit is regular if its earliest row has the number 1, all others have higher numbers, and less time than this
 * passes between one row and the next. So if a regular visit began before a range, its first row in the range comes less than this
 * long after the range's start.
 */
export const MAX_PAUSE_SECONDS = 22 * 3_600;

/**
 * Counts the distinct values of a field for each combination of keys. The distinct values of a table's key are its rows. For repeated
 * values, `since` is the latest quarter hour such that the value is repeated from then to `quarter`, and `previous` is the preceding `since`.
 */
export interface UniqueCounts extends CountedField {
  readonly material: string;
}

/** Counts that the columnar copy has prepared. */
export interface PreparedCounts {
  /** The instant, in epoch seconds, up to which these counts are complete for all sites. Infinity if all rows are counted. */
  countedUntil(counts: UniqueCounts, siteIds: readonly number[]): number;
  /** The maximum number of the SPREADS that have passed between two quarter hours of the same value on any of the sites. */
  countedSpread(counts: UniqueCounts, siteIds: readonly number[]): number;
  /**
   * The fields that have the same value in all rows of a visit, on these sites before `end` (epoch seconds). The visit's id is one
   * of them. Empty if any visit is irregular, or if not all of these rows have been checked.
   */
  visitFields(material: string, siteIds: readonly number[], end: number): ReadonlySet<string>;
  /**
   * The fields of page views, and those in `view-values.ts`, that clicks or events also have, on these sites, if their page views
   * are before `end` (epoch seconds).
   */
  viewFields(material: string, siteIds: readonly number[], end: number): ReadonlySet<string>;
  /** In seconds: no click or event on these sites is further than this from any page view of its visit. */
  visitReach(material: string, siteIds: readonly number[]): number;
  /** Roughly how many rows a dimension's table has, for all sites together. Infinity if this is unknown. */
  dimensionRows(table: string): number;
}

/**
 * Rows whose `count` adds up to the number of distinct values of each site and period. The other columns are the site, the
 * keys, and the periods. [start, end) is in epoch seconds, and starts and ends on a quarter hour.
 */
export interface UniqueCountsNode {
  readonly kind: 'unique-counts';
  readonly counts: UniqueCounts;
  readonly siteIds: readonly number[];
  readonly start: number;
  readonly end: number;
  readonly periods: readonly {
    readonly name: string;
    readonly part: TimePart;
    readonly clock: LocalClock;
  }[];
}

/** The name of a rollup's table in the `analytics` schema. */
export const uniqueCountsTable = ({ material, value, repeatedIn, by }: UniqueCounts): string =>
  [
    ...(repeatedIn === null ? ['unique', material, value] : ['repeated', material, value, 'in', repeatedIn]),
    ...(by.length === 0 ? [] : ['by', ...by]),
  ].join('_');

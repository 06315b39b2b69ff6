// Owns the form of a query of the comparison: one question, said in QAL and in SQL by hand.
// In the SQL, :name is a bound value (bench/bind.ts). All forms answer the same rows in the same order.

export interface BenchQuery {
  readonly name: string;
  /** allpv unless said. */
  readonly materials?: readonly string[];
  readonly view: object;
  /** `{use: 'v'}` unless said. */
  readonly result?: object;
  /** With the number of all rows, which the SQL gives as a last column. */
  readonly counted?: true;
  /** The zone of the site unless said. */
  readonly zone?: string;
  /** The best that is known for our tables. */
  readonly hand: string;
  readonly duck: {
    /** As one would write it: joined to the texts, grouped by them. */
    readonly same: string;
    /** Grouped by ids first, joins left out or aggregated first. */
    readonly best: string;
  };
}

/** The rows of the site and the range. */
export const IN_RANGE = 'v.site_id = :site AND v.at >= :from AND v.at < :to';
export const CLICKS_IN_RANGE = 'c.site_id = :site AND c.at >= :from AND c.at < :to';
export const PAGE_OF_VIEW = 'JOIN page p ON p.site_id = v.site_id AND p.page_id = v.page_id';
export const PAGE_OF_GROUP = 'p.site_id = :site AND p.page_id = x.page_id';

export const COUNT_VIEWS = { views: 'COUNT(allpv.pv_id)' };
export const BY_VIEWS = { by: 'views', order: 'desc' };
export const TOP_VIEWS = { ...BY_VIEWS, top: 10 };
export const INNER = { 'if not match': 'drop' };

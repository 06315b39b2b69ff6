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
  /** The range begins and ends in the middle of a day. */
  readonly ragged?: true;
  /** Asked of all sites. */
  readonly allSites?: true;
  /** No counts that are kept can answer it: rows are read whatever is switched on. */
  readonly raw?: true;
  /** Its rows are counted out of all page views in range, so the time for each of them tells something. */
  readonly everyView?: true;
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
/** The same of all sites; DuckDB has no other rows. */
export const OF_ALL_IN_RANGE = 'v.site_id = ANY (:sites) AND v.at >= :from AND v.at < :to';
export const AT_ALL_IN_RANGE = 'v.at >= :from AND v.at < :to';
export const CLICKS_IN_RANGE = 'c.site_id = :site AND c.at >= :from AND c.at < :to';
export const PAGE_OF_VIEW = 'JOIN page p ON p.site_id = v.site_id AND p.page_id = v.page_id';
export const PAGE_OF_GROUP = 'p.site_id = :site AND p.page_id = x.page_id';

export const COUNT_VIEWS = { views: 'COUNT(allpv.pv_id)' };
export const BY_VIEWS = { by: 'views', order: 'desc' };
export const TOP_VIEWS = { ...BY_VIEWS, top: 10 };
export const INNER = { 'if not match': 'drop' };

// A question of the comparison, in QAL and in SQL by hand. All forms answer the same rows in the same order.
// In the SQL, :name is a value (bench/engine-sql.ts), and tables are those of the schema analytics.

export interface BenchQuery {
  readonly name: string;
  /** allpv by default. */
  readonly materials?: readonly string[];
  /** The view `v`. */
  readonly view?: object | undefined;
  /** Several views, of which `v` is the last. */
  readonly make?: object;
  /** `{use: 'v'}` by default. */
  readonly result?: object;
  /** Asks for the number of all rows too, which the SQL gives as its last column. */
  readonly counted?: true;
  /** The zone of the site by default. */
  readonly zone?: string;
  /** The range begins and ends in the middle of a day. */
  readonly ragged?: true;
  readonly allSites?: true;
  /** It counts all page views in range, so that the time for each of them means something. */
  readonly everyView?: true;
  /** The best SQL that we know: ids first and texts after, joins left out or aggregated first. */
  readonly best: Sql;
  /** The SQL for DuckDB as one would write it: joined to the texts, grouped by them. */
  readonly plain: string;
}

/** One text where DuckDB takes that for PostgreSQL, apart from a few phrases that bench/engine-sql.ts translates. */
export type Sql = string | { readonly postgres: string; readonly duckdb: string };

/** The rows of the site and the range. */
export const IN_RANGE = 'v.site_id = :site AND v.at >= :from AND v.at < :to';
/** The same of all sites; DuckDB has no other rows. */
export const OF_ALL_IN_RANGE = 'v.site_id = ANY (:sites) AND v.at >= :from AND v.at < :to';
export const AT_ALL_IN_RANGE = 'v.at >= :from AND v.at < :to';
export const CLICKS_IN_RANGE = 'c.site_id = :site AND c.at >= :from AND c.at < :to';
export const PAGE_OF_VIEW = 'JOIN page p ON p.site_id = v.site_id AND p.page_id = v.page_id';
export const PAGE_OF_GROUP = 'p.site_id = :site AND p.page_id = x.page_id';
/** Ten groups with their ties: texts, which break the ties, are looked up after it. */
export const TEN_WITH_TIES = 'ORDER BY 2 DESC FETCH FIRST 10 ROWS WITH TIES';

/** A view of the material that its first column names. */
export const viewOf = (keep: readonly string[], more: object): object => ({
  from: [keep[0]?.split('.')[0]],
  keep,
  ...more,
});

export const COUNT_VIEWS = { views: 'COUNT(allpv.pv_id)' };
export const BY_VIEWS = { by: 'views', order: 'desc' };
export const TOP_VIEWS = { ...BY_VIEWS, top: 10 };

export interface Dimension {
  readonly column: string;
  readonly table: string;
  readonly key: string;
  /** Ids are of one site, and several have one text. */
  readonly ofSite?: true;
}

export const COUNTRY: Dimension = { column: 'country_code', table: 'country', key: 'country_id' };
export const DEVICE: Dimension = { column: 'device_type', table: 'device', key: 'device_id' };
export const SOURCE: Dimension = { column: 'utm_source', table: 'source', key: 'source_id', ofSite: true };

/** By the offsets of the range: twice as fast as the zone's name for each row. */
export const POSTGRES_LOCAL_TIME = `v.at AT TIME ZONE make_interval(secs =>
  (:offsets)[width_bucket(extract(epoch FROM v.at)::float8, :changes) + 1])`;

// A query in QAL and in hand-written SQL. All forms return the same rows in the same order. In the SQL, :name is a
// placeholder for a value (bench/engine-sql.ts), and tables are in the schema analytics.

export interface BenchQuery {
  readonly name: string;
  /** The materials; only allpv by default. */
  readonly materials?: readonly string[];
  /** The view `v`. */
  readonly view?: object | undefined;
  /** Several views, of which `v` is the last. */
  readonly make?: object;
  /** `{use: 'v'}` by default. */
  readonly result?: object;
  /** Also requests the total number of rows, which the SQL returns as the last column. */
  readonly counted?: true;
  /** The time zone; by default, the site's. */
  readonly zone?: string;
  /** The range starts and ends in the middle of a day. */
  readonly ragged?: true;
  readonly allSites?: true;
  /** The query counts all page views in the range, so its time per view is meaningful. */
  readonly everyView?: true;
  /** The fastest SQL that we know: groups by ids, looks up strings afterwards, and aggregates before joining or avoids joins. */
  readonly best: Sql;
  /** The straightforward SQL for DuckDB, which joins and groups by strings. */
  readonly plain: string;
}

/** A single string if DuckDB accepts the SQL for PostgreSQL after the replacements in bench/engine-sql.ts. */
export type Sql = string | { readonly postgres: string; readonly duckdb: string };

/** Selects the site's rows in the range. */
export const IN_RANGE = 'v.site_id = :site AND v.at >= :from AND v.at < :to';
/** Selects the rows of all sites in the range. In DuckDB, the condition on sites is removed. */
export const OF_ALL_IN_RANGE = 'v.site_id = ANY (:sites) AND v.at >= :from AND v.at < :to';
export const AT_ALL_IN_RANGE = 'v.at >= :from AND v.at < :to';
export const CLICKS_IN_RANGE = 'c.site_id = :site AND c.at >= :from AND c.at < :to';
export const PAGE_OF_VIEW = 'JOIN page p ON p.site_id = v.site_id AND p.page_id = v.page_id';
export const PAGE_OF_GROUP = 'p.site_id = :site AND p.page_id = x.page_id';
/** The top ten groups and their ties, because the strings that break ties are looked up later. */
export const TEN_WITH_TIES = 'ORDER BY 2 DESC FETCH FIRST 10 ROWS WITH TIES';

/** A view on the material that its first column belongs to. */
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
  /** Each id belongs to one site, and several ids may have the same text. */
  readonly ofSite?: true;
}

export const COUNTRY: Dimension = { column: 'country_code', table: 'country', key: 'country_id' };
export const DEVICE: Dimension = { column: 'device_type', table: 'device', key: 'device_id' };
export const SOURCE: Dimension = { column: 'utm_source', table: 'source', key: 'source_id', ofSite: true };

/** Uses the offsets of the range, which is twice as fast as converting each row by zone name. */
export const POSTGRES_LOCAL_TIME = `v.at AT TIME ZONE make_interval(secs =>
  (:offsets)[width_bucket(extract(epoch FROM v.at)::float8, :changes) + 1])`;

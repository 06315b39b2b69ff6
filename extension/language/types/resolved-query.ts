// The query with all names bound, and with values converted to the types of their columns.
import type { MaterialTime } from '../../../manifests/reader/manifest';
import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { Arithmetic, Share } from './arithmetic';
import type { ChannelOrigin, LookupOrigin, SiteChannels } from './channels';
import type { FilterPart } from './filter-parts';
import type { CalcFunction, Comparison, JoinMode, ListTest, OrderTest } from './parsed-query';
import type { CalendarUnit, ColumnPeriod, Span, TimeRange } from './periods';

/** For `all`, the sites that the user may see. */
export interface QueriedSites {
  readonly trackingId: string;
  readonly all: boolean;
  readonly siteIds: readonly number[];
  /** Ordered by site id. */
  readonly states: readonly SiteState[];
  /** The sites with channel rules that differ from the shipped ones, if the query may read channels. */
  readonly channels?: readonly SiteChannels[] | undefined;
  /** The states that `result.data_version` identifies, if the sites' data has changed since. */
  readonly earlier?: readonly SiteState[] | undefined;
}

/** The version of a site's data when the scope was loaded. The statement may see newer data. */
export interface SiteState {
  readonly siteId: number;
  /** A random token that changes whenever the site's data changes, and never repeats. */
  readonly version: string;
}

/** The sites of a query, with the goals, events and materials that depend on them. */
export interface Scope extends QueriedSites {
  /** Goals that at least one of the sites has, ordered by number. */
  readonly goals: readonly DefinedGoal[];
  /** Names of observed events, with the types of their parameters. */
  readonly events: ReadonlyMap<string, ReadonlyMap<string, ParameterType>>;
  /** Materials that no query may name, because the site has no data for them. */
  readonly unavailable: ReadonlySet<string>;
}

export interface DefinedGoal {
  readonly number: number;
  /** The distinct names of the goal on these sites. */
  readonly names: readonly string[];
  /** Whether all sites that have the goal define it with the same name and type. */
  readonly isSame: boolean;
}

export type ParameterType = 'number' | 'string';

export interface ResolvedQuery {
  readonly scope: QueriedSites;
  /** False if the query reads rows without a data version. Only PostgreSQL has these rows, and the results are not cached. */
  readonly isVersioned: boolean;
  readonly range: TimeRange;
  readonly views: readonly ResolvedView[];
  readonly use: ResolvedView;
  readonly limit: number;
  readonly offset: number;
  readonly countOnly: boolean;
}

/** A view returns groups if it has a calc, otherwise rows (`calc` is null). */
export interface ResolvedView {
  readonly name: string;
  /** The material at the end of the view's chain, and the join keys that it declares. */
  readonly material: string;
  readonly keys: readonly string[];
  /** How many times the view reads a material, including its whole chain of views. */
  readonly reads: number;
  /** The range for the materials that this view reads: its own or the query's. */
  readonly range: TimeRange;
  readonly source: ResolvedSource;
  readonly filter: readonly ResolvedFilterPart[];
  readonly join: ResolvedJoin | null;
  readonly keep: readonly BoundColumn[];
  readonly calc: readonly ResolvedCalc[] | null;
  readonly sort: ResolvedSort | null;
  readonly fillPeriods: FilledPeriods | null;
  readonly output: readonly OutputColumn[];
  /** Whether its groups keep sites separate. With `all`, they do if the view keeps an id or `tracking_id`. */
  readonly isPerSite: boolean;
}

export type ResolvedSource = MaterialSource | { readonly kind: 'view'; readonly view: string };

export interface MaterialSource {
  readonly kind: 'material';
  readonly material: string;
  /** The name in the manifest. Goals and events have the name of their family. */
  readonly rows: string;
  /** Null if each row covers the whole time range of the query. */
  readonly time: Pick<MaterialTime, 'field' | 'grain' | 'period'> | null;
  /** Whether rows from any time are read if this is the joined side. */
  readonly joinedAlways: boolean;
  /** The material's own total order. */
  readonly order: readonly BoundColumn[];
  /** Selects one goal or event of the family. */
  readonly only: readonly ResolvedValueCondition[];
}

/**
 * All pairs must match. `fill` lists the values that columns have in rows without a match on their side. If both sides are kept,
 * the left column of each pair holds the key from whichever side has one, and is never filled.
 */
export interface ResolvedJoin {
  readonly source: ResolvedSource;
  readonly on: readonly { readonly left: BoundColumn; readonly right: BoundColumn }[];
  readonly mode: JoinMode;
  /** Whether null keys match each other. */
  readonly nullsMatch: boolean;
  readonly fill: readonly {
    readonly side: BoundColumn['side'];
    readonly column: string;
    readonly type: ColumnType;
    readonly value: ResolvedValue;
  }[];
}

export interface BoundColumn extends OutputColumn {
  readonly side: 'from' | 'with';
  readonly origin: { readonly kind: 'output'; readonly view: string } | StoredOrigin;
}

export type StoredOrigin =
  | { readonly kind: 'computed'; readonly value: ComputedValue }
  | { readonly kind: 'field'; readonly field: string }
  | LookupOrigin
  /** If the grain is `day`, the field is a date. */
  | {
      readonly kind: 'time-part';
      readonly part: TimePart;
      readonly field: string;
      readonly grain: 'instant' | 'day';
    }
  | { readonly kind: 'joined-texts'; readonly parts: readonly StoredOrigin[] }
  | ChannelOrigin
  /** 1 if the row's session converted on the goal. */
  | { readonly kind: 'converted'; readonly goal: number }
  /** 1 if the material has rows with the same key. */
  | { readonly kind: 'has-rows'; readonly material: string; readonly key: string }
  /** How many sessions the visitor has had on the row's local day, up to and including the row. */
  | { readonly kind: 'session-of-day' };

/** dividend * times / divisor, rounded half up, and then divided by `per`; 0 if the divisor is 0. */
export interface RoundedRatio {
  readonly kind: 'rounded-ratio';
  readonly dividend: string;
  readonly divisor: string;
  readonly times: number;
  readonly per: number;
  /** The columnar copy's field for the ratio, not divided by `per`. If absent, the numbers are sums, which may be large. */
  readonly copied?: string;
}

export type ComputedValue =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'has-value'; readonly column: string }
  | { readonly kind: 'shifted'; readonly column: string; readonly by: number }
  /** A stored decimal times a million, which only the columnar copy has. */
  | { readonly kind: 'micros'; readonly column: string }
  /** The product of whole numbers divided by `per`. */
  | { readonly kind: 'product'; readonly columns: readonly string[]; readonly per: number }
  | RoundedRatio
  /** The word at this index. */
  | { readonly kind: 'word'; readonly column: string; readonly words: readonly string[] }
  /** The ASCII codes of the first two letters as one number. */
  | { readonly kind: 'letters-number'; readonly column: string }
  | { readonly kind: 'json-text'; readonly column: string }
  | {
      readonly kind: 'parameter';
      readonly column: string;
      readonly name: string;
      readonly type: ParameterType;
    };

export interface OutputColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Whether the material of the column declares it as a join key. */
  readonly isKey: boolean;
  /** The kind of thing that an id identifies, such as pages, or sites for `tracking_id`. */
  readonly identifies?: string | undefined;
  /** All possible text values, or the words for the numbers, if the manifest lists them. */
  readonly known?:
    | { readonly texts: readonly string[] }
    | { readonly words: Readonly<Record<string, number>> }
    | undefined;
  /** Absent if its values are not days, weeks, months, hours or weekdays of a time range. */
  readonly period?: ColumnPeriod | undefined;
}

/** A single call may have any type. Calls within an operation are numbers or, in a difference, datetimes. */
export interface ResolvedCalc extends Pick<OutputColumn, 'name' | 'type' | 'nullable' | 'identifies'> {
  readonly value: Arithmetic<ResolvedCall>;
}

export interface ResolvedCall {
  readonly function: CalcFunction;
  readonly column: BoundColumn;
  readonly filter: CalcFilter | null;
  /** For MEDIAN and PERCENTILE; otherwise null. */
  readonly share: Share | null;
}

/** Selects the rows of its side that a calc aggregates. A row without a match does not pass a filter on the joined side. */
export interface CalcFilter {
  readonly calc: string;
  readonly parts: readonly ResolvedFilterPart[];
}

/** The output has every period of the kept column `column` for each existing combination of the other kept columns. */
export interface FilledPeriods {
  readonly column: BoundColumn;
  readonly unit: CalendarUnit;
  readonly spans: readonly Span[];
  /** The maximum number of combinations times periods. */
  readonly max: number;
}

/** Rows are sorted by `per` first. `top` is the maximum number of rows for each combination of `per`. */
export interface ResolvedSort {
  readonly keys: readonly { readonly by: OutputColumn; readonly order: 'asc' | 'desc' }[];
  readonly top: number | null;
  readonly per: readonly OutputColumn[];
}

/** Text and dates are strings. Numbers, flags and datetimes (epoch seconds) are numbers. */
export type ResolvedValue = string | number;

export type ResolvedFilterPart = FilterPart<ResolvedCondition>;

/** A row does not match if either of two compared columns is null. */
export type ResolvedCondition =
  | ResolvedValueCondition
  | { readonly column: BoundColumn; readonly operator: OrderTest; readonly other: BoundColumn };

export interface ResolvedValueCondition {
  readonly column: BoundColumn;
  readonly test: ResolvedTest;
}

export type ResolvedTest =
  | { readonly operator: Comparison; readonly value: ResolvedValue }
  | { readonly operator: 'is-null' | 'is-not-null' }
  | { readonly operator: ListTest; readonly values: readonly ResolvedValue[] }
  | { readonly operator: 'between'; readonly low: ResolvedValue; readonly high: ResolvedValue };

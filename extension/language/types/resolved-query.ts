// The types between resolve and plan: names are bound, and values have the type of their column. Plain data.

import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import { type Arithmetic, type Share, valuesOf } from './arithmetic';
import type { CalcFunction, Comparison, JoinMode, ListTest, OrderTest } from './parsed-query';

/** The sites that a query covers; for `all`, exactly those that the user may see. */
export interface QueriedSites {
  readonly trackingId: string;
  readonly all: boolean;
  readonly siteIds: readonly number[];
  /** In the order of their ids. */
  readonly states: readonly SiteState[];
}

/** The version of a site's data when the query was read; the statement may see newer data. */
export interface SiteState {
  readonly siteId: number;
  /** A random token that changes with every change of the site's data and never repeats. */
  readonly version: string;
}

/** The sites of a query and the materials that exist for these sites alone. */
export interface Scope extends QueriedSites {
  /** Numbers of the site's goals. */
  readonly goals: readonly number[];
  /** Observed events: name -> parameter -> type. */
  readonly events: ReadonlyMap<string, ReadonlyMap<string, ParameterType>>;
  /** Materials without data of the site, which no query may name. */
  readonly unavailable: ReadonlySet<string>;
}

/** The type of a parameter of an observed event. */
export type ParameterType = 'number' | 'string';

/** Half-open [start, end) in epoch seconds; local times are read and printed in `zone`. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
  readonly zone: string;
}

export interface ResolvedQuery {
  readonly scope: QueriedSites;
  /** False if it reads rows without a data version: only PostgreSQL has them, and their results are not cached. */
  readonly isVersioned: boolean;
  readonly range: TimeRange;
  readonly views: readonly ResolvedView[];
  readonly use: ResolvedView;
  readonly limit: number;
  readonly offset: number;
  readonly countOnly: boolean;
}

/** Returns groups if it has a calc, otherwise rows (`calc` is null). */
export interface ResolvedView {
  readonly name: string;
  /** The material at the end of the view's chain, and the join keys that it declares. */
  readonly material: string;
  readonly keys: readonly string[];
  /** How many times it reads materials, through the whole chain of views. */
  readonly reads: number;
  /** The range for materials that this view reads: its own or that of the query. */
  readonly range: TimeRange;
  readonly source: ResolvedSource;
  readonly filter: readonly ResolvedFilterPart[];
  readonly join: ResolvedJoin | null;
  readonly keep: readonly BoundColumn[];
  readonly calc: readonly ResolvedCalc[] | null;
  readonly sort: ResolvedSort | null;
  readonly output: readonly OutputColumn[];
}

export type ResolvedSource = MaterialSource | { readonly kind: 'view'; readonly view: string };

/** `order` is the material's own total order of rows. */
export interface MaterialSource {
  readonly kind: 'material';
  readonly material: string;
  /** The name in the manifest; a goal or an event has that of its family. */
  readonly rows: string;
  /** Null if each row covers the whole period of the query. */
  readonly time: { readonly field: string; readonly grain: 'instant' | 'day' } | null;
  /** Whether it reads rows of any time as the joined side. */
  readonly joinedAlways: boolean;
  readonly order: readonly BoundColumn[];
  /** Selects one goal or event of the family. */
  readonly only: readonly ResolvedValueCondition[];
}

/** All pairs must be equal. `fill` is the value of joined columns in rows without a match. */
export interface ResolvedJoin {
  readonly source: ResolvedSource;
  readonly on: readonly { readonly left: BoundColumn; readonly right: BoundColumn }[];
  readonly mode: JoinMode;
  /** Joined column -> value. */
  readonly fill: readonly {
    readonly column: string;
    readonly type: ColumnType;
    readonly value: ResolvedValue;
  }[];
}

/** A column of one of the view's sides, and where its value comes from. */
export interface BoundColumn {
  readonly name: string;
  readonly side: 'from' | 'with';
  readonly type: ColumnType;
  /** Whether rows may lack a value. */
  readonly nullable: boolean;
  /** Whether its material declares it as a join key. */
  readonly isKey: boolean;
  /** The dimension that an id refers to, if any. */
  readonly dimension?: string | undefined;
  /** The possible values, if the manifest lists them. */
  readonly known?: KnownValues | undefined;
  readonly origin: Origin;
}

/** All texts of a column, or the words for its numbers. */
type KnownValues =
  | { readonly texts: readonly string[] }
  | { readonly words: Readonly<Record<string, number>> };

/** A column of an earlier view's output, or something stored. */
type Origin = { readonly kind: 'output'; readonly view: string } | StoredOrigin;

export type StoredOrigin =
  | { readonly kind: 'computed'; readonly value: ComputedValue }
  | { readonly kind: 'field'; readonly field: string }
  | {
      readonly kind: 'lookup';
      readonly dimension: string;
      readonly key: string;
      readonly field: string;
      readonly bit: number | null;
    }
  /** With `grain` day the field is a date. */
  | {
      readonly kind: 'time-part';
      readonly part: TimePart;
      readonly field: string;
      readonly grain: 'instant' | 'day';
    }
  | { readonly kind: 'joined-texts'; readonly parts: readonly StoredOrigin[] }
  /** 1 if the row's session converted on the goal. */
  | { readonly kind: 'converted'; readonly goal: number }
  /** 1 if another material has rows with the same key. */
  | { readonly kind: 'has-rows'; readonly material: string; readonly key: string }
  /** The number of the reader's sessions on the row's local day, up to the row. */
  | { readonly kind: 'session-of-day' };

/** Values computed from stored fields of the same row. */
export type ComputedValue =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'has-value'; readonly column: string }
  | { readonly kind: 'shifted'; readonly column: string; readonly by: number }
  /** The product of whole numbers, divided by `per`. */
  | { readonly kind: 'product'; readonly columns: readonly string[]; readonly per: number }
  /** dividend / (divisor * per), rounded half up to `digits`; 0 if the divisor is 0. */
  | {
      readonly kind: 'rounded-ratio';
      readonly dividend: string;
      readonly divisor: string;
      readonly per: number;
      readonly digits: number;
    }
  /** The text at the index of the number. */
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
  readonly isKey: boolean;
  readonly dimension?: string | undefined;
  readonly known?: KnownValues | undefined;
}

/** A lone call may have any type; calls in an operation are numbers. */
export interface ResolvedCalc {
  readonly name: string;
  readonly value: Arithmetic<ResolvedCall>;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

export interface ResolvedCall {
  readonly function: CalcFunction;
  readonly column: BoundColumn;
  /** Of MEDIAN and PERCENTILE; otherwise null. */
  readonly share: Share | null;
}

/** The columns that a calc reads. */
export const columnsOfCalc = ({ value }: ResolvedCalc): readonly BoundColumn[] =>
  valuesOf(value).map(({ column }) => column);

/** `top` limits the rows of each combination of `per`, by which rows are sorted before the keys. */
export interface ResolvedSort {
  readonly keys: readonly { readonly by: OutputColumn; readonly order: 'asc' | 'desc' }[];
  readonly top: number | null;
  readonly per: readonly OutputColumn[];
}

/** Text and dates as text, numbers and flags as numbers, datetimes as epoch seconds. */
export type ResolvedValue = string | number;

/** All parts of a filter must hold. */
export type ResolvedFilterPart = ResolvedCondition | ResolvedAlternatives;

/** At least one of these filters must hold. */
interface ResolvedAlternatives {
  readonly anyOf: readonly (readonly ResolvedCondition[])[];
}

export type ResolvedCondition = ResolvedValueCondition | ResolvedColumnCondition;

export interface ResolvedValueCondition {
  readonly column: BoundColumn;
  readonly test: ResolvedTest;
}

/** Both columns must have a value. */
interface ResolvedColumnCondition {
  readonly column: BoundColumn;
  readonly operator: OrderTest;
  readonly other: BoundColumn;
}

export type ResolvedTest =
  | { readonly operator: Comparison; readonly value: ResolvedValue }
  | { readonly operator: 'is-null' | 'is-not-null' }
  | { readonly operator: ListTest; readonly values: readonly ResolvedValue[] }
  | { readonly operator: 'between'; readonly low: ResolvedValue; readonly high: ResolvedValue };

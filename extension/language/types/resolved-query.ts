// The types between resolve and plan: every name is bound, every value has its column's type. Plain data.

import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import { type Arithmetic, type Share, valuesOf } from './arithmetic';
import type { CalcFunction, Comparison, JoinMode, ListTest, OrderTest } from './parsed-query';

/** The sites that a query covers; with `all`, exactly those that the user may see. */
export interface QueriedSites {
  readonly trackingId: string;
  readonly all: boolean;
  readonly siteIds: readonly number[];
  /** The state of each site, in the order of their ids. */
  readonly states: readonly SiteState[];
}

/** A site's data when the query was read; the statement may see newer ones. */
export interface SiteState {
  readonly siteId: number;
  /** A random token, another one after every change of the site's data; the same one never comes again. */
  readonly version: string;
}

/** The sites of a query, and the materials that only these sites have. */
export interface Scope extends QueriedSites {
  /** Numbers of the goals that the site defines. */
  readonly goals: readonly number[];
  /** Observed events: name -> parameter -> type. */
  readonly events: ReadonlyMap<string, ReadonlyMap<string, ParameterType>>;
  /** Materials that no query may name, because the site has no data of them. */
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
  /** False where it reads rows without a data version: only PostgreSQL has them, and no result of them may be kept. */
  readonly isVersioned: boolean;
  readonly range: TimeRange;
  readonly views: readonly ResolvedView[];
  readonly use: ResolvedView;
  readonly limit: number;
  readonly offset: number;
  readonly countOnly: boolean;
}

/** Rows without calc (`calc` null), groups with it. */
export interface ResolvedView {
  readonly name: string;
  /** The material behind the view, through all views between, and the join keys that it declares. */
  readonly material: string;
  readonly keys: readonly string[];
  /** How often it reads rows of materials, through all views between. */
  readonly reads: number;
  /** Of what the view itself reads from materials: its own, or that of the query. */
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
  /** Its name in the manifest: for a goal or an event, that of the family. */
  readonly rows: string;
  /** Null where each row covers the whole period of the query. */
  readonly time: { readonly field: string; readonly grain: 'instant' | 'day' } | null;
  /** Whether the joined side reads its rows of all times. */
  readonly joinedAlways: boolean;
  readonly order: readonly BoundColumn[];
  /** Selects the rows of one goal or event from those of its family. */
  readonly only: readonly ResolvedValueCondition[];
}

/** The joined rows; every pair must be equal. `fill` is the value of joined columns in rows without a match. */
export interface ResolvedJoin {
  readonly source: ResolvedSource;
  readonly on: readonly { readonly left: BoundColumn; readonly right: BoundColumn }[];
  readonly mode: JoinMode;
  /** By the name of the joined column. */
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
  /** Of an id: the dimension whose rows it names, where it has one. */
  readonly dimension?: string | undefined;
  /** Its possible values, where the manifest lists them. */
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
  /** `grain` day: the field is a date already. */
  | {
      readonly kind: 'time-part';
      readonly part: TimePart;
      readonly field: string;
      readonly grain: 'instant' | 'day';
    }
  | { readonly kind: 'joined-texts'; readonly parts: readonly StoredOrigin[] }
  /** 1 if the session of the row converted on the goal. */
  | { readonly kind: 'converted'; readonly goal: number }
  /** 1 if another material has rows with the same value of the key. */
  | { readonly kind: 'has-rows'; readonly material: string; readonly key: string }
  /** Number of the reader's sessions on the local day of the row, up to the row. */
  | { readonly kind: 'session-of-day' };

/** Values computed from the stored fields of the row alone. */
export type ComputedValue =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'has-value'; readonly column: string }
  | { readonly kind: 'shifted'; readonly column: string; readonly by: number }
  /** The product of whole numbers, divided by `per`. */
  | { readonly kind: 'product'; readonly columns: readonly string[]; readonly per: number }
  /** dividend / (divisor * per), rounded half up to `digits`; 0 where the divisor is 0. */
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
  /** That of MEDIAN and PERCENTILE. */
  readonly share: Share | null;
}

/** The columns that a calc reads. */
export const columnsOfCalc = ({ value }: ResolvedCalc): readonly BoundColumn[] =>
  valuesOf(value).map(({ column }) => column);

/** `top` cuts the rows of each value of `per`, by which they are ordered before the keys. */
export interface ResolvedSort {
  readonly keys: readonly { readonly by: OutputColumn; readonly order: 'asc' | 'desc' }[];
  readonly top: number | null;
  readonly per: readonly OutputColumn[];
}

/** Values by the column's type: text and date as text, numbers and flags as numbers, datetimes in epoch seconds. */
export type ResolvedValue = string | number;

/** All parts of a filter must hold. */
export type ResolvedFilterPart = ResolvedCondition | ResolvedAlternatives;

/** Filters of which at least one must hold. */
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

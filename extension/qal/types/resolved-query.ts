// Owns the types between resolve and plan: every name bound, every value of its column's type. Plain data.
import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { CalcFunction, Comparison } from './parsed-query';

/** The sites that a query covers; with `all`, exactly those that the user may see. */
export interface Scope {
  readonly trackingId: string;
  readonly all: boolean;
  readonly siteIds: readonly number[];
}

/** Half-open [start, end) in epoch seconds; local texts are read and printed in `zone`. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
  readonly zone: string;
}

export interface ResolvedQuery {
  readonly scope: Scope;
  readonly range: TimeRange;
  readonly views: readonly ResolvedView[];
  readonly use: ResolvedView;
  readonly limit: number;
  readonly countOnly: boolean;
}

/** Rows without calc (`calc` null), groups with it. */
export interface ResolvedView {
  readonly name: string;
  /** The material that the view goes back to, through all views between. */
  readonly material: string;
  readonly source: ResolvedSource;
  readonly filter: readonly ResolvedCondition[];
  readonly keep: readonly BoundColumn[];
  readonly calc: readonly ResolvedCalc[] | null;
  readonly sort: ResolvedSort | null;
  readonly output: readonly OutputColumn[];
}

/** `order` puts the rows of the material in their own total order: time, then id. */
export type ResolvedSource =
  | {
      readonly kind: 'material';
      readonly material: string;
      readonly timeField: string;
      readonly order: readonly BoundColumn[];
    }
  | { readonly kind: 'view'; readonly view: string };

/** A column of the source, with where its value comes from. */
export interface BoundColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** Whether rows may lack a value. */
  readonly nullable: boolean;
  readonly origin: Origin;
}

/** A column of an earlier view's output, or something stored. */
export type Origin = { readonly kind: 'output'; readonly view: string } | StoredOrigin;

export type StoredOrigin =
  | { readonly kind: 'field'; readonly field: string }
  | {
      readonly kind: 'lookup';
      readonly dictionary: string;
      readonly key: string;
      readonly field: string;
      readonly bit: number | null;
    }
  | { readonly kind: 'time-part'; readonly part: TimePart; readonly field: string }
  | { readonly kind: 'joined-texts'; readonly parts: readonly StoredOrigin[] };

export interface OutputColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

export interface ResolvedCalc {
  readonly name: string;
  readonly function: CalcFunction;
  readonly column: BoundColumn;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

export interface ResolvedSort {
  readonly by: OutputColumn;
  readonly order: 'asc' | 'desc';
  readonly top: number | null;
}

/** Values by the column's type: text and date as text, numbers and flags as numbers, datetimes in epoch seconds. */
export type ResolvedValue = string | number;

export interface ResolvedCondition {
  readonly column: BoundColumn;
  readonly test: ResolvedTest;
}

export type ResolvedTest =
  | { readonly operator: Comparison; readonly value: ResolvedValue }
  | { readonly operator: 'is-null' | 'is-not-null' }
  | { readonly operator: 'in'; readonly values: readonly ResolvedValue[] }
  | { readonly operator: 'between'; readonly low: ResolvedValue; readonly high: ResolvedValue };

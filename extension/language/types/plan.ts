// The plan: a tree of relational nodes as plain frozen data, which prints as JSON.
// A stored field is a column under its own name (`page_id`), a catalogue column carries its source (`allpv.url`).

import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../time/local-clock';
import type { Period } from '../time/local-periods';
import type { Arithmetic, ExactColumn, Share } from './arithmetic';
import type { CalcFunction, JoinMode, OrderTest } from './parsed-query';
import type { ComputedValue, ResolvedTest, ResolvedValue } from './resolved-query';
import type { UniqueCountsNode } from './unique-counts';

/** The stored field that holds the site, in every table of rows. */
export const SITE_FIELD = 'site_id';

export interface Plan {
  readonly root: PlanNode;
  /** One row with the exact number of rows, in the column `output.total`; null where `root` tells it or nobody asked. */
  readonly counted: PlanNode | null;
  readonly output: PlanOutput;
}

export interface PlanOutput {
  readonly view: string;
  /** How datetimes are printed. */
  readonly clock: LocalClock;
  /** `count`: the root is one row, whose `total` is the answer. `table`: the columns of the root, cut at `limit`. */
  readonly kind: 'table' | 'count';
  readonly columns: readonly { readonly name: string; readonly type: ColumnType; readonly column: string }[];
  readonly limit: number;
  readonly offset: number;
  /** The column with the number of rows before any cut, in `counted` or else in the root; null: count the rows. */
  readonly total: string | null;
  /** The view's own cut (`sort.top`), which bounds that number. */
  readonly top: number | null;
}

export type PlanNode =
  | ScanNode
  | UniqueCountsNode
  | ExtendNode
  | FilterNode
  | JoinNode
  | NumberNode
  | GroupNode
  | PerPeriodNode
  | OrderNode
  | LimitNode;

/** The rows of a material. Sites and time are fields of the node, so that no table is read without them. */
export interface ScanNode {
  readonly kind: 'scan';
  /** The manifest's name: a goal or an event goes by the name of its family. */
  readonly material: string;
  readonly siteIds: readonly number[];
  readonly bounds: ScanBounds;
}

/**
 * `range`: [start, end) in epoch seconds. `days`: [first, end) as YYYY-MM-DD. `period`: set by the per-period node above.
 * `always`: rows of any time, which only the right side of a join may be.
 */
export type ScanBounds =
  | { readonly kind: 'range'; readonly field: string; readonly start: number; readonly end: number }
  | { readonly kind: 'days'; readonly field: string; readonly first: string; readonly end: string }
  | { readonly kind: 'period'; readonly field: string }
  | { readonly kind: 'always' };

/** Adds computed columns to every row; drops and multiplies none. */
export interface ExtendNode {
  readonly kind: 'extend';
  readonly input: PlanNode;
  readonly columns: readonly ComputedColumn[];
}

export interface ComputedColumn {
  readonly name: string;
  readonly value: Expression;
}

export type Expression =
  | { readonly kind: 'computed'; readonly value: ComputedValue }
  | { readonly kind: 'column'; readonly column: string }
  | { readonly kind: 'flag'; readonly column: string }
  | {
      readonly kind: 'lookup';
      readonly dimension: string;
      readonly key: string;
      readonly field: string;
      readonly bit: number | null;
      /** Whether ids are unique within a site only; else all sites share them. */
      readonly perSite: boolean;
      /** The one site of the query; null: each row has its own, in `site_id`. */
      readonly siteId: number | null;
    }
  | {
      readonly kind: 'time-part';
      readonly part: TimePart;
      readonly column: string;
      /** Null where the column is a date already. */
      readonly clock: LocalClock | null;
    }
  | { readonly kind: 'converted'; readonly goal: number; readonly siteId: number | null }
  | {
      readonly kind: 'has-rows';
      readonly material: string;
      readonly key: string;
      readonly siteId: number | null;
    }
  | { readonly kind: 'session-of-day'; readonly clock: LocalClock; readonly siteId: number | null }
  /** The column where the conditions hold, else null. */
  | { readonly kind: 'where'; readonly column: string; readonly conditions: readonly PlanCondition[] }
  | { readonly kind: 'joined-texts'; readonly parts: readonly Expression[] }
  | { readonly kind: 'arithmetic'; readonly value: Arithmetic<ExactColumn> }
  /** `value * times`, exact at any size; `missing` replaces a null `times`. */
  | { readonly kind: 'product'; readonly value: string; readonly times: string; readonly missing: number };

export type Lookup = Extract<Expression, { readonly kind: 'lookup' }>;

export interface FilterNode {
  readonly kind: 'filter';
  readonly input: PlanNode;
  readonly conditions: readonly PlanCondition[];
  readonly dimensionFilters?: readonly DimensionFilter[];
}

/** `anyOf`: at least one of the lists must hold as a whole; an empty one does. */
export type PlanCondition =
  | ColumnCondition
  | ComparedColumns
  | { readonly anyOf: readonly (readonly PlanCondition[])[] };

/** Both must have a value; `type` is what they compare as. */
interface ComparedColumns {
  readonly column: string;
  readonly operator: OrderTest;
  readonly other: string;
  readonly type: ColumnType;
}

export interface ColumnCondition {
  readonly column: string;
  readonly type: ColumnType;
  readonly test: ResolvedTest;
}

/**
 * Keeps the rows whose key belongs to a dimension row that passes the test. With `except` it keeps the others instead,
 * including those whose key belongs to no dimension row.
 */
export interface DimensionFilter {
  readonly key: string;
  readonly dimension: string;
  readonly field: string;
  readonly bit: number | null;
  readonly type: ColumnType;
  readonly test: ResolvedTest;
  /** How many dimension rows a tested text finds: `one` at most, a `few`, or `any` number, for which all are read. */
  readonly found: 'one' | 'few' | 'any';
  readonly except: boolean;
  /** The sites whose dimension rows count. Several: rows match within their own site. None: all sites share the dimension. */
  readonly siteIds: readonly number[];
}

/**
 * Pairs each row of `left` with its equal rows of `right` (without keys, all). Null keys match nothing, or with `nullsMatch`
 * each other. `drop`: an inner join. */
export interface JoinNode {
  readonly kind: 'join';
  readonly left: PlanNode;
  readonly right: PlanNode;
  readonly on: readonly { readonly left: string; readonly right: string }[];
  readonly mode: JoinMode;
  readonly nullsMatch?: true;
  /** Columns of the right side, under names that the left side does not have. */
  readonly columns: readonly JoinedColumn[];
}

/** `fill` is the value in rows without a match; null leaves null. */
export interface JoinedColumn {
  readonly name: string;
  readonly column: string;
  readonly type: ColumnType;
  readonly fill: ResolvedValue | null;
}

/** Numbers the rows from 0, anew for each combination of `within`. */
export interface NumberNode {
  readonly kind: 'number';
  readonly input: PlanNode;
  readonly column: string;
  readonly within: readonly string[];
  readonly by: readonly OrderKey[];
}

/** One row for each combination of keys; exactly one row without keys. */
export interface GroupNode {
  readonly kind: 'group';
  readonly input: PlanNode;
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
}

/**
 * COUNT with `column` null counts rows. `within`: COUNTUNIQUE also distinguishes values by these columns (the site).
 * FIRST and LAST take the value of the row with the least or greatest `by`, which must be unique in its group.
 * PERCENTILE goes `share` of the way from the least to the greatest value. A number is given times `share.in`, which keeps it
 * exact; of date-times, the second in which it lies.
 */
export interface Aggregate {
  readonly name: string;
  readonly function: Exclude<CalcFunction, 'MEDIAN'> | 'FIRST' | 'LAST';
  readonly by?: string;
  readonly share?: Share;
  readonly column: string | null;
  readonly type: ColumnType;
  readonly within: readonly string[];
}

/** Runs its input once for each period and adds the value of the period to the rows. */
export interface PerPeriodNode {
  readonly kind: 'per-period';
  readonly input: PlanNode;
  readonly column: string;
  readonly type: ColumnType;
  readonly periods: readonly Period[];
}

/** Nulls come last in both directions; text compares bytewise. */
export interface OrderNode {
  readonly kind: 'order';
  readonly input: PlanNode;
  readonly by: readonly OrderKey[];
}

export interface OrderKey {
  readonly column: string;
  readonly type: ColumnType;
  readonly direction: 'asc' | 'desc';
}

export interface LimitNode {
  readonly kind: 'limit';
  readonly input: PlanNode;
  readonly count: number;
  readonly offset?: number;
  /** The column that gives the number of rows before the cut, where counting them costs nothing. */
  readonly countAs: string | null;
  /** Also keep the rows that tie with the last one in the order of the input. */
  readonly withTies?: boolean;
}

// The plan: a tree of relational nodes, as plain frozen data that prints as JSON.
// A stored field keeps its name as a column (`page_id`); a catalogue column has its source as prefix (`allpv.url`).

import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../time/local-clock';
import type { Period } from '../time/local-periods';
import type { Arithmetic, ExactColumn, Share } from './arithmetic';
import type { CalcFunction, JoinMode, OrderTest } from './parsed-query';
import type { ComputedValue, ResolvedTest, ResolvedValue } from './resolved-query';
import type { UniqueCountsNode } from './unique-counts';

/** The field of the site in every table of rows. */
export const SITE_FIELD = 'site_id';

export interface Plan {
  readonly root: PlanNode;
  /** One row with the exact number of rows in the column `output.total`; null if `root` has it or it was not requested. */
  readonly counted: PlanNode | null;
  readonly output: PlanOutput;
}

export interface PlanOutput {
  readonly view: string;
  /** The zone in which datetimes are printed. */
  readonly clock: LocalClock;
  /** `count`: the root is one row with the answer in `total`. `table`: columns of the root, cut at `limit`. */
  readonly kind: 'table' | 'count';
  readonly columns: readonly { readonly name: string; readonly type: ColumnType; readonly column: string }[];
  readonly limit: number;
  readonly offset: number;
  /** The column of `counted` or the root with the number of rows before any cut; null: count the rows. */
  readonly total: string | null;
  /** The cut of the view (`sort.top`), which bounds that number. */
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

/** The rows of a material. Sites and time are fields of the node, so no table can be read without them. */
export interface ScanNode {
  readonly kind: 'scan';
  /** The name in the manifest; a goal or an event has that of its family. */
  readonly material: string;
  readonly siteIds: readonly number[];
  readonly bounds: ScanBounds;
}

/**
 * `range`: [start, end) in epoch seconds. `days`: [first, end) as YYYY-MM-DD. `period`: set by the per-period node above.
 * `always`: rows of any time, only on the right side of a join.
 */
export type ScanBounds =
  | { readonly kind: 'range'; readonly field: string; readonly start: number; readonly end: number }
  | { readonly kind: 'days'; readonly field: string; readonly first: string; readonly end: string }
  | { readonly kind: 'period'; readonly field: string }
  | { readonly kind: 'always' };

/** Adds computed columns; neither drops nor multiplies rows. */
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
      /** Whether ids are unique within a site only; otherwise all sites share them. */
      readonly perSite: boolean;
      /** The one site of the query; null: each row has its site in `site_id`. */
      readonly siteId: number | null;
    }
  | {
      readonly kind: 'time-part';
      readonly part: TimePart;
      readonly column: string;
      /** Null if the column is a date. */
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
  /** The column if the conditions hold, otherwise null. */
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

/** `anyOf`: all conditions of at least one list must hold; an empty list holds. */
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
 * Keeps the rows whose key refers to a dimension row that passes the test; with `except`, all other rows, including
 * those whose key refers to no dimension row.
 */
export interface DimensionFilter {
  readonly key: string;
  readonly dimension: string;
  readonly field: string;
  readonly bit: number | null;
  readonly type: ColumnType;
  readonly test: ResolvedTest;
  /** How many dimension rows a text finds: at most `one`, a `few`, or `any` number, which reads the whole dimension. */
  readonly found: 'one' | 'few' | 'any';
  readonly except: boolean;
  /** The sites whose dimension rows match. Several: rows match within their site. None: all sites share the dimension. */
  readonly siteIds: readonly number[];
}

/**
 * Joins rows with equal keys; without keys, every row with every row. Null keys match nothing, or with `nullsMatch` each
 * other. `drop` is an inner join. */
export interface JoinNode {
  readonly kind: 'join';
  readonly left: PlanNode;
  readonly right: PlanNode;
  readonly on: readonly { readonly left: string; readonly right: string }[];
  readonly mode: JoinMode;
  readonly nullsMatch?: true;
  /** Columns of the right side, under names that are free on the left side. */
  readonly columns: readonly JoinedColumn[];
}

/** `fill` is the value in rows without a match. */
export interface JoinedColumn {
  readonly name: string;
  readonly column: string;
  readonly type: ColumnType;
  readonly fill: ResolvedValue | null;
}

/** Numbers the rows of each combination of `within` from 0. */
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
 * PERCENTILE interpolates at `share` between the least and the greatest value. Numbers are returned times `share.in`, which
 * keeps them exact; datetimes are rounded down to the second.
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

/** Runs its input once per period and adds the period's value to the rows. */
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
  /** The column for the number of rows before the cut, if counting them is free. */
  readonly countAs: string | null;
  /** Also keep rows that tie with the last one in the order of the input. */
  readonly withTies?: boolean;
}

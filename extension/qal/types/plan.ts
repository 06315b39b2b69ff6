// Owns the plan: a tree of relational nodes as plain frozen data, printable as JSON.
// Columns are named: a stored field by its own name (`page_id`), a catalogue column with its source (`allpv.url`).

import type { ColumnType, TimePart } from '../../../manifests/reader/schema';
import type { LocalClock } from '../../time/local-clock';
import type { DimensionFilter } from './dimension-filter';
import type { CalcFunction, JoinMode } from './parsed-query';
import type { ComputedValue, ResolvedTest, ResolvedValue } from './resolved-query';
import type { RollupNode } from './rollup-node';

/** The stored field that tells the sites apart, in every table of rows. */
export const SITE_FIELD = 'site_id';

export type PlanNode =
  | ScanNode
  | RollupNode
  | UnionNode
  | ExtendNode
  | FilterNode
  | JoinNode
  | NumberNode
  | GroupNode
  | PerPeriodNode
  | OrderNode
  | LimitNode;

/** The rows of a material: sites and time are fields of the node, so nothing can be read without them. */
export interface ScanNode {
  readonly kind: 'scan';
  /** The material as the manifest calls it: a goal or event by the name of its family. */
  readonly material: string;
  readonly siteIds: readonly number[];
  readonly bounds: ScanBounds;
}

/**
 * `range`: [start, end) in epoch seconds. `days`: [first, end) as YYYY-MM-DD. `period`: that of the per-period node
 * around the scan. `always`: at any time, as the joined side alone may be read.
 */
export type ScanBounds =
  | { readonly kind: 'range'; readonly field: string; readonly start: number; readonly end: number }
  | { readonly kind: 'days'; readonly field: string; readonly first: string; readonly end: string }
  | { readonly kind: 'period'; readonly field: string }
  | { readonly kind: 'always' };

/** The rows of all inputs, each of which gives out these columns. */
export interface UnionNode {
  readonly kind: 'union';
  readonly inputs: readonly PlanNode[];
  readonly columns: readonly string[];
}

/** Adds computed columns to every row; rows neither vanish nor multiply. */
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
      /** The one site of the query; null where rows of several sites tell it themselves, as `site_id`. */
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
  /** 1 when a row of the material in the range has this key and these other values; null is equal to null there. */
  | {
      readonly kind: 'occurs';
      readonly material: string;
      readonly bounds: Extract<ScanBounds, { readonly kind: 'range' }>;
      readonly key: string;
      readonly others: readonly string[];
    }
  | { readonly kind: 'session-of-day'; readonly clock: LocalClock; readonly siteId: number | null }
  /** The column where the conditions hold, else null. */
  | { readonly kind: 'where'; readonly column: string; readonly conditions: readonly PlanCondition[] }
  | { readonly kind: 'joined-texts'; readonly parts: readonly Expression[] }
  | { readonly kind: 'ratio'; readonly dividend: string; readonly divisor: string }
  /** Exact at any size; `missing` stands for a factor `times` that is null. */
  | { readonly kind: 'product'; readonly value: string; readonly times: string; readonly missing: number };

export interface FilterNode {
  readonly kind: 'filter';
  readonly input: PlanNode;
  readonly conditions: readonly PlanCondition[];
  /** What must hold besides: of the entries that keys of the rows open. */
  readonly entries?: readonly DimensionFilter[];
}

export interface PlanCondition {
  readonly column: string;
  readonly type: ColumnType;
  readonly test: ResolvedTest;
}

/** The rows of `left` with the equal rows of `right`; null keys are equal to nothing. `drop`: only rows that meet one. */
export interface JoinNode {
  readonly kind: 'join';
  readonly left: PlanNode;
  readonly right: PlanNode;
  readonly on: readonly { readonly left: string; readonly right: string }[];
  readonly mode: JoinMode;
  /** What is given out of the right side, under names that the left side does not have. */
  readonly columns: readonly JoinedColumn[];
}

/** `fill` stands in rows without a match; null = nothing. */
export interface JoinedColumn {
  readonly name: string;
  readonly column: string;
  readonly type: ColumnType;
  readonly fill: ResolvedValue | null;
}

/** Numbers the rows from 0. */
export interface NumberNode {
  readonly kind: 'number';
  readonly input: PlanNode;
  readonly column: string;
  readonly by: readonly OrderKey[];
}

/** One row per distinct keys; without keys exactly one row. */
export interface GroupNode {
  readonly kind: 'group';
  readonly input: PlanNode;
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
}

/**
 * `within`: columns that tell apart equal values of different sites. `column` null: COUNT counts the rows.
 * FIRST and LAST take the value of the row with the least or greatest `by`, which no two rows of a group share.
 * `isNarrow`: a COUNT or SUM that is known to fit 32 bits; whatever adds such numbers up need not do so as decimals.
 */
export interface Aggregate {
  readonly name: string;
  readonly function: CalcFunction | 'FIRST' | 'LAST';
  readonly by?: string;
  readonly column: string | null;
  readonly type: ColumnType;
  readonly within: readonly string[];
  readonly isNarrow?: true;
}

/** Runs its input once for each period and adds the period's value to its rows. */
export interface PerPeriodNode {
  readonly kind: 'per-period';
  readonly input: PlanNode;
  readonly column: string;
  readonly type: ColumnType;
  readonly periods: readonly Period[];
}

/** [start, end) in epoch seconds; `value` is the local date or month. */
export interface Period {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Nulls last in both directions, text bytewise. */
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
  /** The column that tells how many rows there were before the cut, where that costs nothing. */
  readonly countAs: string | null;
  /** Whether rows stay that are equal, in the order of the input, to the last one that does. */
  readonly withTies?: boolean;
}

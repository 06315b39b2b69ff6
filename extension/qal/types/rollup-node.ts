// Owns the leaf of a plan that is read from what is kept counted of a material instead of its rows.
import type { ColumnType } from '../../../manifests/reader/schema';

/**
 * What is kept counted of a material, one row for each key of each block (and each earlier day, where different values
 * are counted). Its columns are the dimension's keys as stored fields, `site_id`, the measures, and the period's value.
 */
export interface RollupNode {
  readonly kind: 'rollup';
  readonly material: string;
  /** Its number in the database, and the stored fields that its rows are told apart by. */
  readonly dimension: { readonly code: number; readonly keys: readonly string[] };
  /** The number of the field whose different values are counted; null: the measures of the rows. */
  readonly counted: number | null;
  /** The versions for which the blocks were chosen: the statement fails under any other. */
  readonly sites: readonly { readonly siteId: number; readonly version: number }[];
  readonly blocks: readonly RollupBlock[];
  /** Names given out, and the arrays that they come from; with `counted` that is `counts`. */
  readonly measures: readonly { readonly name: string; readonly array: string }[];
  /** The column that gives out the value of the block's period; null without periods. */
  readonly period: { readonly column: string; readonly type: ColumnType } | null;
}

/** `before`: with `counted`, values seen earlier count only when that was before this day. */
export interface RollupBlock {
  readonly siteId: number;
  readonly level: number;
  readonly block: number;
  readonly before: number;
  readonly value: string | null;
}

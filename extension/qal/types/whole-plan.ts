// Owns a plan as a whole: the nodes that make its rows, and what of these is given out.

import type { ColumnType } from '../../../manifests/reader/schema';
import type { LocalClock } from '../../time/local-clock';
import type { PlanNode } from './plan';

export interface Plan {
  readonly root: PlanNode;
  /** One row with the number of all rows, as `output.total`, where it is wanted at any price; null: the root tells. */
  readonly counted: PlanNode | null;
  readonly output: PlanOutput;
}

export interface PlanOutput {
  readonly view: string;
  /** How datetimes are printed. */
  readonly clock: LocalClock;
  /** `count`: the root is one row, of which `total` is read; `table`: the columns of the root, cut at `limit`. */
  readonly kind: 'table' | 'count';
  readonly columns: readonly OutputPlanColumn[];
  readonly limit: number;
  /** The column that holds the number of rows before any cut, of `counted` or the root; null: the rows tell. */
  readonly total: string | null;
  /** The view's own cut (sort.top), which bounds that number. */
  readonly top: number | null;
}

export interface OutputPlanColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly column: string;
}

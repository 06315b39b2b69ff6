/** The rows of a material. No table can be read without sites and bounds, since both are fields of the node. */
export interface ScanNode {
  readonly kind: 'scan';
  /** The name in the manifest. Goals and events have the name of their family. */
  readonly material: string;
  readonly siteIds: readonly number[];
  readonly bounds: ScanBounds;
  /** Whether to read only one row of each visit that has rows in the range. Set only if `VisitFacts` are known. */
  readonly isOncePerVisit?: true;
  /**
   * Set for clicks or events if their fields from `view-values.ts` are known: the column VISIT_VIEWS is the number of the visit's page
   * views within these bounds, and rows without any are left out. No row is further than `reach` seconds from any of its visit's page
   * views.
   */
  readonly visitViews?: { readonly material: string; readonly bounds: ScanRange; readonly reach: number };
}

/**
 * `range`: [start, end) in epoch seconds. `days`: [first, end) as YYYY-MM-DD. `period`: set by the per-period node above it.
 * `always`: rows from any time, only on the right side of a join.
 */
export type ScanBounds =
  | ScanRange
  | { readonly kind: 'days'; readonly field: string; readonly first: string; readonly end: string }
  | { readonly kind: 'period'; readonly field: string }
  | { readonly kind: 'always' };

export interface ScanRange {
  readonly kind: 'range';
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

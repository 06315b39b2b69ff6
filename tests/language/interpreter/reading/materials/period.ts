// The period of a query, and the shape of the rows that a material gives for it.
import type { Value } from '../tables';

/** The sites that are asked, and the period: [start, end) as instants. */
export interface Period {
  readonly sites: readonly number[];
  readonly start: number;
  readonly end: number;
  readonly tz: string;
}

/** Values by their column's name; `place` orders the rows of a material, and the site orders what is equal in it. */
export interface PlacedRow {
  readonly site: number;
  readonly place: readonly Value[];
  readonly values: Readonly<Record<string, Value>>;
}

/** Whether an instant lies in the period and the row is of a site that is asked. */
export const isWithin = (row: { readonly site_id: number; readonly at: number }, period: Period): boolean =>
  period.sites.includes(row.site_id) && row.at >= period.start && row.at < period.end;

// The period of a query, and the rows of a material within it.
import type { Value } from '../tables';

/** The sites that the query covers, and its period: [start, end) as instants. */
export interface Period {
  readonly sites: readonly number[];
  readonly start: number;
  readonly end: number;
  readonly tz: string;
}

/** Values by column name. The rows of a material are sorted by `place`, then by site. */
export interface PlacedRow {
  readonly site: number;
  readonly place: readonly Value[];
  readonly values: Readonly<Record<string, Value>>;
}

/** Whether a row falls within the period and belongs to one of the query's sites. */
export const isWithin = (row: { readonly site_id: number; readonly at: number }, period: Period): boolean =>
  period.sites.includes(row.site_id) && row.at >= period.start && row.at < period.end;

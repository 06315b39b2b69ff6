// Random ranges for queries.
import fc from 'fast-check';
import { instantOf, localText } from '../reading/local-clock';
import type { Query } from '../reading/query';
import type { Tables } from '../reading/tables';
import { ZONES } from './awkward-values';
import { at, number, type Samples } from './random-values';

export const edge = fc.record({ kind: number, which: number });
type Edge = typeof edge extends fc.Arbitrary<infer It> ? It : never;

const DAY = 86_400;
export const YEAR = { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00' };
/** One month, whose ends are in the middle of visits. */
export const MONTH = { start: '2026-10-15T00:00:00', end: '2026-11-15T00:00:00' };

/** Returns a range. Each end is at the start or end of the year, at midnight near a row, or at or near a row. */
export function rangeOf(
  given: { readonly zone: number; readonly start: Edge; readonly end: Edge },
  tables: Tables,
  site: Query['site'],
  { moments }: Samples,
): Query['time'] {
  const siteZone = tables.site.find(({ site_id }) => site_id === site)?.timezone ?? 'Europe/Berlin';
  const tz = at([siteZone, siteZone, siteZone, ...ZONES], given.zone);
  const textOf = ({ kind, which }: Edge, beyond: string): string => {
    if (kind % 4 === 0) return beyond;
    const moment = at(moments, which) + at([0, 0, 1, -1, DAY, -DAY, 5 * DAY, -9 * DAY], which >> 8);
    const local = localText(moment, tz);
    return kind % 4 === 1 ? local : `${local.slice(0, 10)}T00:00:00`;
  };
  const [start = '', end = ''] = [textOf(given.start, YEAR.start), textOf(given.end, YEAR.end)].sort();
  return start < end && instantOf(start, tz) < instantOf(end, tz) ? { start, end, tz } : { ...YEAR, tz };
}

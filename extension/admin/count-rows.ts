// Owns the count of a site's rows as the page of sites shows it: by material, and in all.
// Tracking id in -> counts, or the sentence why there are none.
import type { Analytics } from '../analytics';
import { type RowCount, rowCounts } from '../storage/sites/list-sites';
import { countOf } from './count-of';

export interface CountedRows {
  /** Materials that have rows. */
  readonly counts: readonly RowCount[];
  /** How many there are in all, or that they could not be counted in time. */
  readonly message: string;
}

const COUNT_SECONDS = 60;

/** Counts the rows of a site; undefined when there is none of this name. */
export async function countRows(
  { host, manifest }: Analytics,
  trackingId: string,
  signal: AbortSignal,
): Promise<CountedRows | undefined> {
  const counted = await rowCounts(host.database.read, manifest, trackingId, {
    seconds: COUNT_SECONDS,
    signal,
  });
  if (counted === undefined) return undefined;
  if (counted === 'too-long') return { counts: [], message: `not counted in ${COUNT_SECONDS} seconds` };
  const counts = counted.filter(({ rows }) => rows > 0);
  const total = counts.reduce((sum, { rows }) => sum + rows, 0);
  return { counts, message: countOf(total, 'row') };
}

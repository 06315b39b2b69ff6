// Owns what the page of sites tells: each site with the span of its data, and how many rows there are of each material.
// The span is read from the ends of an index, at any size; rows are counted, which takes seconds where there are many.
import type { Knex } from 'knex';
import { type Patience, readWithin } from './read-within';

export interface SiteOverview {
  readonly trackingId: string;
  readonly domain: string;
  readonly name: string;
  readonly timezone: string;
  readonly isDefault: boolean;
  readonly goals: number;
  /** Access times of the first and the last page view; null without any. */
  readonly firstView: Date | null;
  readonly lastView: Date | null;
}

export interface RowCount {
  /** Name of a material, or `conversions`. */
  readonly material: string;
  readonly rows: number;
}

/** The tables that grow with the data, by material. */
const COUNTED: readonly (readonly [material: string, table: string])[] = [
  ['allpv', 'page_view'],
  ['click_event', 'click'],
  ['datalayer_event', 'event'],
  ['gsc', 'search_day'],
  ['page_version', 'page_version'],
  ['ga4_age_gender', 'ga4_age_gender'],
  ['ga4_country', 'ga4_country'],
  ['ga4_region', 'ga4_region'],
  ['conversions', 'conversion'],
];

/** The sites of these tracking ids, the default first, then by name. */
export async function siteOverview(
  read: Knex,
  trackingIds: 'all' | readonly string[],
): Promise<readonly SiteOverview[]> {
  const wanted = trackingIds === 'all' ? null : [...trackingIds];
  const answer: { rows: SiteOverview[] } = await read.raw(
    `SELECT s.tracking_id AS "trackingId", s.domain, s.name, s.timezone, s.is_default AS "isDefault",
            (SELECT count(*)::int FROM analytics.goal g WHERE g.site_id = s.site_id) AS goals,
            (SELECT min(v.at) FROM analytics.page_view v WHERE v.site_id = s.site_id) AS "firstView",
            (SELECT max(v.at) FROM analytics.page_view v WHERE v.site_id = s.site_id) AS "lastView"
       FROM analytics.site s
      WHERE ?::text[] IS NULL OR s.tracking_id = ANY(?::text[])
      ORDER BY s.is_default DESC, s.name, s.tracking_id`,
    [wanted, wanted],
  );
  return answer.rows;
}

/**
 * How many rows there are of a site, by material; `too-long` when counting takes longer than `seconds`, undefined for a
 * site that there is not.
 */
export async function rowCounts(
  read: Knex,
  trackingId: string,
  patience: Patience,
): Promise<readonly RowCount[] | 'too-long' | undefined> {
  const counts = COUNTED.map(
    ([material, table]) =>
      `(SELECT count(*) FROM analytics.${table} t WHERE t.site_id = s.site_id) AS ${material}`,
  );
  const counted = await readWithin(read, patience, (client) =>
    client.query<Record<string, number>>(
      `SELECT ${counts.join(', ')} FROM analytics.site s WHERE s.tracking_id = $1`,
      [trackingId],
    ),
  );
  if (counted === undefined) return 'too-long';
  const row = counted.rows[0];
  return row && COUNTED.map(([material]) => ({ material, rows: row[material] ?? 0 }));
}

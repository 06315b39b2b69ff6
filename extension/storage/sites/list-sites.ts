// Owns the reading of the sites that a user may see.
import type { Patience, ReadPool } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { analytics } from '../build-query';
import { readWithin } from '../read-within';

export interface Site {
  readonly siteId: number;
  readonly trackingId: string;
  readonly domain: string;
  readonly name: string;
  readonly timezone: string;
  readonly isDefault: boolean;
}

/** The user's sites: the default one first, then by name. */
export async function permittedSites(
  read: ReadPool,
  permitted: 'all' | readonly string[],
): Promise<readonly Site[]> {
  const sites = analytics('site')
    .select<Site[]>({
      siteId: 'site_id',
      trackingId: 'tracking_id',
      domain: 'domain',
      name: 'name',
      timezone: 'timezone',
      isDefault: 'is_default',
    })
    .orderBy([{ column: 'is_default', order: 'desc' }, 'name', 'tracking_id']);
  return read.select(permitted === 'all' ? sites : sites.whereIn('tracking_id', permitted));
}

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

/** The sites of these tracking ids, the default first, then by name. */
export async function siteOverview(
  read: ReadPool,
  trackingIds: 'all' | readonly string[],
): Promise<readonly SiteOverview[]> {
  return read.query({
    text: `SELECT s.tracking_id AS "trackingId", s.domain, s.name, s.timezone, s.is_default AS "isDefault",
            (SELECT count(*)::int FROM analytics.goal g WHERE g.site_id = s.site_id) AS goals,
            (SELECT min(v.at) FROM analytics.page_view v WHERE v.site_id = s.site_id) AS "firstView",
            (SELECT max(v.at) FROM analytics.page_view v WHERE v.site_id = s.site_id) AS "lastView"
       FROM analytics.site s
      WHERE $1::text[] IS NULL OR s.tracking_id = ANY($1::text[])
      ORDER BY s.is_default DESC, s.name, s.tracking_id`,
    values: [trackingIds === 'all' ? null : trackingIds],
  });
}

/**
 * Counts the rows of a site by material. Answers `too-long` if that takes longer than `patience`, and undefined if there
 * is no such site.
 */
export async function rowCounts(
  read: ReadPool,
  manifest: Manifest,
  trackingId: string,
  patience: Patience,
): Promise<readonly RowCount[] | 'too-long' | undefined> {
  const tables = countedTables(manifest);
  const counts = tables.map(
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
  return row && tables.map(([material]) => ({ material, rows: row[material] ?? 0 }));
}

/** Name -> table. The materials of a family are rows of another material, or conversions. */
function countedTables({
  materials,
  conversionTable,
}: Manifest): readonly (readonly [name: string, table: string])[] {
  const stored = [...materials.values()].flatMap(({ name, table, onePer }) =>
    table === undefined || onePer !== undefined ? [] : [[name, table] as const],
  );
  return [...stored, ['conversions', conversionTable]];
}

export interface CountedSite {
  readonly trackingId: string;
  readonly counted: boolean;
}

/** The sites that have page views, by tracking id. For each site the database looks for one row, by an index. */
export async function countedSites(read: ReadPool): Promise<readonly CountedSite[]> {
  return read.query({
    text: `SELECT s.tracking_id AS "trackingId", r.site_id IS NOT NULL AS counted
       FROM analytics.site s LEFT JOIN analytics.rollup_state r USING (site_id)
      WHERE EXISTS (SELECT FROM analytics.page_view v WHERE v.site_id = s.site_id)
      ORDER BY s.tracking_id`,
  });
}

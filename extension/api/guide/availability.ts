// How much data a site has in a material. Large row counts are the database's estimates, which may be off by a few percent.
import type { ReadPool } from '../../../host-shim/extension-api';
import type { Material } from '../../../manifests/reader/manifest';
import { analytics, rawSql } from '../../data/storage/build-query';
import { estimatedRows } from '../../data/storage/estimated-rows';
import type { Site } from '../../data/storage/sites/list-sites';
import { localDateOf } from '../../language/time/local-time';
import type { Availability } from './guide';

/** Counting up to this many rows takes a few milliseconds with an index. */
const COUNTED_ROWS = 10_000;

interface Extent {
  readonly site_id: number;
  readonly first: number | string | null;
  readonly last: number | string | null;
  readonly counted: number;
}

/** The result is keyed by site id and material; null if the site has no data in the material. */
export async function readAvailability(
  database: ReadPool,
  sites: readonly Site[],
  materials: readonly Material[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, Availability | null>>> {
  const found = await Promise.all(materials.map((material) => readExtents(database, sites, material)));
  return new Map(
    sites.map((site) => [
      site.siteId,
      new Map(materials.map((material, index) => [material.name, found[index]?.get(site.siteId) ?? null])),
    ]),
  );
}

async function readExtents(
  database: ReadPool,
  sites: readonly Site[],
  material: Material,
): Promise<ReadonlyMap<number, Availability | null>> {
  const { time, table } = material;
  if (time === undefined || table === undefined) return new Map();
  const isDay = time.grain === 'day';
  const ids = sites.map(({ siteId }) => siteId);
  const ofSite = () =>
    analytics(table).whereRaw('??.site_id = site_version.site_id', [table]).whereIn(`${table}.site_id`, ids);
  const edge = (which: 'min' | 'max') =>
    ofSite().select(rawSql(isDay ? `${which}(??)::text` : `extract(epoch from ${which}(??))`, [time.field]));
  const some = ofSite().select(rawSql('1')).limit(COUNTED_ROWS);
  const extents: readonly Extent[] = await database.select(
    analytics('site_version')
      .whereIn('site_id', ids)
      .select({
        site_id: 'site_id',
        first: edge('min'),
        last: edge('max'),
        counted: analytics(some.as('some')).count('*'),
      }),
  );
  const zones = new Map(sites.map(({ siteId, timezone }) => [siteId, timezone]));
  const entries = extents.map(async (extent) => {
    const timezone = zones.get(extent.site_id) ?? 'UTC';
    return [extent.site_id, await available(database, table, extent, timezone)] as const;
  });
  return new Map(await Promise.all(entries));
}

async function available(
  database: ReadPool,
  table: string,
  { site_id, first, last, counted }: Extent,
  timezone: string,
): Promise<Availability | null> {
  if (first === null || last === null) return null;
  const all = analytics(table).select(rawSql('1')).where('site_id', site_id);
  const rows = counted < COUNTED_ROWS ? counted : Math.max(COUNTED_ROWS, await estimatedRows(database, all));
  const dayOf = (edge: number | string) => (typeof edge === 'string' ? edge : localDateOf(edge, timezone));
  return { rows, firstDay: dayOf(first), lastDay: dayOf(last) };
}

// How much data there is of a material on a site: its days, and a number of rows that costs next to nothing.
// Few rows are counted; for many it is the database's own estimate, which may be off by a few percent.

import type { ReadPool } from '../../../host-shim/extension-api';
import type { Material } from '../../../manifests/reader/manifest';
import { analytics, rawSql } from '../../data/storage/build-query';
import { estimatedRows } from '../../data/storage/estimated-rows';
import type { Site } from '../../data/storage/sites/list-sites';
import { localDateOf } from '../../language/time/local-time';
import type { Availability } from './guide';

/** Site id -> material -> its data, null without any. */
type AvailableMaterials = ReadonlyMap<number, ReadonlyMap<string, Availability | null>>;

/** Up to here rows are counted one by one, which takes an index some milliseconds. */
const COUNTED_ROWS = 10_000;

interface Extent {
  readonly site_id: number;
  /** Epoch seconds of an instant, or the day as text. */
  readonly first: number | string | null;
  readonly last: number | string | null;
  /** At most COUNTED_ROWS. */
  readonly counted: number;
}

/** The data of each material on each site. */
export async function readAvailability(
  database: ReadPool,
  sites: readonly Site[],
  materials: readonly Material[],
): Promise<AvailableMaterials> {
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
  const edge = (which: 'min' | 'max') =>
    analytics(table)
      .whereRaw('??.site_id = site.site_id', [table])
      .select(rawSql(isDay ? `${which}(??)::text` : `extract(epoch from ${which}(??))`, [time.field]));
  const some = analytics(table)
    .whereRaw('??.site_id = site.site_id', [table])
    .select(rawSql('1'))
    .limit(COUNTED_ROWS);
  const extents: readonly Extent[] = await database.select(
    analytics('site')
      .whereIn(
        'site_id',
        sites.map(({ siteId }) => siteId),
      )
      .select({
        site_id: 'site_id',
        first: edge('min'),
        last: edge('max'),
        counted: analytics(some.as('some')).count('*'),
      }),
  );
  const entries = extents.map(async (extent) => {
    const timezone = sites.find((site) => site.siteId === extent.site_id)?.timezone ?? 'UTC';
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
  const rows =
    counted < COUNTED_ROWS
      ? counted
      : Math.max(COUNTED_ROWS, await estimatedRows(database, rowsOf(table, site_id)));
  const dayOf = (edge: number | string) => (typeof edge === 'string' ? edge : localDateOf(edge, timezone));
  return { rows, firstDay: dayOf(first), lastDay: dayOf(last) };
}

const rowsOf = (table: string, siteId: number) =>
  analytics(table).select(rawSql('1')).where('site_id', siteId);

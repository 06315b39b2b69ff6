// Which materials have no row at all on some sites.
import type { ReadPool } from '../../host-shim/extension-api';
import type { Material } from '../../manifests/reader/manifest';
import { analytics, rawSql } from './build-query';

/** The names of those among the materials; one index look-up for each. A material without a table always has rows. */
export async function materialsWithoutRows(
  read: ReadPool,
  siteIds: readonly number[],
  materials: readonly Material[],
): Promise<ReadonlySet<string>> {
  const empty = materials.map(async ({ name, table }) => {
    if (table === undefined) return [];
    const first = analytics(table).select(rawSql('1')).whereIn('site_id', siteIds).limit(1);
    return (await read.select(first)).length === 0 ? [name] : [];
  });
  return new Set((await Promise.all(empty)).flat());
}

// Flags that are bits in a page's type, such as is_cart.
import type { ReadPool } from '../../../host-shim/extension-api';
import type { Column, Manifest } from '../../../manifests/reader/manifest';
import { readWithin } from './read-within';

/** Reading takes this long only if the table is locked. */
const PATIENCE_SECONDS = 1;

export type PageFlags = ReadonlyMap<string, boolean>;

const isPageFlag = ({ bit, field }: Pick<Column, 'bit' | 'field'>): boolean =>
  bit !== undefined && field === 'page_type';

/** For each site and flag, whether at least one page has the flag. Empty if reading the pages takes too long. */
export async function pageFlags(
  read: ReadPool,
  siteIds: readonly number[],
  { materials }: Manifest,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, PageFlags>> {
  const flags = [...(materials.get('allpv')?.columns.values() ?? [])].filter(isPageFlag);
  const found = await readWithin(read, { seconds: PATIENCE_SECONDS, signal }, (client) =>
    client.query<{ site_id: number; types: number }>(
      `SELECT v.site_id, coalesce(bit_or(p.page_type), 0) AS types
         FROM analytics.site_version v LEFT JOIN analytics.page p ON p.site_id = v.site_id AND p.site_id = ANY($1)
        WHERE v.site_id = ANY($1) GROUP BY v.site_id`,
      [siteIds],
    ),
  );
  return new Map(
    found?.rows.map(({ site_id, types }) => [
      site_id,
      new Map(flags.map(({ name, bit = 0 }) => [name, ((types >> bit) & 1) === 1])),
    ]),
  );
}

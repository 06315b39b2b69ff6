import { importRows } from '../../../extension/data/import/import-rows';
import { pageFlags } from '../../../extension/data/storage/page-flags';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../../manifests/reader/manifest';
import { useTestDatabase } from '../../support/use-database';

const manifest = loadManifest();
const database = useTestDatabase();

test("finds the flags that are set on a site's pages", async () => {
  const sites = ['shop', 'blog'].map((name) => ({
    tracking_id: name,
    domain: `${name}.example`,
    name,
    timezone: 'UTC',
  }));
  await applySites(database.write, { sites });
  const rows = [
    { pv_id: 1, url: '/cart', page_type: 2 ** 9 },
    { pv_id: 2, url: '/thanks', page_type: 2 ** 12 + 1 },
    { pv_id: 3, url: '/' },
  ].map((row) => ({ ...row, session_id: 1, access_time: '2026-05-01T00:00:00Z' }));
  await importRows(database.write, manifest, { material: 'allpv', site: 'shop', rows });
  const { signal } = new AbortController();
  const [shop, blog] = [...(await pageFlags(database.read, [1, 2], manifest, signal)).values()];
  const named = (flags = new Map<string, boolean>()) =>
    [...flags].filter(([, has]) => has).map(([name]) => name);
  expect(named(new Map(shop))).toEqual(['is_article', 'is_cart', 'is_thanks']);
  expect([blog?.size, blog?.get('is_landing'), named(new Map(blog))]).toEqual([20, false, []]);
});

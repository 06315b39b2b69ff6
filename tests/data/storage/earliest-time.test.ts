// Local times in the columnar copy are seconds since 1970, and must not be negative in any time zone.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../../manifests/reader/manifest';
import { useTestDatabase } from '../../support/use-database';

const manifest = loadManifest();
const database = useTestDatabase();

test('SQL cannot store page views, clicks or events before 2 January 1970', async () => {
  const site = { tracking_id: 'shop', domain: 'shop.example', name: 'shop', timezone: 'UTC' };
  await applySites(database.write, { sites: [site] });
  const at = { pv_id: 1, access_time: '2026-05-01T00:00:00Z' };
  const rows = {
    allpv: { ...at, session_id: 1, url: '/' },
    click_event: { pv_id: 1, event_sec: 0, selector: 'a' },
    datalayer_event: { ...at, event_name: 'purchase' },
  };
  for (const [material, row] of Object.entries(rows))
    await importRows(database.write, manifest, { material, site: 'shop', rows: [row] });
  for (const table of ['page_view', 'click', 'event']) {
    const move = (time: string) => database.write.raw(`UPDATE analytics.${table} SET at = ?`, [time]);
    await expect(move('1970-01-01T23:59:59Z')).rejects.toThrow(`${table}_at_check`);
    expect(await move('1970-01-02T00:00:00Z')).toMatchObject({ rowCount: 1 });
  }
});

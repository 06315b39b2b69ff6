// Local times in the columnar copy are seconds since 1970, and must not be negative in any time zone.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { loadManifest } from '../../../manifests/reader/manifest';
import { useTestDatabase } from '../../support/use-database';

const manifest = loadManifest();
const database = useTestDatabase();

const load = (material: string, row: object) =>
  importRows(database.write, manifest, { material, site: 'shop', rows: [row] });
const AT = { pv_id: 1, access_time: '2026-05-01T00:00:00Z' };
const VIEW = { ...AT, session_id: 1, url: '/' };
const CLICK = { pv_id: 1, event_sec: 0, selector: 'a' };

beforeAll(async () => {
  const site = { tracking_id: 'shop', domain: 'shop.example', name: 'shop', timezone: 'UTC' };
  await applySites(database.write, { sites: [site] });
  await load('allpv', VIEW);
});

test('SQL cannot store page views, clicks or events before 2 January 1970', async () => {
  await load('click_event', CLICK);
  await load('datalayer_event', { ...AT, event_name: 'purchase' });
  for (const table of ['page_view', 'click', 'event']) {
    const move = (time: string) => database.write.raw(`UPDATE analytics.${table} SET at = ?`, [time]);
    await expect(move('1970-01-01T23:59:59Z')).rejects.toThrow(`${table}_at_check`);
    expect(await move('1970-01-02T00:00:00Z')).toMatchObject({ rowCount: 1 });
  }
});

test('a click on a page view that an old version stored before then is rejected', async () => {
  await database.write.raw('ALTER TABLE analytics.page_view DROP CONSTRAINT page_view_at_check');
  await database.write.raw("UPDATE analytics.page_view SET at = '1970-01-01T23:00:00Z'");
  await database.write.raw(
    "ALTER TABLE analytics.page_view ADD CONSTRAINT page_view_at_check CHECK (at >= '1970-01-02') NOT VALID",
  );
  await expect(load('click_event', { ...CLICK, event_sec: 3_599 })).rejects.toThrow(
    'Line 1, column pv_id, value 1: is a page view from before 1970-01-02; correct its time first',
  );
  expect(await load('click_event', { ...CLICK, event_sec: 3_600 })).toMatchObject({ added: 1 });
  await load('allpv', VIEW);
  expect(await load('click_event', { ...CLICK, event_sec: 3_599 })).toMatchObject({ added: 1 });
});

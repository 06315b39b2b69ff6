// The data for the sites page.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { siteOverview } from '../../../extension/data/storage/sites/list-sites';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { loadManifest } from '../../../manifests/reader/manifest';
import { useTestDatabase } from '../../support/use-database';

const manifest = loadManifest();
const AT = 1_770_000_000;

const database = useTestDatabase();
beforeAll(async () => {
  const site = { domain: 'a.example', timezone: 'UTC' };
  const goal = { id: 1, name: 'All', type: 'url_match', condition: 'a.example' };
  await applySites(database.write, {
    sites: [
      { ...site, tracking_id: 'empty', name: 'A', timezone: 'Asia/Tokyo' },
      { ...site, tracking_id: 'full', name: 'B', default: true, goals: [goal] },
      { ...site, tracking_id: 'other', name: 'C' },
    ],
  });
  const load = (material: string, rows: readonly object[], name = 'full') =>
    importRows(database.write, manifest, { material, site: name, rows });
  const view = (pv_id: number) => ({
    pv_id,
    session_id: 1,
    url: 'https://a.example/',
    access_time: AT + pv_id,
  });
  await load('allpv', [view(1), view(500), view(20)]);
  await load('allpv', [view(7)], 'other');
});

test('lists each site with its first and last access time, the default first', async () => {
  const overview = await siteOverview(database.read, 'all', NO_WORKERS);
  expect(overview.map((site) => site.trackingId)).toEqual(['full', 'empty', 'other']);
  expect(overview[0]).toEqual({
    siteId: expect.any(Number),
    isAway: false,
    trackingId: 'full',
    domain: 'a.example',
    name: 'B',
    timezone: 'UTC',
    isDefault: true,
    retentionDays: null,
    goals: 1,
    firstView: new Date((AT + 1) * 1000),
    lastView: new Date((AT + 500) * 1000),
  });
  expect(overview[1]).toMatchObject({ timezone: 'Asia/Tokyo', goals: 0, firstView: null, lastView: null });
});

test('lists only the requested sites', async () => {
  const ids = async (wanted: readonly string[]) =>
    (await siteOverview(database.read, wanted, NO_WORKERS)).map((site) => site.trackingId);
  expect(await ids(['other', 'nowhere'])).toEqual(['other']);
  expect(await ids([])).toEqual([]);
});

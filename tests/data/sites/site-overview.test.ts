// The data for the sites page: the time span and exact row counts.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { rowCounts, siteOverview } from '../../../extension/data/storage/sites/list-sites';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { loadManifest } from '../../../manifests/reader/manifest';
import { useTestDatabase } from '../../support/use-database';

const manifest = loadManifest();
const PATIENCE = { seconds: 30, signal: new AbortController().signal };
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
  await load('click_event', [
    { pv_id: 1, event_sec: 1, selector: 'a' },
    { pv_id: 1, event_sec: 2, selector: 'a' },
  ]);
  await load('datalayer_event', [{ pv_id: 1, access_time: AT, event_name: 'e', params: {} }]);
  await load('ga4_country', [{ date: '2026-01-01', country_code: 'JP', sessions: 1, active_users: 1 }]);
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

test('every material with its own table is counted, even if the table is empty', async () => {
  const counted = await rowCounts(database.read, manifest, 'empty', PATIENCE);
  const names = Array.isArray(counted) ? counted.map(({ material }) => material) : [];
  // The rows of a material family are those of another material, or conversions.
  const stored = [...manifest.materials.values()].filter(
    ({ table, onePer }) => table !== undefined && onePer === undefined,
  );
  expect(names.sort()).toEqual(stored.map(({ name }) => name).sort());
});

test('lists only the requested sites', async () => {
  const ids = async (wanted: readonly string[]) =>
    (await siteOverview(database.read, wanted, NO_WORKERS)).map((site) => site.trackingId);
  expect(await ids(['other', 'nowhere'])).toEqual(['other']);
  expect(await ids([])).toEqual([]);
});

test("counts one site's rows by material", async () => {
  const counts = await rowCounts(database.read, manifest, 'full', PATIENCE);
  expect(counts).toEqual([
    { material: 'allpv', rows: 3 },
    { material: 'click_event', rows: 2 },
    { material: 'datalayer_event', rows: 1 },
    { material: 'gsc', rows: 0 },
    { material: 'page_version', rows: 0 },
    { material: 'ga4_age_gender', rows: 0 },
    { material: 'ga4_country', rows: 1 },
    { material: 'ga4_region', rows: 0 },
  ]);
  expect(await rowCounts(database.read, manifest, 'nowhere', PATIENCE)).toBeUndefined();
});

test('a count that takes too long is reported', async () => {
  await database.write.transaction(async (trx) => {
    await trx.raw('LOCK TABLE analytics.click IN ACCESS EXCLUSIVE MODE');
    expect(await rowCounts(database.read, manifest, 'full', { ...PATIENCE, seconds: 0.1 })).toBe('too-long');
  });
});

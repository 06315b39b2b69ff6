// The amount of stored data is measured once a day. The forecast for the disk is based on its growth.
import { dailyGrowth } from '../../../extension/api/growth';
import { importRows } from '../../../extension/data/import/import-rows';
import { measureStored, readGrowth, readStored } from '../../../extension/data/storage/stored-sizes';
import { isDividedHere } from '../../support/divided-database';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite } from '../import/import-setup';

const database = useTestDatabase();

const measure = (day: string) =>
  measureStored({ write: database.write, manifest, clock: () => new Date(`${day}T12:00:00Z`) });
const load = (site: string, material: string, rows: readonly object[]) =>
  importRows(database.write, manifest, { material, site, rows });
const views = (day: string, count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => ({
    pv_id: first + index + 1,
    url: `https://example.com/${index % 7}`,
    access_time: `${day}T00:00:00Z`,
  }));

// conformance: beyond.stored-by-month
test('rows and bytes are measured once a day, by dataset, site and month', async () => {
  const [one, other] = [await newSite(database.write), await newSite(database.write)];
  await load(one, 'allpv', [...views('2026-04-30', 2), ...views('2026-05-01', 3, 10)]);
  await load(one, 'ga4_country', [{ date: '2026-05-01', country_code: 'DE', sessions: 1, active_users: 1 }]);
  await load(other, 'allpv', views('2026-05-31', 5));
  await measure('2026-06-01');
  const stored = await readStored(database.read, 'all');
  expect(stored.map(({ bytes, ...rest }) => rest)).toEqual([
    { trackingId: one, material: 'allpv', month: '2026-04-01', rows: 2 },
    { trackingId: one, material: 'allpv', month: '2026-05-01', rows: 3 },
    { trackingId: one, material: 'ga4_country', month: '2026-05-01', rows: 1 },
    { trackingId: other, material: 'allpv', month: '2026-05-01', rows: 5 },
  ]);
  const size = isDividedHere ? 'citus_total_relation_size' : 'pg_total_relation_size';
  const { rows } = await database.write.raw(`SELECT ${size}('analytics.page_view')::float8 AS bytes`);
  const viewSizes = stored.filter(({ material }) => material === 'allpv');
  expect(viewSizes.reduce((sum, { bytes }) => sum + bytes, 0)).toBeCloseTo(rows[0].bytes, -1);
  expect(viewSizes[0]?.bytes).toBe(Math.round((rows[0].bytes * 2) / 10));
  expect(await readStored(database.read, [other])).toHaveLength(1);

  await load(other, 'allpv', views('2026-05-31', 1, 50));
  await measure('2026-06-01');
  expect(await readStored(database.read, [other])).toMatchObject([{ rows: 5 }]);
  // Simulates a measurement while the clock was wrong.
  await database
    .write('analytics.stored_day')
    .insert({ site_id: 1, day: '2031-01-01', bytes: 1, row_count: 1 });
  await measure('2026-06-02');
  expect(await database.write('analytics.stored_day').where('day', '>', '2026-06-02')).toEqual([]);
  expect(await readStored(database.read, [other])).toMatchObject([{ rows: 6 }]);
});

// conformance: beyond.stored-by-month
test("growth is summed over sites from each site's first measurement, and a forecast requires a week of measurements", async () => {
  await database.write('analytics.stored_day').delete();
  const ids = await database.write('analytics.site').orderBy('site_id').pluck('site_id');
  const set = (site_id: number, day: string, bytes: number, row_count = bytes / 10) =>
    database.write('analytics.stored_day').insert({ site_id, day, bytes, row_count });
  await set(ids[0], '2026-06-01', 1000);
  await set(ids[0], '2026-06-07', 1600);
  expect(await readGrowth(database.read)).toEqual({ bytes: 1600, bytesPerDay: undefined });
  expect(await dailyGrowth(database, undefined, true)).toBeNull();
  await set(ids[0], '2026-06-11', 2000);
  // A site that was added yesterday with years of data.
  await set(ids[1], '2026-06-10', 500_000);
  await set(ids[1], '2026-06-11', 500_010);
  expect(await readGrowth(database.read)).toEqual({ bytes: 502_010, bytesPerDay: 110 });
  const { rows } = await database.write.raw(
    `SELECT sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass))::float8 AS bytes
       FROM pg_tables WHERE schemaname = 'analytics'`,
  );
  const perDay = await dailyGrowth(database, undefined, true);
  expect((perDay ?? 0) / ((110 * rows[0].bytes) / 502_010)).toBeCloseTo(1, 2);
  // Another site was removed. The space that it left in the table is attributed to the remaining rows.
  await set(ids[0], '2026-06-12', 4000, 200);
  expect((await readGrowth(database.read)).bytesPerDay).toBeCloseTo(2000 / 11 + 10, 5);
  // A database on another machine does not use this disk.
  expect(await dailyGrowth(database, undefined, false)).toBe(0);
});

// Old rows of datasets without visitors, and old records, are removed if a setting limits their age.
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { retentions } from '../../../extension/api/retentions';
import { importRows } from '../../../extension/data/import/import-rows';
import { listRemovals, removalInWords } from '../../../extension/data/removal/removal-record';
import { noteRejectedFile } from '../../../extension/data/removal/visitor-files';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { createMemoryLog } from '../../support/memory-log';
import { SETTINGS } from '../../support/test-host';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { manifest, newSite, row } from '../import/import-setup';
import { siteContents } from '../import/site-contents';

const database = useTestDatabase();
const NOW = new Date('2026-06-11T12:00:00Z');

const dataDir = useFolder({ perFile: true });

const load = (site: string, material: string, rows: readonly object[]) =>
  importRows(database.write, manifest, { material, site, rows, clock: () => NOW });

async function runRound(
  settings: Partial<typeof SETTINGS>,
  rowsAtOnce = 1_000_000,
  now = NOW,
): Promise<void> {
  const { write } = database;
  const { log } = createMemoryLog();
  const options = { write, manifest, log, clock: () => now, rowsAtOnce, dataDir };
  for (const { run } of retentions(options, { ...SETTINGS, ...settings }))
    await run(now, new AbortController().signal);
}

const search = (date: string, keyword = 'tea') => ({
  date,
  url: 'https://example.com/1',
  keyword,
  search_type: 'web',
  clicks: 1,
  impressions: 10,
  position: 1,
});
const country = (date: string) => ({ date, country_code: 'DE', sessions: 1, active_users: 1 });
const version = (version_id: number, version_no: number, update_date: string) => ({
  version_id,
  url: 'https://example.com/1',
  device_type: 'PC',
  version_no,
  update_date,
});

// conformance: beyond.datasets-kept-days
test('only rows from old days are removed, as if they had never been imported, and the removal is recorded', async () => {
  const [site, expected, untouched] = [
    await newSite(database.write),
    await newSite(database.write),
    await newSite(database.write),
  ];
  const days = ['2026-05-29', '2026-05-30', '2026-05-31'];
  const rows = days.flatMap((day) => [search(day), search(day, `only ${day}`)]);
  for (const one of [site, untouched]) {
    await load(one, 'gsc', rows);
    await load(one, 'ga4_country', ['2026-04-01', '2026-05-01', '2026-06-01'].map(country));
  }
  await load(expected, 'gsc', rows.slice(4));
  // A month is old once its last day is.
  await load(expected, 'ga4_country', ['2026-05-01', '2026-06-01'].map(country));
  await database.write('analytics.site').where({ tracking_id: untouched }).update({ timezone: 'UTC' });
  await runRound({});
  expect(await siteContents(database.write, site)).toEqual(await siteContents(database.write, untouched));
  // At most two rows are removed at once, so each removal covers one day.
  await runRound({ gscDays: 11, ga4Days: 40 }, 2);
  expect(await siteContents(database.write, site)).toEqual(await siteContents(database.write, expected));
  const removals = (await listRemovals(database.read, [site], 9)).map((one) => [
    one.login,
    removalInWords(one),
    one.removed,
  ]);
  expect(removals).toEqual([
    ['server', 'ga4_country through 2026-05-01, past retention', { ga4_country: 1 }],
    ['server', 'gsc through 2026-05-30, past retention', { gsc: 2 }],
    ['server', 'gsc through 2026-05-29, past retention', { gsc: 2 }],
  ]);
});

test('rows on a machine that does not respond are kept until the next round', async () => {
  const [away, here] = [await newSite(database.write), await newSite(database.write)];
  for (const site of [away, here]) await load(site, 'gsc', [search('2026-05-01')]);
  const { write } = database;
  const [{ site_id: awayId }] = await write('analytics.site').where({ tracking_id: away });
  const { log, logged } = createMemoryLog();
  const workers = { ...NO_WORKERS, isAway: (siteId: number) => siteId === awayId };
  const options = { write, manifest, log, clock: () => NOW, dataDir, workers };
  for (const { run } of retentions(options, { ...SETTINGS, gscDays: 11 }))
    await run(NOW, new AbortController().signal);
  expect(logged.filter(({ level }) => level !== 30)).toEqual([]);
  expect((await siteContents(write, away)).search_day).toHaveLength(1);
  expect((await siteContents(write, here)).search_day).toEqual([]);
});

// conformance: beyond.datasets-kept-days
test('a page version is removed when its successor is too old; the current version is never removed', async () => {
  const site = await newSite(database.write);
  const versions = [version(1, 1, '2024-01-01'), version(2, 2, '2025-01-01'), version(3, 3, '2026-06-01')];
  await load(site, 'page_version', versions);
  await runRound({ pageVersionDays: 30 });
  const { page_version: left } = await siteContents(database.write, site);
  expect(left?.map(({ version_no }) => version_no)).toEqual([2, 3]);
});

// conformance: beyond.datasets-kept-days
test('old import records and rejected rows are removed unless they are still needed', async () => {
  const site = await newSite(database.write);
  await load(site, 'allpv', [row(1, { pv_id: 1 })]);
  const { importId: waits } = await load(site, 'click_event', [{ pv_id: 9, event_sec: 1, selector: '#a' }]);
  const { importId: unneeded } = await load(site, 'allpv', [row(2, { pv_id: 2 })]);
  const { importId: last } = await load(site, 'allpv', [row(3, { pv_id: 3 })]);
  const runs = () =>
    database
      .write('analytics.import_run')
      .whereIn('import_id', [waits, unneeded, last].map(Number))
      .orderBy('import_id');
  const rejections = () =>
    database.write('analytics.import_rejection').where({ import_id: last }).pluck('line');
  await database.write('analytics.import_rejection').insert({ import_id: last, line: 1, reason: 'wrong' });
  const folder = join(dataDir, 'rejected');
  await mkdir(folder);
  const noted = () => database.write('analytics.rejected_file').orderBy('path').pluck('path');
  for (const name of ['old', 'new']) {
    await writeFile(join(folder, name), '{}\n');
    await noteRejectedFile(database.write, site, join(folder, name), NOW);
  }
  await mkdir(join(folder, 'a folder'));
  for (const name of ['old', 'a folder'])
    await utimes(join(folder, name), new Date('2026-01-01'), new Date('2026-01-01'));
  await utimes(join(folder, 'new'), NOW, NOW);

  await runRound({});
  expect(await noted()).toEqual([join(folder, 'new')]);
  expect([await runs().pluck('import_id'), await rejections(), await readdir(folder)]).toEqual([
    [waits, unneeded, last],
    [1],
    ['a folder', 'new'],
  ]);
  const later = new Date('2029-06-11');
  await runRound({}, 9, later);
  expect([await runs().pluck('import_id'), await rejections(), await readdir(folder)]).toEqual([
    [waits, unneeded, last],
    [],
    ['a folder'],
  ]);
  await runs().update({ can_undo: false });
  await runRound({}, 9, later);
  expect(await runs().pluck('import_id')).toEqual([waits, last]);
});

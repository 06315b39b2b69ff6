// The record of imports: their list, and the rejected rows as people read them.
import { Readable } from 'node:stream';
import { type ImportOptions, importFile } from '../../extension/import/import-file';
import { importOf, listImports } from '../../extension/import/import-record';
import { useTestDatabase } from '../support/use-database';
import { manifest, newSite, row, TINY } from './import-setup';

const database = useTestDatabase();

const load = (site: string, lines: readonly (object | string)[], more: Partial<ImportOptions> = {}) => {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return importFile({
    write: database.write,
    manifest,
    material: 'allpv',
    site,
    source: 'views.ndjson',
    format: 'ndjson',
    input: Readable.from([Buffer.from(text)]),
    onError: 'skip',
    clock: () => new Date('2026-05-01T10:00:00Z'),
    ...more,
  });
};

const newest = async (site: string) => {
  const found = (await listImports(database.read, { sites: [site] })).imports[0];
  return found && importOf(database.read, found.importId);
};

test('each rejected row is recorded with line, column, shown value and reason', async () => {
  const site = await newSite(database.write);
  await load(site, [
    row(1),
    'not json <script>',
    row(2, { pv: 0 }),
    row(3, { access_time: null }),
    row(4, { device_type: 'x'.repeat(500) }),
    row(5, { url: { deep: [] } }),
  ]);
  const stored = await newest(site);
  expect(stored).toMatchObject({ read: 6, added: 1, rejected: 5, source: 'views.ndjson', material: 'allpv' });
  expect(stored?.rejections.map(({ line, column, value }) => [line, column, value])).toEqual([
    [2, null, '"not json <script>"'],
    [3, 'pv', '0'],
    [4, 'access_time', null],
    [5, 'device_type', `"${'x'.repeat(116)}...`],
    [6, 'url', '{...}'],
  ]);
  expect(stored?.rejections[1]?.reason).toBe('must be at least 1');
});

test('characters that the database cannot store are replaced', async () => {
  const site = await newSite(database.write);
  const emoji = `${'x'.repeat(115)}😀😀`;
  await load(site, [
    row(1, { ['a\0b'.repeat(200)]: 1 }),
    row(2, { device_type: 'a\0\ud800' }),
    row(3, { device_type: emoji }),
    '\0',
  ]);
  const rejections = (await newest(site))?.rejections ?? [];
  expect(rejections).toHaveLength(4);
  expect(rejections[0]?.column).toMatch(/^a\\u0000b.*\.\.\.$/);
  expect(rejections[1]?.value).toBe('"a\\u0000\\ud800"');
  expect(rejections[2]?.value).toBe(`"${'x'.repeat(115)}\ufffd...`);
  expect(rejections[3]?.reason).toContain('is not JSON');
});

test('the first 1000 are recorded, and all are counted', async () => {
  const site = await newSite(database.write);
  const bad = Array.from({ length: 1005 }, (_, place) => row(place, { pv: 0 }));
  const told: number[] = [];
  await load(site, [...bad, row(2000)], { onRejected: ({ line }) => void told.push(line) });
  const stored = await newest(site);
  expect(told).toHaveLength(1005);
  expect(stored).toMatchObject({ rejected: 1005, added: 1 });
  expect(stored?.rejections).toHaveLength(1000);
  expect(stored?.rejections.at(-1)?.line).toBe(1000);
});

test('rows that only the database can reject are recorded too, in the order of the file', async () => {
  const site = await newSite(database.write);
  await load(site, [row(1, { pv_id: 1 })]);
  const clicks = Array.from({ length: 12 }, (_, place) => ({
    pv_id: place % 3 === 0 ? 999 : 1,
    event_sec: place % 4 === 1 ? -1 : place,
    selector: 'a',
  }));
  await load(site, clicks, { material: 'click_event', limits: TINY });
  const lines = (await newest(site))?.rejections.map((one) => one.line);
  expect(lines).toEqual([1, 2, 4, 6, 7, 10]);
});

test('an import that stops leaves no record', async () => {
  const site = await newSite(database.write);
  await expect(load(site, [row(1), row(2, { pv: 0 })], { onError: 'stop' })).rejects.toThrow('Line 2');
  expect(await listImports(database.read, { sites: [site] })).toEqual({ imports: [], older: null });
});

test('imports are listed newest first, of one site or all, page by page', async () => {
  const site = await newSite(database.write);
  const other = await newSite(database.write);
  await load(site, [row(0)], { source: 'file 0' });
  // Records like the one that an import has just left, without the work of 49 imports.
  await database.write.raw(
    `INSERT INTO analytics.import_run
       (site_id, material, source, started_at, finished_at, rows_read, rows_added, rows_unchanged, rows_rejected)
     SELECT site_id, material, 'file ' || place, started_at, finished_at, rows_read, rows_added, rows_unchanged,
       rows_rejected
     FROM analytics.import_run, generate_series(1, 49) AS place
     WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)
     ORDER BY place`,
    [site],
  );
  await load(site, [row(50)], { source: 'file 50' });
  await load(other, [row(1)]);
  const all = await listImports(database.read, {});
  expect(all.imports[0]).toMatchObject({ trackingId: other, seconds: 0, read: 1, updated: 0, unchanged: 0 });
  expect(all.imports[0]?.startedAt).toEqual(new Date('2026-05-01T10:00:00Z'));
  const first = await listImports(database.read, { sites: [site] });
  expect(first.imports).toHaveLength(50);
  expect(first.imports[0]?.source).toBe('file 50');
  const rest = await listImports(database.read, { sites: [site], before: first.older ?? 0 });
  expect(rest.imports.map((one) => one.source)).toEqual(['file 0']);
  expect(rest.older).toBeNull();
});

test('an unknown import', async () => {
  expect(await importOf(database.read, 2_000_000_000)).toBeUndefined();
});

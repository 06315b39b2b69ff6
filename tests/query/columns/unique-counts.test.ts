// The stored counts of page views and distinct values reflect every change to the rows, and queries use them.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { readDocument } from '../../../extension/language/parse/read-document';
import { uniqueCountsTable } from '../../../extension/language/types/unique-counts';
import { openColumnFile } from '../../../extension/query/columns/column-file';
import { openCounts } from '../../../extension/query/columns/open-counts';
import { countsTables, createCounts } from '../../../extension/query/columns/unique-counts';
import { createContext, manifest } from '../../language/query-setup';
import { countingOnlyBy, openTestColumns, readCopy, type TestColumns } from '../../support/columns';
import { IS_LONG_RUN } from '../../support/long-run';
import { createMemoryLog } from '../../support/memory-log';
import { expectSameAnswer } from '../../support/run-whole';
import { throwawayFolder } from '../../support/throwaway-postgres';
import { useTestDatabase } from '../../support/use-database';

const DAY = 86_400;
const FIRST = Date.parse('2025-01-01T00:00:00Z') / 1000;

const database = useTestDatabase();
let columns: TestColumns;
/** A key whose ids all sites share, and one whose ids are specific to a site. */
const COUNTING = { isCounted: true, manifest: countingOnlyBy('country_id', 'page_id') };
beforeAll(async () => {
  await applySites(database.write, {
    sites: ['a', 'b'].map((name) => ({
      tracking_id: name,
      domain: `${name}.example`,
      name,
      timezone: 'Europe/Berlin',
    })),
  });
  // The visitors return after weeks, over more days than are counted at once.
  await load('a', 0, 110);
  await load('b', 60, 75);
  columns = await openTestColumns(database, { smallSiteRows: 0, ...COUNTING });
});
afterAll(() => columns.stop());

const load = (site: string, from: number, to: number) =>
  importRows(database.write, manifest, {
    material: 'allpv',
    site,
    rows: Array.from({ length: to - from }, (_, index) => view(from + index)),
  });

const view = (day: number) => ({
  pv_id: day + 101,
  session_id: 101 + (day >> 1),
  pv: 1,
  is_last: 1,
  is_newuser: 0,
  access_time: new Date((FIRST + day * DAY + ((day * 7919) % DAY)) * 1000).toISOString(),
  reader_id: 101 + ((day * 17) % 61),
  url: `/${Math.abs(day) % 7}`,
  title: 'T',
  country_code: [undefined, 'JP', 'DE'][Math.abs(day) % 3],
});

test('the sizes of dimensions are known', () => {
  expect(columns.dimensionRows('page')).toBe(7 + 7);
  expect(columns.dimensionRows('none')).toBe(Number.POSITIVE_INFINITY);
});

const CALC = {
  n: 'COUNT(allpv.pv_id)',
  s: 'COUNTUNIQUE(allpv.session_id)',
  r: 'COUNTUNIQUE(allpv.reader_id)',
};
const query = (keep: readonly string[], start: string, end: string, site: string) => ({
  tracking_id: site,
  materials: [{ name: 'allpv' }],
  result: { use: 'v' },
  time: { start, end, tz: 'Europe/Berlin' },
  make: { v: { from: ['allpv'], keep: keep.map((name) => `allpv.${name}`), calc: CALC } },
});

/** Counts the visitors with at least two visits. */
function repeatedQuery(start: string, end: string, site: string) {
  const { make, ...rest } = query(['reader_id'], start, end, site);
  const filter = { visits: { gte: 2 } };
  const counted = { from: ['visitors'], filter, keep: [], calc: { n: 'COUNT(visitors.reader_id)' } };
  return { ...rest, make: { visitors: { ...make.v, calc: { visits: CALC.s } }, v: counted } };
}

const ALL_DAYS = ['2024-01-01T00:00:00', '2027-01-01T00:00:00'] as const;
const PARTS = [
  ['2025-03-01T00:00:00', '2025-04-12T00:00:00'],
  ['2025-02-10T10:30:00', '2025-02-28T23:45:00'],
] as const;

const SHARED = [[], ['country_code'], ['access_date']];
/** Grouped by page. Page ids are specific to a site. Page views are not counted in advance by page. */
const PER_SITE = [['url'], ['access_month', 'url']];
const ALL_KEEPS = [...SHARED, ...PER_SITE];

/** Selects all days and some days alternately. A long run selects both. */
function rangesFor(place: number, turn: number) {
  const part = PARTS[place % 2 === 0 ? 0 : 1];
  if (IS_LONG_RUN) return [ALL_DAYS, part];
  return [(place + turn) % 2 === 0 ? ALL_DAYS : part];
}

/** Expects the same answers from the stored counts as from rows, for each grouping. */
async function expectCounted(site = 'a', keeps = ALL_KEEPS, turn = 0): Promise<void> {
  const context = await createContext(database, { columns });
  for (const [place, keep] of keeps.entries())
    for (const [start, end] of rangesFor(place, turn)) {
      const document = readDocument(JSON.stringify(query(keep, start, end, site)));
      const text = await expectSameAnswer(document, context);
      expect(text).toContain('unique_allpv_reader_id');
      expect(text.includes('unique_allpv_pv_id')).toBe(!keep.includes('url'));
    }
  if (site === 'all') return;
  for (const [start, end] of rangesFor(0, turn)) {
    const document = readDocument(JSON.stringify(repeatedQuery(start, end, site)));
    expect(await expectSameAnswer(document, context)).toContain('repeated_allpv_reader_id_in_session_id');
  }
}

test('the longest time over which a value occurs is known: visitors return after weeks, and page views do not', async () => {
  const siteIds = await database.write('analytics.site').pluck<number[]>('site_id');
  const spreadOf = (value: string) =>
    columns.countedSpread({ material: 'allpv', value, repeatedIn: null, by: [] }, siteIds);
  expect([spreadOf('reader_id'), spreadOf('pv_id')]).toEqual([2, 0]);
});

const sql = (text: string) => () => database.write.raw(text);

const CHANGES: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['the first full copy', async () => {}],
  ['an import of later days', () => load('a', 110, 130)],
  ['an import of earlier days', () => load('a', -40, -20)],
  [
    'a manually moved page view',
    sql(`UPDATE analytics.page_view SET at = at + interval '50 days' WHERE pv_id = 180`),
  ],
  [
    'visitors who turn out to be the same person',
    sql('UPDATE analytics.page_view SET reader_id = 105 WHERE reader_id = 109'),
  ],
  [
    'manual deletion of the first days',
    sql("DELETE FROM analytics.page_view WHERE at < '2025-01-20T00:00:00Z'"),
  ],
  [
    'manual deletion of the last days',
    sql("DELETE FROM analytics.page_view WHERE at > '2025-05-01T00:00:00Z'"),
  ],
];

// conformance: beyond.column-copy-follows
test.each(CHANGES.map((it, turn) => [...it, turn] as const))(
  'the counts are correct after %s',
  async (_title, change, turn) => {
    await change();
    await columns.refresh();
    await expectCounted('a', ALL_KEEPS, turn);
  },
);

test('sites are counted separately', () => expectCounted('all', SHARED));

test('another process uses the counts of the first one', async () => {
  const { folder } = columns;
  await columns.stop({ keep: true });
  columns = await openTestColumns(database, { folder, ...COUNTING });
  await expectCounted();
});

// conformance: beyond.column-copy-follows
test('small sites that have changed on different days are counted together', async () => {
  await load('a', 130, 135);
  await load('b', 75, 80);
  await load('b', -30, -25);
  await columns.refresh();
  await expectCounted('a');
  await expectCounted('b', SHARED);
  await expectCounted('all', SHARED);
});

test('visitors who return in the same month of the next year are counted in both months', async () => {
  await load('a', 495, 502);
  await columns.refresh();
  await expectCounted('a', [['access_month']]);
});

test('a removed site leaves no counts behind', async () => {
  await sql("DELETE FROM analytics.site WHERE tracking_id = 'b'")();
  await columns.refresh();
  const tables = countsTables(COUNTING.manifest).map((counts) => `analytics.${uniqueCountsTable(counts)}`);
  for (const name of ['counted', ...tables]) {
    const text = `SELECT count(DISTINCT site_id) FROM ${name}`;
    expect(await readCopy(columns, text)).toEqual({
      rows: [[1]],
    });
  }
  await expectCounted();
});

test('if DuckDB cannot compute the counts, this is logged once, and queries count the values themselves', async () => {
  const folder = await mkdtemp(join(throwawayFolder(), 'qal-counts-'));
  const { log, logged } = createMemoryLog();
  const file = await openColumnFile({ folder, memoryMb: 64, tempMb: 64, threads: 1 });
  const tables = countsTables(manifest)
    .filter(({ value }) => value === 'session_id')
    .slice(0, 2);
  await file.write(async (run) => {
    const rows = 'CREATE TABLE analytics.page_view (site_id INT, "at" BIGINT, session_id BIGINT)';
    // The second count fails because its key column and its table are missing.
    const year = `INSERT INTO analytics.page_view SELECT site, ${DAY} * day, day FROM range(400) days(day), range(1, 4) sites(site)`;
    for (const text of ['CREATE SCHEMA analytics', rows, year, ...createCounts(tables.slice(0, 1))])
      await run({ text });
  });
  const counts = await openCounts(file, { tables, facts: [], values: [] }, log);
  const sites = [1, 2, 3];
  const pieces: boolean[] = [];
  for (let more = true; more; pieces.push(more)) more = await counts.countNext(sites);
  // For small sites, all days are counted at once.
  expect(pieces).toEqual([true, true, false]);
  expect(tables.map((table) => counts.countedUntil(table, sites))).toEqual([Infinity, 0]);
  expect(logged.map(({ msg }) => msg)).toEqual([
    'The columnar copy could not count values in advance, so queries count them.',
  ]);
  await file.close();
  await rm(folder, { recursive: true });
});

test('statements use several threads if a table has more than 122,880 rows, or for the first fill', async () => {
  const folder = await mkdtemp(join(throwawayFolder(), 'qal-threads-'));
  const file = await openColumnFile({ folder, memoryMb: 64, tempMb: 64, threads: 3 });
  const write = (text: string) => file.write((run) => run({ text }));
  const externalThreads = () => file.read({ text: `SELECT current_setting('external_threads')::INT` });
  await write('CREATE SCHEMA analytics');
  for (const text of createCounts([])) await write(text);
  await write('CREATE TABLE analytics.page_view (site_id INT)');
  const counts = await openCounts(file, { tables: [], facts: [], values: [] }, createMemoryLog().log);
  expect(await externalThreads()).toEqual([[1]]);
  await write('INSERT INTO analytics.page_view SELECT 1 FROM range(122_880)');
  await counts.reload([1]);
  expect(await externalThreads()).toEqual([[3]]);
  await write('INSERT INTO analytics.page_view VALUES (1)');
  await counts.reload([1]);
  expect(await externalThreads()).toEqual([[1]]);
  await file.close();
  await rm(folder, { recursive: true });
});

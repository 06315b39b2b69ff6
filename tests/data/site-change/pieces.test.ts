// The stored data does not depend on the pieces in which views are derived and written, no matter how their visitors and visits
// are identified.
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { differencesOf } from '../../../bench/site-change/compare-rows';
import { type Random, seededRandom } from '../../../extension/data/demo/random';
import { importRows } from '../../../extension/data/import/import-rows';
import { importTogether } from '../../../extension/data/import/import-together';
import { IMPORT_LIMITS } from '../../../extension/data/import/limits';
import { tries } from '../../support/long-run';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest } from '../import/import-setup';

const whole = useTestDatabase();
const pieces = useTestDatabase();

async function addSite(write: Knex, site: string): Promise<void> {
  await write.raw(
    `INSERT INTO analytics.site (tracking_id, domain, name, timezone) VALUES (?, 'example.com', 'Test', 'UTC')`,
    [site],
  );
}

/** Views by a few visitors within a few hours. Some identify the visitor by a number, a name or the visit, and some do not. */
function randomViews(random: Random, views: number): readonly object[] {
  return Array.from({ length: views }, (_, index) => {
    const visitor = random.between(1, 4);
    const kind = random.between(1, 6);
    return {
      pv_id: index + 1,
      access_time: AT + random.between(0, 12) * 700 + random.between(0, 3),
      url: `https://example.com/${random.between(1, 5)}`,
      ...(random.chance(0.5) && {
        title: `Title ${random.between(1, 9)}`,
        utm_source: `source ${random.between(1, 3)}`,
      }),
      ...(kind <= 2 && { reader_id: visitor }),
      ...((kind === 2 || kind === 3) && { original_id: `visitor-${visitor}` }),
      ...((kind === 4 || random.chance(0.2)) && { session_id: 100 + visitor * 10 + random.between(0, 1) }),
      ...(random.chance(0.1) && { pv: 3, is_last: 1 }),
      ...(random.chance(0.1) && { is_newuser: 0 }),
    };
  });
}

const load = (write: Knex, site: string, rows: readonly object[], pieceRows: number) =>
  importRows(write, manifest, {
    material: 'allpv',
    site,
    rows,
    limits: { ...IMPORT_LIMITS, batchRows: Math.ceil(pieceRows / 2), pieceRows },
  });

test.each([1, 2, 3, 4, 5, 6].slice(0, tries(2, 6)))(
  'random views can be imported in pieces, then again, and then with different times (%i)',
  async (seed) => {
    const random = seededRandom(seed);
    const site = `site-${seed}`;
    const views = randomViews(random, 160);
    const parts = [views.slice(0, 70), views.slice(60, 120), views.slice(100), views.slice(0, 90)];
    // A corrected view has a different time, but identifies its visitor in the same way.
    parts.push(views.slice(20, 50).map((view, index) => ({ ...view, access_time: AT + index * 611 })));
    for (const [write, pieceRows] of [
      [whole.write, 65_536],
      [pieces.write, random.between(3, 80)],
    ] as const) {
      await addSite(write, site);
      for (const part of parts) await load(write, site, part, pieceRows);
    }
    expect(await differencesOf(whole.write, pieces.write, true)).toEqual([]);
    const { rows } = await whole.write.raw(
      'SELECT count(*)::int AS views FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ?',
      [site],
    );
    expect(rows).toEqual([{ views: 160 }]);
  },
);

/** Imports files in one transaction, in small pieces. */
const loadTogether = (
  write: Knex,
  site: string,
  files: readonly (readonly object[])[],
  { pieceRows, pageStateRows }: { readonly pieceRows: number; readonly pageStateRows: number },
) =>
  importTogether(
    {
      write,
      manifest,
      material: 'allpv',
      site,
      format: 'as-stored',
      source: 'test',
      onError: 'stop',
      clock: () => new Date(0),
      limits: { ...IMPORT_LIMITS, batchRows: Math.ceil(pieceRows / 2), pieceRows, pageStateRows },
    },
    files.map((rows) => ({
      open: async () => Readable.from(rows.map((row) => Buffer.from(`${JSON.stringify(row)}\n`))),
    })),
  );

test.each([1, 2, 3, 4, 5, 6].slice(0, tries(2, 6)))(
  'files of one import can correct times, visitors and titles in earlier files, as separate imports can (%i)',
  async (seed) => {
    const random = seededRandom(100 + seed);
    const site = `joint-${seed}`;
    const views = randomViews(random, 160);
    const corrected = (from: number, to: number) =>
      views.slice(from, to).map((view) => ({
        ...view,
        ...(random.chance(0.3) && { access_time: AT + random.between(0, 12) * 700 }),
        ...('reader_id' in view && { reader_id: random.between(1, 8) }),
        ...(random.chance(0.5) && { title: `Title ${random.between(1, 9)}` }),
      }));
    const files = [views.slice(0, 60), corrected(20, 50), views.slice(40, 110), corrected(30, 90)];
    files.push(
      views
        .slice(80)
        .map((view) => ('reader_id' in view ? { ...view, reader_id: random.between(1, 8) } : view)),
    );
    for (const { write } of [whole, pieces]) await addSite(write, site);
    for (const file of files) await load(whole.write, site, file, 65_536);
    const limits = { pieceRows: random.between(3, 40), pageStateRows: random.between(1, 12) };
    await loadTogether(pieces.write, site, files, limits);
    expect(await differencesOf(whole.write, pieces.write, true)).toEqual([]);
  },
);

test('a visitor introduced by a correction is not new in later views', async () => {
  const site = 'brought-in';
  await addSite(pieces.write, site);
  const view = (pv_id: number, reader_id: number) => ({
    pv_id,
    reader_id,
    access_time: AT + pv_id * 10_000,
    url: `https://example.com/${pv_id}`,
  });
  const others = (first: number) =>
    Array.from({ length: 8 }, (_, place) => view(first + place, 100 + first + place));
  const files = [[view(1, 1), ...others(2)], [view(1, 2), ...others(10)], [view(18, 2)]];
  await loadTogether(pieces.write, site, files, { pieceRows: 8, pageStateRows: 8 });
  const { rows } = await pieces.write.raw(
    `SELECT pv_id::int AS view FROM analytics.page_view JOIN analytics.site USING (site_id)
      WHERE tracking_id = ? AND reader_id = 2 AND is_newuser`,
    [site],
  );
  expect(rows).toEqual([{ view: 1 }]);
});

test('a view whose time is corrected by the next file leaves its visit, even if both files are in one piece', async () => {
  const site = 'corrected-in-piece';
  await addSite(pieces.write, site);
  const view = (pv_id: number, second: number) => ({
    pv_id,
    reader_id: 1,
    access_time: AT + second,
    url: `https://example.com/${pv_id}`,
  });
  const files = [[view(1, 0), view(2, 60)], [view(1, 10_000)]];
  await loadTogether(pieces.write, site, files, { pieceRows: 100, pageStateRows: 100 });
  const { rows } = await pieces.write.raw(
    `SELECT pv_id::int AS view, pv, is_last, is_newuser FROM analytics.page_view JOIN analytics.site USING (site_id)
      WHERE tracking_id = ? ORDER BY at`,
    [site],
  );
  expect(rows).toEqual([
    { view: 2, pv: 1, is_last: true, is_newuser: true },
    { view: 1, pv: 1, is_last: true, is_newuser: false },
  ]);
});

test('titles in an earlier piece are stored even if the last piece has none', async () => {
  const site = 'early-titles';
  await addSite(pieces.write, site);
  const views = Array.from({ length: 20 }, (_, index) => ({
    pv_id: index + 1,
    access_time: AT + index,
    url: `https://example.com/${index}`,
    ...(index < 4 && { title: `Title ${index}` }),
  }));
  await loadTogether(pieces.write, site, [views], { pieceRows: 8, pageStateRows: 100 });
  const { rows } = await pieces.write.raw(
    'SELECT title FROM analytics.page JOIN analytics.site USING (site_id) WHERE tracking_id = ? AND title IS NOT NULL ORDER BY title',
    [site],
  );
  expect(rows.map(({ title }: { title: string }) => title)).toEqual([
    'Title 0',
    'Title 1',
    'Title 2',
    'Title 3',
  ]);
});

const newUsers = async (write: Knex, site: string): Promise<readonly boolean[]> => {
  const { rows } = await write.raw(
    'SELECT is_newuser FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ? ORDER BY at',
    [site],
  );
  return rows.map((row: { is_newuser: boolean }) => row.is_newuser);
};

const visitorView = (id: number, seconds: number, more: object = {}) => ({
  pv_id: id,
  reader_id: 1,
  access_time: AT + seconds,
  url: 'https://example.com/',
  ...more,
});

test('a visitor in an empty site is not new if only a repeated row contains an earlier first view', async () => {
  const site = 'first-in-repeated';
  await addSite(pieces.write, site);
  const rows = [visitorView(1, 0), visitorView(1, 0, { 'fact.first_at': AT - 86_400 })];
  await load(pieces.write, site, rows, 8);
  expect(await newUsers(pieces.write, site)).toEqual([false]);
});

test('a first view stays the first if a later file was exported after its removal, as in separate imports', async () => {
  const before = [visitorView(1, 0), visitorView(2, 9_000)];
  const after = [9_000, 18_000].map((seconds, index) =>
    visitorView(index + 2, seconds, { 'fact.first_at': AT }),
  );
  await addSite(pieces.write, 'exports-together');
  await loadTogether(pieces.write, 'exports-together', [before, after], {
    pieceRows: 100,
    pageStateRows: 100,
  });
  await addSite(pieces.write, 'exports-apart');
  for (const rows of [before, after]) await load(pieces.write, 'exports-apart', rows, 100);
  for (const site of ['exports-together', 'exports-apart'])
    expect(await newUsers(pieces.write, site)).toEqual([true, false, false]);
});

test('the first piece of an import is a quarter of the usual size, and the next ones double', async () => {
  await addSite(pieces.write, 'sizes');
  const rows = Array.from({ length: 220 }, (_, index) => visitorView(index + 1, index * 10_000));
  const limits = { ...IMPORT_LIMITS, batchRows: 10, pieceRows: 80 };
  await importRows(pieces.write, manifest, { material: 'allpv', site: 'sizes', rows, limits });
  // Each statement of a transaction has a number.
  const sizes = await pieces.write.raw(
    `SELECT count(*)::int AS views FROM analytics.page_view JOIN analytics.site USING (site_id)
      WHERE tracking_id = 'sizes' GROUP BY page_view.cmin ORDER BY min(at)`,
  );
  expect(sizes.rows.map(({ views }: { views: number }) => views)).toEqual([20, 40, 80, 80]);
});

// What is kept counted agrees with the stored rows after whatever an import does.
import { isDeepStrictEqual } from 'node:util';
import { IMPORT_LIMITS, type ImportLimits } from '../../extension/import/limits';
import { dayBounds } from '../../extension/time/local-days';
import { zoneOffsets } from '../../extension/time/zone-offsets';
import { TINY } from '../import/import-setup';
import { useTestDatabase } from '../support/use-database';
import { expectedCells, localDays, storedCells } from './reference';
import {
  applySite,
  applyZone,
  importClicks,
  importViews,
  type RandomViews,
  randomViews,
} from './rollup-data';

const database = useTestDatabase();

async function expectKept(site: string): Promise<void> {
  const expected = await expectedCells(database.write, site);
  expect(Object.keys(expected).length).toBeGreaterThan(0);
  const stored = await storedCells(database.write, site);
  // Jest compares thousands of cells slowly; its comparison is only needed for its message.
  if (!isDeepStrictEqual(stored, expected)) expect(stored).toEqual(expected);
}

interface Site {
  readonly site: string;
  /** Imports random views and checks what is kept. */
  import(about: Partial<RandomViews>, limits?: ImportLimits): Promise<void>;
}

const FEW_COUNTED = { ...IMPORT_LIMITS, portionRows: 40, stretchRows: 60 };

let seed = 0;
let nextId = 1;

/** A site in some zone, with the rows of a first import. */
async function siteWith(timezone: string, about: Partial<RandomViews> = {}): Promise<Site> {
  const site = await applySite(database.write, timezone);
  const first = { count: 80, from: '2026-03-01T00:00:00Z', days: 12, ...about };
  const add = async (more: Partial<RandomViews>, limits?: ImportLimits): Promise<void> => {
    seed += 1;
    const wanted = { ...first, seed, firstId: nextId, ...more };
    nextId += wanted.count;
    const views = randomViews(wanted);
    // With small limits what is counted is taken in many portions, with temporary tables between them.
    await importViews(database.write, site, views, limits ?? (seed % 2 === 0 ? FEW_COUNTED : undefined));
    await expectKept(site);
    await importClicks(database.write, site, views, seed);
    await expectKept(site);
  };
  await add({});
  return { site, import: add };
}

test('the reference agrees about days with the numbering of the program, where clocks go back across midnight', () => {
  const zone = 'America/St_Johns';
  const dayOf = localDays(zone);
  const change = Date.UTC(2010, 10, 7, 2, 31) / 1000;
  const clock = zoneOffsets(change - 864_000, change + 864_000, zone);
  const first = dayOf(change - 86_400);
  for (const [place, since] of dayBounds(clock, first, first + 2).entries()) {
    expect([dayOf(since - 1), dayOf(since)]).toEqual([first + place - 1, first + place]);
  }
  expect([dayOf(change - 1), dayOf(change)]).toEqual([first + 1, first + 1]);
});

test.each([
  ['Europe/Berlin', '2026-03-20T00:00:00Z', 20],
  ['Europe/Berlin', '2026-10-15T00:00:00Z', 20],
  ['America/St_Johns', '2026-03-01T00:00:00Z', 15],
  // Clocks went back at one minute past midnight.
  ['America/St_Johns', '2010-11-01T00:00:00Z', 12],
  ['Asia/Kathmandu', '2026-01-01T00:00:00Z', 5],
  // The 30th of December was left out.
  ['Pacific/Apia', '2011-12-25T00:00:00Z', 10],
  ['America/Los_Angeles', '1995-01-03T00:00:00Z', 5],
])('after a first import, an append and late rows: %s from %s', async (zone, from, days) => {
  const { import: add } = await siteWith(zone, { from, days });
  await add({ from: later(from, days) });
  await add({ from: later(from, -2), days: days * 2 + 4, count: 20 });
});

const later = (from: string, days: number): string =>
  new Date(Math.max(0, Date.parse(from) + days * 86_400_000)).toISOString();

test.each(Array.from({ length: 5 }, (_, place) => place))('after imports at random, %s', async (place) => {
  const { import: add } = await siteWith('Europe/Berlin', { named: place % 2 === 0 });
  for (const [from, days, count] of [
    ['2026-03-12T10:00:00Z', 3, 30],
    ['2026-03-05T00:00:00Z', 1, 3],
    ['2026-02-01T00:00:00Z', 90, 40],
    ['2026-03-02T00:00:00Z', 1, 1],
    ['2026-09-02T00:00:00Z', 2, 10],
  ] as const) {
    await add({ from, days, count, named: place % 4 < 2 }, place % 3 === 0 ? TINY : undefined);
  }
});

test('views that join two visits of before, and with them their clicks', async () => {
  const site = await applySite(database.write, 'Europe/Berlin');
  const start = Date.parse('2026-05-05T20:00:00Z') / 1000;
  const view = (pv_id: number, minutes: number) => ({
    pv_id,
    reader_id: 7,
    url: `https://x.example/${pv_id % 2}`,
    access_time: start + minutes * 60,
  });
  const views = [view(1, 0), view(2, 100), view(3, 125), view(4, 145), view(5, 60 * 24 * 3)];
  await importViews(database.write, site, views);
  await importClicks(database.write, site, views, 1);
  const visits = await countVisits(site);
  await importViews(database.write, site, [view(6, 25), view(7, 50), view(8, 75)]);
  expect(await countVisits(site)).toBeLessThan(visits);
  await expectKept(site);
});

async function countVisits(site: string): Promise<number> {
  const answer: { rows: { visits: number }[] } = await database.write.raw(
    `SELECT count(DISTINCT session_id)::int AS visits FROM analytics.page_view JOIN analytics.site USING (site_id)
      WHERE tracking_id = ?`,
    [site],
  );
  return answer.rows[0]?.visits ?? 0;
}

test('the same file again changes nothing', async () => {
  const site = await applySite(database.write, 'UTC');
  const views = randomViews({ seed: 5, count: 50, from: '2026-03-20T00:00:00Z', days: 9 });
  await importViews(database.write, site, views);
  const built = await builtAt(site);
  expect(await importViews(database.write, site, views)).toMatchObject({ added: 0, unchanged: 50 });
  await expectKept(site);
  expect(await builtAt(site)).toEqual(built);
});

async function builtAt(site: string): Promise<Date | undefined> {
  const answer: { rows: { built_at: Date }[] } = await database.write.raw(
    'SELECT built_at FROM analytics.rollup_state JOIN analytics.site USING (site_id) WHERE tracking_id = ?',
    [site],
  );
  return answer.rows[0]?.built_at;
}

test('sites do not meet', async () => {
  const one = await siteWith('Europe/Berlin');
  const other = await siteWith('Asia/Tokyo');
  await one.import({ count: 10 });
  await expectKept(other.site);
  await applyZone(database.write, one.site, 'America/New_York');
  await expectKept(other.site);
});

test('an import that fails leaves what is kept as it was', async () => {
  const { site } = await siteWith('Europe/Berlin');
  const before = await storedCells(database.write, site);
  const built = await builtAt(site);
  const rows = [
    ...randomViews({ seed: 9, count: 20, from: '2026-03-02T00:00:00Z', days: 3, firstId: 5000 }),
    {},
  ];
  await expect(importViews(database.write, site, rows)).rejects.toThrow(/is required/);
  expect(await storedCells(database.write, site)).toEqual(before);
  expect(await builtAt(site)).toEqual(built);
});

test('a site that has rows and nothing counted is left alone', async () => {
  const { site } = await siteWith('Europe/Berlin');
  for (const table of ['rollup_state', 'rollup', 'rollup_unique']) {
    await database.write.raw(
      `DELETE FROM analytics.${table} WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)`,
      [site],
    );
  }
  await importViews(
    database.write,
    site,
    randomViews({ seed: 3, count: 9, from: '2026-04-01T00:00:00Z', days: 2, firstId: 90_000 }),
  );
  expect(await storedCells(database.write, site)).toEqual({});
  expect(await builtAt(site)).toBeUndefined();
});

test('a site whose first import brings no row has nothing counted', async () => {
  const site = await applySite(database.write, 'UTC');
  await importViews(database.write, site, []);
  expect(await builtAt(site)).toBeUndefined();
  await importViews(
    database.write,
    site,
    randomViews({ seed: 4, count: 9, from: '2026-04-01T00:00:00Z', days: 2 }),
  );
  await expectKept(site);
});

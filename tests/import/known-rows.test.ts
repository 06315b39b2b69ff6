// Which rows count as the same, and which ids they keep or get.
import type { ImportOptions } from '../../extension/import/import-options';
import { importRows } from '../../extension/import/import-rows';
import { useTestDatabase } from '../support/use-database';
import { dataVersion, manifest, newSite, row, storedViews, TINY } from './import-setup';

const database = useTestDatabase();

const load = (site: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material: 'allpv', site, rows, ...more });

describe('the same rows again', () => {
  test.each([
    ['ids given', (place: number) => row(place, { pv_id: place + 1, session_id: 1, reader_id: 1 })],
    ['ids made', (place: number) => row(place, { original_id: 'a', title: `Page ${place}` })],
    ['nothing known of the visitor', (place: number) => row(place)],
  ])('add nothing: %s', async (_name, make) => {
    const site = await newSite(database.write);
    const rows = Array.from({ length: 23 }, (_, place) => make(place));
    expect(await load(site, rows, { limits: TINY })).toMatchObject({ read: 23, added: 23, unchanged: 0 });
    const before = await storedViews(database.write, site);
    expect(await load(site, rows)).toMatchObject({ read: 23, added: 0, unchanged: 23 });
    expect(await load(site, [...rows].reverse(), { limits: TINY })).toMatchObject({
      added: 0,
      unchanged: 23,
    });
    expect(await storedViews(database.write, site)).toEqual(before);
    expect(await dataVersion(database.write, site)).toBe(1);
    expect(await load(site, [...rows, make(23)], { limits: TINY })).toMatchObject({
      added: 1,
      unchanged: 23,
    });
    expect(await dataVersion(database.write, site)).toBe(2);
  });

  test('of two rows with one pv_id the first is stored', async () => {
    const site = await newSite(database.write);
    const rows = [row(1, { pv_id: 7 }), row(2, { pv_id: 7 })];
    expect(await load(site, rows)).toMatchObject({ added: 1, unchanged: 1 });
    expect((await storedViews(database.write, site)).map((view) => view.url)).toEqual([
      'https://example.com/1',
    ]);
  });

  test('equal rows of one file are separate views, and are recognised one by one', async () => {
    const site = await newSite(database.write);
    expect(await load(site, [row(1), row(1), row(1)])).toMatchObject({ added: 3, unchanged: 0 });
    expect(await load(site, [row(1), row(1)])).toMatchObject({ added: 0, unchanged: 2 });
    expect(await load(site, [row(1), row(1), row(1), row(1)])).toMatchObject({ added: 1, unchanged: 3 });
  });

  test('rows that differ in one value are different views', async () => {
    const site = await newSite(database.write);
    const rows = [
      row(1, { title: 'a' }),
      row(1, { title: 'b' }),
      row(1, { browse_sec: 1 }),
      row(1, { os: 'x' }),
    ];
    expect(await load(site, rows)).toMatchObject({ added: 4 });
  });
});

describe('ids', () => {
  test('given ids are stored, and generated ones never collide with them', async () => {
    const site = await newSite(database.write);
    const largest = 3_999_999_999_999_999;
    await load(site, [row(1, { pv_id: largest, session_id: largest, reader_id: largest }), row(2), row(3)]);
    await load(site, [row(4)]);
    const views = await storedViews(database.write, site);
    expect(views.map((view) => view.pv_id)).toEqual([
      largest,
      4_000_000_000_000_001,
      4_000_000_000_000_002,
      4_000_000_000_000_003,
    ]);
    expect(new Set(views.map((view) => view.session_id)).size).toBe(4);
    expect(new Set(views.map((view) => view.reader_id)).size).toBe(4);
  });

  test('an id that is too large is rejected', async () => {
    const site = await newSite(database.write);
    await expect(load(site, [row(1, { pv_id: 4_000_000_000_000_000 })])).rejects.toThrow(
      'Line 1, column pv_id, value 4000000000000000: must be at most 3999999999999999',
    );
  });
});

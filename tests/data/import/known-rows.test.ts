// How rows are recognized as the same row, and which ids they keep or get.
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { useTestDatabase } from '../../support/use-database';
import { dataVersion, manifest, newSite, row, storedViews, TINY } from './import-setup';

const database = useTestDatabase();

const load = (site: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material: 'allpv', site, rows, ...more });

describe('repeated rows', () => {
  test.each([
    ['given ids', (index: number) => row(index, { pv_id: index + 1, session_id: 1, reader_id: 1 })],
    ['generated ids', (index: number) => row(index, { original_id: 'a', title: `Page ${index}` })],
    ['nothing known about the visitor', (index: number) => row(index)],
  ])('add nothing: %s', async (_name, make) => {
    const site = await newSite(database.write);
    const rows = Array.from({ length: 23 }, (_, index) => make(index));
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

  test('are added only once within a file', async () => {
    const site = await newSite(database.write);
    expect(await load(site, [row(1), row(1), row(1)])).toMatchObject({ added: 1, unchanged: 2 });
    expect(await load(site, [row(1), row(2), row(1)], { limits: TINY })).toMatchObject({
      added: 1,
      unchanged: 2,
    });
  });

  test('from two sources are two views', async () => {
    const site = await newSite(database.write);
    expect(await load(site, [row(1)], { sourceName: 'web-1' })).toMatchObject({ added: 1 });
    expect(await load(site, [row(1)], { sourceName: 'web-2' })).toMatchObject({ added: 1 });
    expect(await load(site, [row(1)], { sourceName: 'web-1' })).toMatchObject({ unchanged: 1 });
  });
});

describe('two rows in one file with the same key and different values', () => {
  const apart = Array.from({ length: 20 }, (_, index) => row(100 + index));

  test.each([
    ['a pv_id', row(1, { pv_id: 7 }), row(2, { pv_id: 7 }), 'access_time, url'],
    ['time, page and visitor', row(1, { title: 'a' }), row(1, { title: 'b' }), 'title'],
    ['nothing known about the visitor', row(1), row(1, { os: 'x', browse_sec: 3 }), 'os, browse_sec'],
  ])('are rejected with both lines: %s', async (_name, one, other, columns) => {
    const site = await newSite(database.write);
    const reason = `as line 1, but different values in: ${columns}`;
    await expect(load(site, [one, other])).rejects.toThrow(new RegExp(`^Line 2: .*${reason}`));
    // The rows are in separate batches. When the second one is read, the first one has been written or is waiting in the same piece.
    for (const limits of [TINY, { ...TINY, pieceRows: 100 }])
      await expect(load(site, [one, ...apart, other], { limits })).rejects.toThrow(
        new RegExp(`^Line 22: .*${reason}`),
      );
    const rejected: unknown[] = [];
    const report = await load(site, [one, ...apart, other], {
      limits: TINY,
      onError: 'skip',
      onRejected: ({ line, json = '' }) => void rejected.push([line, JSON.parse(json)]),
    });
    expect(report).toMatchObject({ added: 21, rejected: 1 });
    expect(rejected).toEqual([[22, other]]);
  });

  test('are merged if the later one may replace the earlier one', async () => {
    const site = await newSite(database.write);
    const rows = [row(1, { title: 'a', os: 'x' }), ...apart, row(1, { title: 'b', browser: 'y' })];
    const options = { limits: TINY, duplicates: 'last' } as const;
    expect(await load(site, rows, options)).toMatchObject({ added: 21, updated: 1 });
    const [view] = await storedViews(database.write, site);
    expect(view).toMatchObject({ title: 'b', os: 'x', browser: 'y' });
  });
});

describe('a row that contains only some of the strings that share an id', () => {
  const apart = Array.from({ length: 20 }, (_, index) => row(100 + index));
  const one = row(1, { referrer: 'https://r/', utm_source: 'news', utm_term: 'tea' });

  test.each([
    ['in one batch', []],
    ['in different batches', apart],
  ])('keeps the other strings of an earlier row with the same key: %s', async (_name, between) => {
    const site = await newSite(database.write);
    const rows = [one, ...between, row(1, { utm_source: 'mail' }), row(1, { utm_term: 'cup' })];
    const report = await load(site, rows, { limits: TINY, duplicates: 'last' });
    expect(report).toMatchObject({ added: 1 + between.length, updated: 2 });
    expect(await storedViews(database.write, site)).toContainEqual(
      expect.objectContaining({ referrer: 'https://r/', utm_source: 'mail', utm_term: 'cup' }),
    );
    expect(await load(site, [one, ...between, row(1, { utm_term: 'tea' })])).toMatchObject({ updated: 1 });
  });
});

describe('a stored row with different values', () => {
  const before = { title: 'a', os: 'x', referrer: 'https://r/', utm_term: 'tea', utm_medium: 'email' };

  test('is updated with the columns in the file, and keeps the others', async () => {
    const site = await newSite(database.write);
    await load(site, [row(1, before)]);
    const report = await load(site, [
      row(1, { title: 'b', browse_sec: 5, utm_term: 'cup', utm_source: 'news' }),
    ]);
    expect(report).toMatchObject({ added: 0, updated: 1, unchanged: 0 });
    expect(await storedViews(database.write, site)).toMatchObject([
      {
        title: 'b',
        os: 'x',
        browse_sec: 5,
        utm_medium: 'email',
        referrer: 'https://r/',
        utm_term: 'cup',
        utm_source: 'news',
      },
    ]);
    expect(await load(site, [row(1, before)])).toMatchObject({ updated: 1 });
    expect(await load(site, [row(1, before)])).toMatchObject({ unchanged: 1 });
  });

  test('is unchanged with keep; with refuse, the new row is rejected', async () => {
    const site = await newSite(database.write);
    await load(site, [row(1, before)]);
    expect(
      await load(site, [row(1, { title: 'b' }), row(1)], { onConflict: 'keep', duplicates: 'last' }),
    ).toMatchObject({
      kept: 1,
      unchanged: 1,
    });
    await expect(load(site, [row(2), row(1, { title: 'b' })], { onConflict: 'refuse' })).rejects.toThrow(
      'Line 2: has the same access_time, url and visitor (or pv_id) as a stored row, but different values in: title',
    );
    expect(await storedViews(database.write, site)).toMatchObject([{ title: 'a' }]);
  });

  test('can move to another visitor, time and page: sessions, clicks and conversions are updated to match', async () => {
    const site = await newSite(database.write);
    const view = (pv: number, index: number, more: object = {}) =>
      row(index, { pv_id: pv, reader_id: 1, ...more });
    await load(site, [view(1, 1), view(2, 2), view(3, 3)]);
    await load(site, [{ pv_id: 2, event_sec: 4, selector: 'a' }], { material: 'click_event' });
    await load(site, [view(2, 5000, { reader_id: 2 })]);
    const views = await storedViews(database.write, site);
    expect(views.map(({ pv_id, pv, is_last, reader_id }) => [pv_id, pv, is_last, reader_id])).toEqual([
      [1, 1, false, 1],
      [3, 2, true, 1],
      [2, 1, true, 2],
    ]);
    const clicks = await database.write.raw(
      `SELECT c.session_id = v.session_id AND c.page_id = v.page_id AND c.view_at = v.at
              AND c.at = v.at + interval '4 seconds' AS follows
         FROM analytics.click c JOIN analytics.page_view v USING (site_id, pv_id)
         JOIN analytics.site USING (site_id) WHERE tracking_id = ?`,
      [site],
    );
    expect(clicks.rows).toEqual([{ follows: true }]);
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

  test('can be text or numbers of any size: each becomes a number, which is the same in every file and material', async () => {
    const site = await newSite(database.write);
    const uuid = '3f2b8c1e-0000-4000-8000-000000000001';
    const view = (index: number, pv: unknown, session: unknown) =>
      row(index, { pv_id: pv, session_id: session, reader_id: '1a-3c' });
    await load(site, [
      view(1, uuid, '9223372036854775807'),
      view(2, '007', 7),
      view(3, 7, '9223372036854775807'),
    ]);
    await load(site, [view(4, '4000000000000001', 7)], { limits: TINY });
    const [one, two, three, four] = await storedViews(database.write, site);
    expect([three?.pv_id, two?.session_id, four?.session_id]).toEqual([7, 7, 7]);
    expect(one?.session_id).toBe(three?.session_id);
    expect(new Set([one, two, three, four].map((view) => view?.reader_id)).size).toBe(1);
    expect(new Set([one, two, three, four].map((view) => view?.pv_id)).size).toBe(4);
    expect(await load(site, [view(1, uuid, '9223372036854775807')])).toMatchObject({ unchanged: 1 });
    const clicks = [{ pv_id: uuid, event_sec: 1, selector: 'a' }];
    expect(await load(site, clicks, { material: 'click_event' })).toMatchObject({ added: 1 });
  });

  test.each([1.5, -0.5, true, ' '])('%p is not an id', async (id) => {
    const site = await newSite(database.write);
    await expect(load(site, [row(1, { pv_id: id })])).rejects.toThrow(
      'must be an id: a whole number, or text',
    );
  });

  test('an empty source name is not a source', async () => {
    const site = await newSite(database.write);
    const done = load(site, [row(1)], { sourceName: '' });
    await expect(done).rejects.toThrow('The name of the source is empty; specify a name, or leave it out');
  });

  test.each([2 ** 53, -(2 ** 53), 1e300])('%p may have been rounded, so it is not an id', async (id) => {
    const site = await newSite(database.write);
    await expect(load(site, [row(1, { reader_id: id })])).rejects.toThrow(
      'has more digits than a JSON number keeps exactly; write it as text',
    );
  });
});

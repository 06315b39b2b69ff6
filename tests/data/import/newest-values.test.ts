// Values of a page or visitor come from the newest view, regardless of the order of rows and files.
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { useTestDatabase } from '../../support/use-database';
import { AT, dataVersion, manifest, newSite, row, storedViews, TINY } from './import-setup';

const database = useTestDatabase();

const load = (site: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material: 'allpv', site, rows, ...more });

test('original_id comes from the newest view, and identifies a visitor without a reader_id', async () => {
  const site = await newSite(database.write);
  await load(site, [row(5, { reader_id: 1, original_id: 'new' }), row(6, { original_id: 'own' })]);
  await load(site, [row(1, { reader_id: 1, original_id: 'old' }), row(9, { original_id: 'own' })]);
  const views = await storedViews(database.write, site);
  expect(views.map((view) => view.original_id)).toEqual(['new', 'new', 'own', 'own']);
  expect(views[2]?.reader_id).toBe(views[3]?.reader_id);
});

test('the title of the newest view wins, no matter which was imported last', async () => {
  const site = await newSite(database.write);
  const view = (at: number, title: string | null) => ({
    url: 'https://example.com/',
    access_time: AT + at,
    title,
  });
  await load(site, [view(10, 'second'), view(20, 'newest'), view(15, 'third'), view(30, null)], {
    limits: TINY,
  });
  await load(site, [view(5, 'old')]);
  const stored = await storedViews(database.write, site);
  expect(new Set(stored.map((one) => one.title))).toEqual(new Set(['newest']));
});

const newestOf = async (site: string, ...files: readonly (readonly object[])[]) => {
  for (const rows of files) await load(site, rows, { limits: TINY });
  const [view] = await storedViews(database.write, site);
  return [view?.title, view?.original_id];
};

test('of two views in the same second, the greater title wins, in any order', async () => {
  // The emoji is greater bytewise, but smaller in UTF-16.
  const one = row(1, { pv_id: 1, reader_id: 1, title: 'Title \uFFFD', original_id: 'b' });
  const other = row(1, { pv_id: 2, reader_id: 1, title: 'Title 😀', original_id: 'a' });
  const expected = ['Title 😀', 'b'];
  expect(await newestOf(await newSite(database.write), [one, other])).toEqual(expected);
  expect(await newestOf(await newSite(database.write), [other, one])).toEqual(expected);
  expect(await newestOf(await newSite(database.write), [one], [other])).toEqual(expected);
  expect(await newestOf(await newSite(database.write), [other], [one])).toEqual(expected);
});

test.each([1, 200])(
  'a row whose stored values are kept does not change the title or the visitor (%i rows)',
  async (count) => {
    const site = await newSite(database.write);
    const view = (index: number, more: object) => row(index, { pv_id: index + 1, reader_id: 1, ...more });
    await load(site, [view(0, { title: 'first', original_id: 'first' })]);
    const rows = Array.from({ length: count }, (_, index) => view(index, {}));
    const again = view(0, { access_time: AT + 999, title: 'second', original_id: 'second' });
    const options = { limits: TINY, onConflict: 'keep' } as const;
    const report = await load(site, [...rows.slice(1), again], options);
    expect(report).toMatchObject({ added: count - 1, kept: 1 });
    const views = await storedViews(database.write, site);
    expect(new Set(views.map((one) => one.original_id))).toEqual(new Set(['first']));
    expect(views.find((one) => one.url === 'https://example.com/0')?.title).toBe('first');
    expect(await dataVersion(database.write, site)).toBe(count === 1 ? 1 : 2);
  },
);

test('a corrected view changes its title and visitor, even to an older or smaller value', async () => {
  const site = await newSite(database.write);
  const view = (pv: number, at: number, more: object) => ({
    url: 'https://example.com/',
    pv_id: pv,
    access_time: AT + at,
    reader_id: 1,
    ...more,
  });
  await load(site, [
    view(1, 10, { title: 'm', original_id: 'm' }),
    view(2, 20, { title: 'z', original_id: 'z' }),
  ]);
  await load(site, [view(2, 20, { title: 'a', original_id: 'a' })]);
  expect((await storedViews(database.write, site))[0]).toMatchObject({ title: 'a', original_id: 'a' });
  await load(site, [view(2, 5, {})]);
  expect((await storedViews(database.write, site))[0]).toMatchObject({ title: 'm', original_id: 'm' });
});

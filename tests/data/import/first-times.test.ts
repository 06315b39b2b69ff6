// An exported file contains the time at which a visitor was first seen if retention removed that visitor's first view. Which
// visitors are new then depends neither on the order of the files nor on imports that were undone.
import { exportQuery } from '../../../extension/data/export/export-query';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { removeOldVisits } from '../../../extension/data/removal/old-visits';
import { removeData } from '../../../extension/data/removal/remove-data';
import { undoImport } from '../../../extension/data/removal/undo-import';
import { createMemoryLog } from '../../support/memory-log';
import { removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest, newSite, storedViews, TINY } from './import-setup';

const database = useTestDatabase();
const clock = () => new Date('2026-06-01T00:00:00Z');
const DAY = 86_400;

const view = (id: number, seconds: number, more: object = {}) => ({
  pv_id: id,
  reader_id: 1,
  access_time: AT + seconds,
  url: `https://example.com/${id}`,
  ...more,
});
const seen = (seconds: number) => ({ 'fact.first_at': AT + seconds });

async function load(
  site: string,
  rows: readonly object[],
  more: Partial<ImportOptions> = {},
): Promise<number> {
  const { importId } = await importRows(database.write, manifest, { material: 'allpv', site, rows, ...more });
  return importId ?? 0;
}
const undo = (importId: number) =>
  undoImport({ write: database.write, manifest, importId, login: 'ann', clock });

/** The last characters of the URLs of new visitors' views. */
const newViews = async (site: string) =>
  (await storedViews(database.write, site))
    .filter(({ is_newuser }) => is_newuser)
    .map(({ url }) => url.at(-1))
    .join('');

async function storedTimes(site: string): Promise<readonly number[]> {
  const { rows } = await database.write.raw(
    `SELECT extract(epoch FROM first_at)::float8 - ? AS seconds FROM analytics.visitor_first JOIN analytics.site USING (site_id)
      WHERE tracking_id = ? ORDER BY 1`,
    [AT, site],
  );
  return rows.map(({ seconds }: { seconds: number }) => seconds);
}

async function removeBefore(site: string, seconds: number): Promise<void> {
  const keep = (days: number | null) =>
    database.write('analytics.site').where({ tracking_id: site }).update({ retention_days: days });
  await keep(1);
  const { log } = createMemoryLog();
  const then = () => new Date((AT + seconds + DAY) * 1000);
  await removeOldVisits({ write: database.write, manifest, log, clock: then }, new AbortController().signal);
  await keep(null);
}
const MIDNIGHT = DAY - (AT % DAY);

test.each([
  ['before the first stored view', -1, ''],
  ['at the first stored view', 0, '1'],
  ['after the first stored view', 1, '1'],
])('a first time %s has the same effect in any order of files', async (_when, seconds, expected) => {
  const files = [
    [view(1, 0), view(2, 9000)],
    [view(3, 18_000, seen(seconds)), view(4, 27_000, seen(seconds + 9)), view(5, 36_000, seen(seconds + 10))],
  ];
  for (const order of [files, files.toReversed(), [files.flat()], [files.flat().toReversed()]]) {
    const site = await newSite(database.write);
    for (const rows of order) await load(site, rows, { limits: { ...TINY, batchRows: 2 } });
    expect([order, await newViews(site)]).toEqual([order, expected]);
  }
});

test('an earlier first view that is stored later is new, and the view at the first time is not counted twice', async () => {
  const site = await newSite(database.write);
  await load(site, [view(2, 9000, seen(0))]);
  expect(await newViews(site)).toBe('');
  await load(site, [view(1, 0)]);
  expect(await newViews(site)).toBe('1');
});

test('an earlier first time clears the new-visitor flag of all views of the first visit, even if the first view has a given value', async () => {
  const site = await newSite(database.write);
  await load(site, [view(1, 0, { is_newuser: 0 }), view(2, 60)]);
  expect(await newViews(site)).toBe('2');
  await load(site, [view(3, 9000, seen(-DAY))]);
  expect(await newViews(site)).toBe('');
});

test('undoing imports in any order restores which visitors are new, even if the rows were already stored', async () => {
  for (const order of [
    [1, 2],
    [2, 1],
  ]) {
    const site = await newSite(database.write);
    await load(site, [view(1, 0), view(2, 9000), view(3, 18_000), view(4, 0, { reader_id: 2 })]);
    const imports = [
      0,
      await load(site, [view(2, 9000, seen(-20))]),
      await load(site, [view(3, 18_000, seen(-10))]),
    ];
    expect(await newViews(site)).toBe('4');
    const [first = 0, last = 0] = order;
    await undo(imports[first] ?? 0);
    expect([order, await newViews(site), await storedTimes(site)]).toEqual([
      order,
      '4',
      [first === 1 ? -10 : -20],
    ]);
    await undo(imports[last] ?? 0);
    expect([order, await newViews(site), await storedTimes(site)]).toEqual([order, '14', []]);
  }
});

test.each([
  ['ignored in favor of the stored one', { onConflict: 'keep' }],
  ['rejected because of the stored one', { onConflict: 'refuse', onError: 'skip' }],
] as const)(
  'the first time in a row that is %s does not apply to the stored visitor',
  async (_why, options) => {
    const site = await newSite(database.write);
    await load(site, [view(1, 0), view(2, 9000, { reader_id: 2 })]);
    const other = view(1, 0, { reader_id: 3, ...seen(-DAY) });
    await load(site, [other, other, view(2, 9000, { reader_id: 2, ...seen(-DAY) })], options);
    expect([await newViews(site), await storedTimes(site)]).toEqual(['1', [-DAY]]);
  },
);

test('undoing a correction restores the first time of a visitor who had no other view', async () => {
  const site = await newSite(database.write);
  await load(site, [view(1, 0, seen(-1))]);
  const correction = await load(site, [view(1, 0, { reader_id: 2 })]);
  expect(await newViews(site)).toBe('1');
  await undo(correction);
  expect(await newViews(site)).toBe('');
  await load(site, [view(1, 0, { reader_id: 2 })], { undoableImports: 0 });
  expect(await storedTimes(site)).toEqual([]);
});

test('a visitor whose only remaining view was moved to another visitor stays a returning one if the move is undone', async () => {
  const site = await newSite(database.write);
  await load(site, [view(1, 0), view(2, MIDNIGHT)]);
  const correction = await load(site, [view(2, MIDNIGHT, { reader_id: 2 })]);
  await removeBefore(site, MIDNIGHT);
  expect(await newViews(site)).toBe('2');
  await undo(correction);
  expect(await newViews(site)).toBe('');
});

test('a visitor whose removed view was in the same second as the next one stays a returning one', async () => {
  const site = await newSite(database.write);
  const rows = [view(1, MIDNIGHT - 60, { session_id: 1 }), view(2, MIDNIGHT - 60, { session_id: 2 })];
  await load(site, [...rows, view(3, MIDNIGHT, { session_id: 2 })]);
  expect(await newViews(site)).toBe('1');
  await removeBefore(site, MIDNIGHT);
  expect(await newViews(site)).toBe('');
  await load(site, [view(4, MIDNIGHT + 1, { session_id: 2 })]);
  expect(await newViews(site)).toBe('');
});

test('the time of a removed first view stays when later views are removed', async () => {
  const site = await newSite(database.write);
  await load(site, [view(1, 0), view(2, MIDNIGHT), view(3, MIDNIGHT + DAY)]);
  for (const seconds of [MIDNIGHT, MIDNIGHT + DAY]) await removeBefore(site, seconds);
  expect(await storedTimes(site)).toEqual([0]);
});

test('a first time belongs to the visitor of the stored view, and is not stored if its row is refused', async () => {
  const site = await newSite(database.write);
  await load(site, [view(1, 0), view(2, 0, { reader_id: 2 })]);
  const { reader_id: _, ...unnamed } = view(1, 0, seen(-1));
  await load(site, [unnamed, view(2, 5, { reader_id: 2, ...seen(-1) })], {
    onConflict: 'refuse',
    onError: 'skip',
  });
  expect(await newViews(site)).toBe('2');
});

test('a first time is removed with the last view of its visitor, and not with an earlier one', async () => {
  const site = await newSite(database.write);
  await load(site, [view(1, 0, seen(-1)), view(2, DAY)]);
  const remove = (seconds: number) => {
    const day = new Date((AT + seconds) * 1000).toISOString().slice(0, 10);
    const options = { host: removalHost(database, clock), manifest, trackingId: site, login: 'ann' };
    return removeData(options, { kind: 'days', from: day, to: day });
  };
  await remove(0);
  expect(await newViews(site)).toBe('');
  await remove(DAY);
  expect(await storedTimes(site)).toEqual([]);
  await load(site, [view(3, 2 * DAY)]);
  expect(await newViews(site)).toBe('3');
});

test('an export contains the earliest first time of each visitor, once for each of their views', async () => {
  const site = await newSite(database.write);
  await load(site, [view(1, 0, seen(-1)), view(2, 0, { reader_id: 2 })]);
  await load(site, [view(3, 9000, seen(-3))]);
  await load(site, [view(4, 9000, seen(-2))]);
  const { site_id: siteId } = await database.write('analytics.site').where({ tracking_id: site }).first();
  const material = manifest.materials.get('allpv');
  if (material === undefined) throw new Error('There are no page views.');
  const { text } = exportQuery({ manifest, material, siteId, days: undefined, format: 'csv' });
  const { rows } = await database.write.raw(
    `SELECT pv_id, "fact.first_at" AS at FROM (${text}) r ORDER BY pv_id`,
  );
  const first = new Date((AT - 3) * 1000).toISOString().replace('.000', '');
  expect(rows).toEqual([1, 2, 3, 4].map((id) => ({ pv_id: String(id), at: id === 2 ? null : first })));
});

test('files that are imported again and again store a first time once for each import that can be undone', async () => {
  const site = await newSite(database.write);
  for (let index = 0; index < 5; index += 1)
    await load(site, [view(1, 0, seen(-1)), view(10 + index, 9000 + index, { reader_id: 2 })], {
      undoableImports: 2,
    });
  expect(await storedTimes(site)).toEqual([-1, -1, -1]);
});

test('a row without a visitor may add a first time to a view from an earlier row of the file', async () => {
  for (const batchRows of [1, 2]) {
    const site = await newSite(database.write);
    const { reader_id: _, ...unnamed } = view(1, 0, seen(-1));
    await load(site, [view(1, 0), unnamed], { limits: { ...TINY, batchRows } });
    expect([batchRows, await newViews(site), await storedTimes(site)]).toEqual([batchRows, '', [-1]]);
  }
});

test('a first time is removed if a later row of the import moves its view to another visitor', async () => {
  const site = await newSite(database.write);
  const named = (id: number, original_id: string, more: object = {}) => {
    const { reader_id: _, ...rest } = view(id, 0, more);
    return { ...rest, original_id };
  };
  await load(site, [named(1, 'ann')]);
  await load(site, [named(2, 'bob', seen(-1)), named(2, 'ann')], {
    duplicates: 'last',
    limits: { ...TINY, batchRows: 1 },
  });
  // The new visitor gets the id of the visitor who has no views.
  await load(site, [named(3, 'cid')]);
  expect([await newViews(site), await storedTimes(site)]).toEqual(['123', []]);
});

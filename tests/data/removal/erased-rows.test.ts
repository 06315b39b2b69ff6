// Which rows in files are recognized as an erased visitor's: however the id is written, but only those from before the erasure.
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { removeData } from '../../../extension/data/removal/remove-data';
import { removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { AT, manifest, newSite, row } from '../import/import-setup';

const database = useTestDatabase();
/** Later than all rows. */
const clock = () => new Date((AT + 1000) * 1000);

const load = (site: string, material: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material, site, rows, ...more });

const erase = (site: string, visitor: { originalId: string } | { readerId: number }) =>
  removeData(
    { host: removalHost(database, clock), manifest, trackingId: site, login: 'ann' },
    { kind: 'visitor', ...visitor },
  );

const OF_ERASED = { 'rows of erased visitors': 1 };

test.each([
  ['a number', 12, { readerId: 12 }],
  ['a number in a cell', '12', { readerId: 12 }],
  ['a number with leading zeros, which is text', '0012', { originalId: '0012' }],
  ['a number with a fraction, which is text', '12.0', { originalId: '12.0' }],
  ['a number after a space, which is text', ' 12', { originalId: ' 12' }],
  ['a number that is too large', '9007199254740993', { originalId: '9007199254740993' }],
] as const)('%s', async (_label, reader_id, visitor) => {
  const site = await newSite(database.write);
  const rows = [row(1, { reader_id })];
  expect((await load(site, 'allpv', rows)).added).toBe(1);
  expect((await erase(site, visitor)).removed).toEqual({ allpv: 1 });
  expect(await load(site, 'allpv', rows)).toMatchObject({ added: 0, skipped: OF_ERASED });
});

test.each([
  ['a name', { originalId: 'anna' }, { original_id: 'anna' }],
  ['a number', { readerId: 12 }, { reader_id: 12 }],
])('a visitor without stored rows is remembered by %s', async (_label, visitor, ids) => {
  const site = await newSite(database.write);
  expect((await erase(site, visitor)).removed).toEqual({});
  expect(await load(site, 'allpv', [row(1, ids)])).toMatchObject({ added: 0, skipped: OF_ERASED });
  expect((await load(site, 'allpv', [row(2000, ids)])).added).toBe(1);
});

test('clicks without a time belong to their page view', async () => {
  const site = await newSite(database.write);
  const click = (pv_id: number) => ({ pv_id, reader_id: 12, event_sec: 1, selector: '#buy' });
  await load(site, 'allpv', [row(1, { pv_id: 1, reader_id: 12 })]);
  await erase(site, { readerId: 12 });
  await load(site, 'allpv', [row(2000, { pv_id: 50, reader_id: 12 })]);
  const clicks = await load(site, 'click_event', [click(50), click(1)]);
  expect([clicks.added, clicks.skipped]).toEqual([1, OF_ERASED]);
  const view = { ...row(3), reader_id: 12, pv_id: 60, access_time: undefined };
  expect(await load(site, 'allpv', [view])).toMatchObject({ skipped: OF_ERASED });
});

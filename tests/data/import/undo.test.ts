// An undo leaves a site as if the import had never happened, and importing the file again restores it.

import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importOf } from '../../../extension/data/import/import-record';
import { importRows } from '../../../extension/data/import/import-rows';
import { listRemovals } from '../../../extension/data/removal/removal-record';
import { type Removed, removeData } from '../../../extension/data/removal/remove-data';
import { countUndo, undoImport } from '../../../extension/data/removal/undo-import';
import { LOCKS } from '../../../extension/data/storage/advisory-locks';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { removalHost } from '../../support/removal-host';
import { onFirstServer } from '../../support/second-server';
import { useTestDatabase } from '../../support/use-database';
import { AT, dataVersion, manifest, row } from './import-setup';
import { siteContents } from './site-contents';

const database = useTestDatabase();
const clock = () => new Date('2026-06-01T00:00:00Z');

interface File {
  readonly material: string;
  readonly rows: readonly object[];
}
const views = (...rows: readonly object[]): File => ({ material: 'allpv', rows });
const clicks = (...rows: readonly object[]): File => ({ material: 'click_event', rows });
const events = (...rows: readonly object[]): File => ({ material: 'datalayer_event', rows });
const searches = (...rows: readonly object[]): File => ({ material: 'gsc', rows });

let sites = 0;
async function newSite(): Promise<string> {
  sites += 1;
  const tracking_id = `undo-${sites}`;
  const goals = [
    { id: 1, name: 'Page', type: 'gtype_page', condition: { url: '/2', match: 'contains' } },
    { id: 2, name: 'Click', type: 'gtype_click', condition: { selector: '#b' } },
    { id: 3, name: 'Event', type: 'gtype_event', condition: { event: 'buy', size: 2 } },
  ];
  const site = { tracking_id, domain: 'example.com', name: tracking_id, timezone: 'UTC', goals };
  await applySites(database.write, { sites: [site] });
  return tracking_id;
}

async function load(site: string, file: File, more: Partial<ImportOptions> = {}): Promise<number> {
  const { importId } = await importRows(database.write, manifest, { ...file, site, ...more });
  return importId ?? 0;
}

async function filled(...files: readonly File[]): Promise<string> {
  const site = await newSite();
  for (const file of files) await load(site, file);
  return site;
}

const undo = (importId: number) =>
  undoImport({ write: database.write, manifest, importId, login: 'ann', clock });
const remove = (trackingId: string, removed: Removed) =>
  removeData({ host: removalHost(database, clock), manifest, trackingId, login: 'ann' }, removed);
const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);
const contents = (site: string) => siteContents(database.write, site);
const sameAs = async (site: string, ...files: readonly File[]) =>
  expect(await contents(site)).toEqual(await contents(await filled(...files)));

const figures = (day: string, count: number) => ({
  date: day,
  url: 'https://example.com/1',
  keyword: 'tea',
  search_type: 'web',
  clicks: count,
  impressions: 10 * count,
  position: count,
});

const first = views(
  row(1, { pv_id: 1, original_id: 'a', title: 'One', utm_source: 'news' }),
  row(900, { pv_id: 2, original_id: 'a' }),
  row(3000, { pv_id: 3, original_id: 'b', url: 'https://example.com/1', title: 'Two' }),
);
const cases: readonly (readonly [string, readonly File[], File])[] = [
  [
    'page views that were added between other views of their visits',
    [first],
    views(
      row(2500, { pv_id: 4, original_id: 'a', utm_source: 'other' }),
      row(4000, { pv_id: 5, original_id: 'b', url: 'https://example.com/1', title: 'Three' }),
    ),
  ],
  [
    'page views that were replaced: title, source, seconds and position in the visit',
    [first],
    views(
      row(1, { pv_id: 1, original_id: 'a', utm_source: 'mail', browse_sec: 7, pv: 9 }),
      row(3000, { pv_id: 3, original_id: 'b', url: 'https://example.com/1', title: 'New' }),
    ),
  ],
  [
    'page views that moved to another visitor, time and page, with clicks and events',
    [
      first,
      clicks({ pv_id: 2, event_sec: 4, selector: '#b' }),
      events({ pv_id: 2, access_time: AT + 905, event_name: 'buy', params: { size: 2 } }),
    ],
    views(row(9000, { pv_id: 2, original_id: 'c', url: 'https://example.com/2' })),
  ],
  [
    'clicks that were added and replaced',
    [first, clicks({ pv_id: 1, event_sec: 4, selector: '#b', element_text: 'Buy' })],
    clicks(
      { pv_id: 1, event_sec: 4, selector: '#b', element_text: 'Sell' },
      { pv_id: 3, event_sec: 1, selector: '#b' },
    ),
  ],
  [
    'events, with their names and observed parameters',
    [first, events({ pv_id: 1, access_time: AT + 2, event_name: 'buy', params: { size: 1 } })],
    events(
      { pv_id: 2, access_time: AT + 901, event_name: 'buy', params: { size: 2, color: 'red' } },
      { pv_id: 3, access_time: AT + 3002, event_name: 'see', params: {} },
    ),
  ],
  [
    'search figures that were added and replaced',
    [first, searches(figures('2026-02-01', 1))],
    searches(figures('2026-02-01', 5), { ...figures('2026-02-02', 2), keyword: 'cup' }),
  ],
];

// conformance: beyond.import-undone
test.each(cases)(
  'an undo leaves the site as if the rows had never been imported, and importing them again restores them: %s',
  async (_name, before, file) => {
    const site = await filled(...before);
    const without = await contents(site);
    const importId = await load(site, file);
    const complete = await contents(site);
    expect(complete).not.toEqual(without);
    await undo(importId);
    expect(await contents(site)).toEqual(without);
    await load(site, file);
    expect(await contents(site)).toEqual(complete);
  },
);

test('clicks that were assigned to a view by visitor return to the earlier view', async () => {
  const before = [first, clicks({ reader_id: 7, access_time: AT + 100, selector: '#b' })];
  const visitor = views(row(0, { pv_id: 9, reader_id: 7 }));
  const site = await filled(visitor, ...before);
  await undo(await load(site, views(row(50, { pv_id: 10, reader_id: 7 }))));
  await sameAs(site, visitor, ...before);
});

test('clicks that were assigned to a view by time are removed if the undo leaves no view before them', async () => {
  const before = [views(row(0, { pv_id: 9, reader_id: 7 }))];
  const clicked = clicks({ reader_id: 7, access_time: AT + 100, selector: '#b' });
  const site = await filled(...before, clicked);
  const nearer = await load(site, views(row(50, { pv_id: 10, reader_id: 7 })));
  const at200 = row(200, { pv_id: 9, url: 'https://example.com/0', reader_id: 7 });
  await load(site, views(at200));
  expect(await undo(nearer)).toMatchObject({ removed: { allpv: 1, click_event: 1 } });
  await sameAs(site, views(at200));
});

test('an undo reports what was removed and restored, and records the user and time', async () => {
  const site = await filled(first);
  const importId = await load(
    site,
    views(row(1, { pv_id: 1, original_id: 'a', title: 'X' }), row(5, { pv_id: 5 })),
  );
  expect(await importOf(database.read, importId)).toMatchObject({ status: 'done', canUndo: true });
  expect(await undo(importId)).toEqual({
    importId,
    trackingId: site,
    material: 'allpv',
    removed: { allpv: 1 },
    restored: 1,
    gone: 0,
  });
  expect(await importOf(database.read, importId)).toMatchObject({
    status: 'undone',
    canUndo: false,
    undoneAt: clock(),
    undoneBy: 'ann',
  });
  await expect(undo(importId)).rejects.toThrow(
    `Import ${importId} was already undone on 2026-06-01T00:00:00.000Z by ann.`,
  );
});

test.each<readonly [string, File]>([
  ['changed its rows', views(row(1, { pv_id: 1, original_id: 'a', title: 'Newest' }))],
  ['contains its rows again', first],
  ['added clicks to its views', clicks({ pv_id: 1, event_sec: 4, selector: '#b' })],
  ['added events to its views', events({ pv_id: 2, access_time: AT + 901, event_name: 'see', params: {} })],
  // conformance: beyond.import-undone
])('a later import that %s must be undone first, and is named in the error', async (_name, later) => {
  const site = await newSite();
  const importId = await load(site, first);
  const laterId = await load(site, later);
  const before = await contents(site);
  await expect(undo(importId)).rejects.toMatchObject({ reason: 'later', first: laterId });
  await expect(undo(importId)).rejects.toThrow(`Undo import ${laterId} first.`);
  expect(await contents(site)).toEqual(before);
  await undo(laterId);
  await undo(importId);
  await sameAs(site);
});

test('an import that changed a row cannot be undone before a later one that contains the row again', async () => {
  const site = await filled(views(row(1, { pv_id: 2, title: 'First' })));
  const changedId = await load(site, views(row(1, { pv_id: 2, title: 'Second' })));
  const laterId = await load(site, views(row(1, { pv_id: 2, title: 'Second' })));
  await load(site, views(row(5, { pv_id: 1 }), row(6, { pv_id: 3 })));
  await expect(undo(changedId)).rejects.toMatchObject({ reason: 'later', first: laterId });
});

test('a later import of different rows does not prevent the undo', async () => {
  const other = views(row(950, { pv_id: 20, original_id: 'a' }));
  const site = await newSite();
  const importId = await load(site, first);
  await load(site, other);
  await undo(importId);
  await sameAs(site, other);
});

test('replaced values are kept for the newest imports of a site; an older import cannot be undone', async () => {
  const site = await newSite();
  const options = { undoableImports: 2 };
  const ids: number[] = [];
  for (const id of [1, 2, 3]) ids.push(await load(site, views(row(id * 9000, { pv_id: id })), options));
  const [oldest = 0, second = 0] = ids;
  expect(await importOf(database.read, oldest)).toMatchObject({ status: 'done', canUndo: false });
  expect(await importOf(database.read, second)).toMatchObject({ canUndo: true });
  await expect(undo(oldest)).rejects.toMatchObject({ reason: 'forgotten' });
  await undo(second);
  const none = await load(site, views(row(9, { pv_id: 9 })), { undoableImports: 0 });
  await expect(undo(none)).rejects.toMatchObject({ reason: 'forgotten' });
});

onFirstServer(
  'a visitor who is identified differently in another file keeps their id when the import of the first file is undone:',
  () => {
    test.each([
      ['as text', { reader_id: 'ann', original_id: 'Ann' }, { reader_id: 'stranger' }],
      ['as text, and the name alone', { reader_id: 'ann', original_id: 'Ann' }, { original_id: 'Stranger' }],
      ['by name', { original_id: 'Ann' }, { original_id: 'Stranger' }],
      ['by name, and a view without a name', { original_id: 'Ann' }, {}],
      ['as a number', { reader_id: 7, original_id: 'Ann' }, { reader_id: 8 }],
    ])('%s', async (_how, named, stranger) => {
      const other = views(row(9000, { pv_id: 2, original_id: 'Ann' }));
      const strangers = views(row(100, { pv_id: 3, ...stranger }));
      const again = views(row(20_000, { pv_id: 4, original_id: 'Ann' }));
      const site = await newSite();
      const importId = await load(site, views(row(1, { pv_id: 1, ...named })));
      await load(site, other);
      await undo(importId);
      await load(site, strangers);
      await load(site, again);
      await sameAs(site, other, strangers, again);
    });
  },
);

test('imports that change nothing do not count toward the number of imports that can be undone', async () => {
  const site = await newSite();
  const options = { undoableImports: 1 };
  const file = views(row(1, { pv_id: 1 }));
  const first = await load(site, file, options);
  const again = await load(site, file, options);
  for (let time = 0; time < 12; time += 1) await load(site, views(), options);
  expect(await importOf(database.read, first)).toMatchObject({ canUndo: true });
  // The later import also contains the view.
  await expect(undo(first)).rejects.toMatchObject({ reason: 'later', first: again });
  await undo(again);
  await undo(first);
  await sameAs(site);
});

/** The recorded sets of rows, each with all imports that contained it. */
async function sets(site: string): Promise<readonly unknown[]> {
  const { rows } = await database.write.raw(
    `SELECT r.kind, r.import_id, r.shared_by, r.ids::text FROM analytics.import_record r JOIN analytics.site s USING (site_id)
      WHERE s.tracking_id = ? AND r.ids IS NOT NULL ORDER BY r.import_id`,
    [site],
  );
  return rows;
}

test('imports of an unchanged file share one set of recorded rows, and can only be undone in reverse order', async () => {
  const site = await newSite();
  const [one, two, three] = [await load(site, first), await load(site, first), await load(site, first)];
  const set = { kind: 'added', import_id: one, ids: '{[1,4)}' };
  expect(await sets(site)).toEqual([{ ...set, shared_by: [two, three] }]);
  await expect(undo(one)).rejects.toMatchObject({ reason: 'later', first: three });
  await undo(three);
  expect(await sets(site)).toEqual([{ ...set, shared_by: [two] }]);
  await expect(undo(one)).rejects.toMatchObject({ reason: 'later', first: two });
  await undo(two);
  await undo(one);
  await sameAs(site);
  expect(await sets(site)).toEqual([]);
});

test('a shared set of rows remains after the import that created it is undone', async () => {
  const site = await newSite();
  const one = await load(site, first);
  const [two, three] = [await load(site, first), await load(site, first)];
  const other = await load(site, views(row(9000, { pv_id: 9 })), { undoableImports: 1 });
  await expect(undo(one)).rejects.toMatchObject({ reason: 'forgotten' });
  expect(await sets(site)).toEqual([
    { kind: 'met', import_id: two, shared_by: [three], ids: '{[1,4)}' },
    { kind: 'added', import_id: other, shared_by: null, ids: '{[9,10)}' },
  ]);
  await undo(two);
  expect(await sets(site)).toContainEqual({ kind: 'met', import_id: three, shared_by: null, ids: '{[1,4)}' });
  await undo(three);
  await undo(other);
  await sameAs(site, first);
});

test('a failed or unknown import cannot be undone', async () => {
  await expect(undo(999_999)).rejects.toMatchObject({ reason: 'unknown' });
  const site = await newSite();
  let importId = 0;
  const onRecorded = (id: number) => {
    importId = id;
  };
  await expect(load(site, views({ url: 'x' }), { onRecorded })).rejects.toThrow();
  await expect(undo(importId)).rejects.toMatchObject({ reason: 'not-done' });
});

test('rows that were removed in the meantime are counted but not restored', async () => {
  const site = await filled(first);
  const importId = await load(
    site,
    views(row(1, { pv_id: 1, original_id: 'a', title: 'X' }), row(90_000, { pv_id: 5, original_id: 'c' })),
  );
  await remove(site, { kind: 'visitor', originalId: 'c' });
  expect(await undo(importId)).toMatchObject({ removed: {}, restored: 1, gone: 1 });
  await sameAs(site, first);
});

test('strings that are referenced only by old values are kept when other imports are undone', async () => {
  const site = await filled(first);
  const corrected = await load(site, views(row(1, { pv_id: 1, original_id: 'a', utm_source: 'mail' })));
  await undo(await load(site, views(row(60_000, { pv_id: 30, utm_source: 'news' }))));
  await undo(corrected);
  await sameAs(site, first);
});

// conformance: beyond.import-undone
test('rows of a visitor who was erased in the meantime are removed by the undo instead of restored', async () => {
  const erased = row(1, { pv_id: 1, original_id: 'a' });
  const site = await filled(
    views(erased, row(2, { pv_id: 2, original_id: 'a' }), row(3, { pv_id: 3, original_id: 'b' })),
  );
  const importId = await load(site, views(row(2, { pv_id: 2, original_id: 'b', title: 'Two' })));
  await remove(site, { kind: 'visitor', originalId: 'a' });
  expect(await undo(importId)).toMatchObject({ removed: { allpv: 1 }, restored: 0, gone: 0 });
  await sameAs(site, views(row(3, { pv_id: 3, original_id: 'b' })));
});

test('rows that were on a removed day before the import are removed instead of restored', async () => {
  const other = views(row(90_000, { pv_id: 2, original_id: 'b' }));
  const site = await filled(views(row(1, { pv_id: 1, original_id: 'a' })), other);
  const importId = await load(site, views(row(90_001, { pv_id: 1, url: 'https://example.com/1' })));
  await remove(site, { kind: 'days', from: dayOf(AT), to: dayOf(AT) });
  await undo(importId);
  await sameAs(site, other);
});

test('ids that are reused after a removal belong to the new import', async () => {
  const site = await newSite();
  const importId = await load(site, views(row(1), row(90_000)));
  await remove(site, { kind: 'days', from: dayOf(AT + 90_000), to: dayOf(AT + 90_000) });
  const later = views(row(95_000, { title: 'Later' }));
  await load(site, later);
  expect(await undo(importId)).toMatchObject({ removed: { allpv: 1 }, gone: 1 });
  await sameAs(site, later);
});

test('an import that renumbered a page version cannot be undone before a later one that reused the old number', async () => {
  const version = (version_id: number, version_no: number): File => ({
    material: 'page_version',
    rows: [
      { version_id, version_no, url: 'https://example.com/1', device_type: 'PC', update_date: '2026-02-01' },
    ],
  });
  const site = await filled(version(1, 1));
  const importId = await load(site, version(1, 2));
  const laterId = await load(site, version(3, 1));
  await expect(undo(importId)).rejects.toMatchObject({ reason: 'later', first: laterId });
  await undo(laterId);
  await undo(importId);
  await sameAs(site, version(1, 1));
});

test('imports are ordered by when they were completed, regardless of the clock', async () => {
  const site = await newSite();
  const importId = await load(site, first, { clock: () => new Date('2026-05-02T00:00:00Z') });
  const laterId = await load(site, first, { clock: () => new Date('2026-05-01T00:00:00Z') });
  await expect(undo(importId)).rejects.toMatchObject({ first: laterId });
});

test('nothing can be undone while an import into the site is running', async () => {
  const site = await newSite();
  const importId = await load(site, first);
  const { site_id } = await database.write('analytics.site').where({ tracking_id: site }).first('site_id');
  await database.write.transaction(async (transaction) => {
    await transaction.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCKS.site, site_id]);
    await expect(undo(importId)).rejects.toMatchObject({ reason: 'busy' });
  });
  await undo(importId);
});

test('an undo raises the data version once and is listed with the removals', async () => {
  const site = await filled(first);
  const importId = await load(
    site,
    views(row(1, { pv_id: 1, original_id: 'a', title: 'X' }), row(5, { pv_id: 5 })),
  );
  const before = await dataVersion(database.write, site);
  await undo(importId);
  expect(await dataVersion(database.write, site)).toBe(before + 1);
  expect(await listRemovals(database.read, [site], 1)).toEqual([
    {
      at: clock(),
      login: 'ann',
      kind: 'undo',
      trackingId: site,
      firstDay: null,
      lastDay: null,
      material: 'allpv',
      removed: { allpv: 1 },
      importId,
      restored: 1,
    },
  ]);
});

test('the rows that an undo would affect can be counted without changing anything', async () => {
  const visitor = views(row(0, { pv_id: 9, reader_id: 7 }));
  const site = await filled(visitor, clicks({ reader_id: 7, access_time: AT + 100, selector: '#b' }));
  const importId = await load(
    site,
    views(row(50, { pv_id: 10, reader_id: 7 }), row(0, { pv_id: 9, title: 'X' })),
  );
  const before = await contents(site);
  expect(await countUndo({ write: database.write, manifest, importId })).toEqual({
    importId,
    trackingId: site,
    material: 'allpv',
    removed: 1,
    restored: 1,
    attached: 1,
    gone: 0,
  });
  expect(await contents(site)).toEqual(before);
});

test('an import can be undone before a later one of another material, even if their rows have the same ids', async () => {
  const first = views(row(1, { pv_id: 1, reader_id: 1 }));
  const onFirst = clicks(...[1, 2, 3].map((event_sec) => ({ pv_id: 1, event_sec, selector: '#b' })));
  const site = await filled(first);
  const importId = await load(site, views(row(2, { pv_id: 2, reader_id: 2 })));
  await load(site, onFirst);
  await undo(importId);
  await sameAs(site, first, onFirst);
});

test('strings that were referenced only by corrections that can no longer be undone are removed', async () => {
  const site = await filled(views(row(1, { pv_id: 1, original_id: 'a', title: 'One', utm_source: 'news' })));
  await load(
    site,
    views(
      row(1, { pv_id: 1, original_id: 'b', title: 'Two', utm_source: 'mail', url: 'https://example.com/2' }),
    ),
  );
  await load(site, views(row(9, { pv_id: 9 })), { undoableImports: 0 });
  await sameAs(
    site,
    views(
      row(1, { pv_id: 1, original_id: 'b', title: 'Two', utm_source: 'mail', url: 'https://example.com/2' }),
      row(9, { pv_id: 9 }),
    ),
  );
});

// Clicks and events that are imported before their page view wait for it. The result is the same as if they had been imported
// after it.
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { exportSite } from '../../../extension/data/export/export-site';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importOf } from '../../../extension/data/import/import-record';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile, importTogether } from '../../../extension/data/import/import-together';
import { removeOldVisits } from '../../../extension/data/removal/old-visits';
import { type Removed, removeData } from '../../../extension/data/removal/remove-data';
import { countUndo, undoImport } from '../../../extension/data/removal/undo-import';
import { writeParquet } from '../../../extension/query/columns/write-parquet';
import { createMemoryLog } from '../../support/memory-log';
import { removalHost } from '../../support/removal-host';
import { useTestDatabase } from '../../support/use-database';
import { AT, newSite as makeSite, manifest, row, TINY } from './import-setup';
import { siteContents } from './site-contents';

const database = useTestDatabase();
const clock = () => new Date('2026-06-01T00:00:00Z');

const GOAL = {
  goal_no: 1,
  name: 'Click',
  type: 'gtype_click',
  condition: JSON.stringify({ selector: '#b' }),
};

async function newSite(): Promise<string> {
  const site = await makeSite(database.write);
  await database.write.raw(
    `INSERT INTO analytics.goal (site_id, goal_no, name, type, condition)
     SELECT site_id, :goal_no, :name, :type, :condition FROM analytics.site WHERE tracking_id = :site`,
    { ...GOAL, site },
  );
  return site;
}

interface File {
  readonly material: string;
  readonly rows: readonly object[];
}
const views = (...rows: readonly object[]): File => ({ material: 'allpv', rows });
const clicks = (...rows: readonly object[]): File => ({ material: 'click_event', rows });
const events = (...rows: readonly object[]): File => ({ material: 'datalayer_event', rows });

const load = (site: string, file: File, more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { ...file, site, ...more });
const undo = (importId: number | undefined) =>
  undoImport({ write: database.write, manifest, importId: importId ?? 0, login: 'ann', clock });
const remove = async (trackingId: string, removed: Removed) =>
  (await removeData({ host: removalHost(database, clock), manifest, trackingId, login: 'ann' }, removed))
    .removed;
const contents = (site: string) => siteContents(database.write, site);

async function filled(...files: readonly File[]): Promise<string> {
  const site = await newSite();
  for (const file of files) await load(site, file);
  return site;
}

async function waiting(site: string): Promise<number> {
  const { rows } = await database.write.raw(
    `SELECT count(*)::integer AS n FROM analytics.waiting_row JOIN analytics.site USING (site_id)
      WHERE tracking_id = ? AND row_id IS NULL`,
    [site],
  );
  return rows[0].n;
}

const FIRST = views(
  row(0, { pv_id: 1, session_id: 's', reader_id: 'r' }),
  row(100, { pv_id: 'second', session_id: 's', reader_id: 'r' }),
  row(5000, { pv_id: 3, reader_id: 'q', original_id: 'Q' }),
);
const CLICKS = clicks(
  { pv_id: 1, event_sec: 3, selector: '#b', element_text: 'Buy "now"', page_x_pct: 12.5, is_external: true },
  { pv_id: 1, event_sec: 3, selector: '#b', element_text: 'Buy "now"', page_x_pct: 12.5, is_external: true },
  { pv_id: 'second', access_time: AT + 104, selector: '#a', action_id: 'tel' },
  { session_id: 's', access_time: AT + 150, selector: '#a' },
  { reader_id: 'q', access_time: AT + 5010, selector: '#b', to_url: 'https://example.com/語' },
);
const EVENTS = events(
  {
    pv_id: 1,
    access_time: AT + 5,
    event_name: 'buy',
    params: { size: 2, sku: '9007199254740993', list: [1, null] },
  },
  { session_id: 's', access_time: AT + 120, event_name: 'buy', params: { size: 'big' } },
  { reader_id: 'q', access_time: AT + 5001, event_name: 'see' },
);

// conformance: beyond.clicks-events-wait
test.each([
  ['one batch', {}],
  ['tiny batches', { limits: TINY }],
])('clicks and events may be imported before their views, with the same result: %s', async (_name, more) => {
  const site = await newSite();
  expect(await load(site, CLICKS, more)).toMatchObject({
    read: 5,
    added: 0,
    unchanged: 0,
    rejected: 0,
    waiting: 5,
  });
  const report = await load(site, EVENTS, more);
  expect(report).toMatchObject({ added: 0, waiting: 3 });
  expect(await importOf(database.read, report.importId ?? 0)).toMatchObject({ status: 'done', waiting: 3 });
  expect((await contents(site)).selector).toEqual([]);
  expect((await contents(site)).event_name).toEqual([]);
  expect(await load(site, FIRST, more)).toMatchObject({ added: 3 });
  const inOrder = await filled(FIRST, CLICKS, EVENTS);
  expect((await contents(inOrder)).click).toHaveLength(5);
  expect((await contents(inOrder)).conversion).toHaveLength(2);
  expect(await contents(site)).toEqual(await contents(inOrder));
  expect(await waiting(site)).toBe(0);
  // The stored clicks are recognized.
  expect(await load(site, CLICKS, more)).toMatchObject({ added: 0, unchanged: 5, waiting: 0 });
});

test('importing the file again while its rows wait changes nothing, and two identical rows in a file are both stored', async () => {
  const site = await newSite();
  const { importId } = await load(site, CLICKS);
  const again = await load(site, CLICKS);
  expect(again).toMatchObject({ added: 0, unchanged: 5, waiting: 0 });
  expect(await waiting(site)).toBe(5);
  await undo(importId);
  await load(site, FIRST);
  expect(await contents(site)).toEqual(await contents(await filled(FIRST, CLICKS)));
  await expect(undo(again.importId)).resolves.toMatchObject({ removed: { click_event: 5 } });
  expect(await contents(site)).toEqual(await contents(await filled(FIRST)));
});

/** Imports one click with each of these values of element_text, in separate files of the same import. */
async function loadTogether(site: string, texts: readonly string[]): Promise<number> {
  const click = { pv_id: 1, event_sec: 3, selector: '#b' };
  const { importId } = await importTogether(
    {
      write: database.write,
      manifest,
      material: 'click_event',
      site,
      source: 'clicks',
      onError: 'stop',
      wait: true,
      clock,
      format: 'ndjson',
    },
    texts.map((text) => ({
      open: async () => Readable.from([`${JSON.stringify({ ...click, element_text: text })}\n`]),
    })),
  );
  return importId ?? 0;
}

// Each list contains the files of one import.
test.each([
  ['three imports', [['Buy'], ['Sell'], ['Buy']]],
  ['one import of three files', [['Buy', 'Sell', 'Buy']]],
  [
    'two imports with alternating values',
    [
      ['Buy', 'Sell'],
      ['Buy', 'Sell', 'Hold', 'Buy', 'Sell', 'Buy'],
    ],
  ],
])(
  'a click that is corrected twice while it waits is stored as if its view had existed all along: %s',
  async (_name, imports) => {
    const inOrder = await filled(FIRST);
    const site = await newSite();
    const ids: number[] = [];
    for (const texts of imports) {
      for (const to of [inOrder, site]) {
        const importId = await loadTogether(to, texts);
        if (to === site) ids.push(importId);
      }
    }
    const view = await load(site, FIRST);
    expect(await contents(site)).toEqual(await contents(inOrder));
    expect(await waiting(site)).toBe(0);
    await undo(view.importId);
    for (const id of ids.toReversed()) await undo(id);
    expect(await waiting(site)).toBe(0);
    await load(site, FIRST);
    expect(await contents(site)).toEqual(await contents(await filled(FIRST)));
  },
);

test('a correction of a waiting row takes effect when its view is imported', async () => {
  const corrected = clicks({
    pv_id: 1,
    event_sec: 3,
    selector: '#b',
    page_x_pct: 12.5,
    element_text: 'Sell',
  });
  const site = await filled(CLICKS, corrected, FIRST);
  expect(await contents(site)).toEqual(await contents(await filled(FIRST, CLICKS, corrected)));
});

test.each([
  ['replace', 'Sell', 0],
  ['keep', 'Buy', 0],
  ['refuse', 'Buy', 1],
] as const)(
  'different values for the same waiting row are merged according to the conflict rule of their import: %s',
  async (onConflict, text, rejected) => {
    const click = (element_text: string) => clicks({ pv_id: 1, event_sec: 3, selector: '#b', element_text });
    const site = await filled(click('Buy'));
    const { importId = 0 } = await load(site, click('Sell'), { onConflict });
    expect(await waiting(site)).toBe(2);
    await load(site, FIRST);
    expect((await contents(site)).click?.map(({ element_text }) => element_text)).toEqual([text]);
    expect(await importOf(database.read, importId)).toMatchObject({ rejected });
  },
);

test('waiting rows wait again if the import of their views is undone, and are removed if their own import is undone', async () => {
  const site = await newSite();
  const clickImport = await load(site, CLICKS);
  await load(site, EVENTS);
  const { importId } = await load(site, FIRST);
  await undo(importId);
  expect(await waiting(site)).toBe(8);
  expect((await contents(site)).click).toEqual([]);
  await load(site, FIRST);
  expect(await contents(site)).toEqual(await contents(await filled(FIRST, CLICKS, EVENTS)));
  expect(await undo(clickImport.importId)).toMatchObject({ removed: { click_event: 5 }, gone: 0 });
  expect(await contents(site)).toEqual(await contents(await filled(FIRST, EVENTS)));
  const other = await filled(EVENTS);
  const { importId: waits = 0 } = await load(other, CLICKS);
  expect(await countUndo({ write: database.write, manifest, importId: waits })).toMatchObject({ removed: 5 });
  expect(await undo(waits)).toMatchObject({ removed: { click_event: 5 } });
  expect(await waiting(other)).toBe(3);
});

test('waiting rows are added to a view when a correction that moved the view away is undone', async () => {
  const site = await filled(views(row(0, { pv_id: 1, session_id: 5 })));
  const { importId } = await load(site, views(row(0, { pv_id: 1, session_id: 6 })));
  await load(site, clicks({ session_id: 5, access_time: AT + 9, selector: '#b' }));
  expect(await waiting(site)).toBe(1);
  await undo(importId);
  expect(await waiting(site)).toBe(0);
  expect((await contents(site)).click).toMatchObject([{ session_id: 5, event_sec: 9 }]);
});

test('a waiting row that conflicts with its view is listed as rejected in the record of its import', async () => {
  const site = await newSite();
  const { importId = 0 } = await load(
    site,
    clicks(
      { pv_id: 1, access_time: AT - 5, selector: '#a' },
      { pv_id: 1, session_id: 9, event_sec: 1, selector: '#a' },
    ),
  );
  await load(site, FIRST);
  expect(await waiting(site)).toBe(0);
  expect(await importOf(database.read, importId)).toMatchObject({
    rejected: 2,
    rejections: [
      { line: 1, column: 'access_time', reason: 'is before the start of page view 1' },
      { line: 2, column: 'session_id', reason: 'is not the visit of page view 1' },
    ],
  });
  expect((await contents(site)).selector).toEqual([]);
});

test('a dry run stores no waiting rows', async () => {
  const site = await newSite();
  expect(await load(site, CLICKS, { dryRun: { rows: 1 } })).toMatchObject({ waiting: 5 });
  expect(await waiting(site)).toBe(0);
});

test.each(['ndjson', 'csv'] as const)('waiting rows are exported as %s', async (format) => {
  const site = await filled(CLICKS, EVENTS);
  const folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
  try {
    const signal = new AbortController().signal;
    const files = await exportSite({
      write: database.write,
      manifest,
      site,
      folder,
      format,
      signal,
      writeParquet,
      onProgress: () => {},
    });
    const copy = await newSite();
    for (const { file, rows } of files) {
      const name = basename(file);
      const more = {
        source: name,
        fileName: name,
        input: createReadStream(file),
        onError: 'stop',
        clock,
      } as const;
      const material = name.split('.')[0] ?? '';
      const report = await importFile({ write: database.write, manifest, material, site: copy, ...more });
      expect(report).toMatchObject({ read: rows, added: 0, waiting: rows });
    }
    await load(copy, FIRST);
    expect(await contents(copy)).toEqual(await contents(await filled(FIRST, CLICKS, EVENTS)));
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('waiting rows are removed', () => {
  test('only when their own day is removed', async () => {
    const site = await filled(CLICKS, EVENTS);
    const day = new Date(AT * 1000).toISOString().slice(0, 10);
    expect(await remove(site, { kind: 'days', from: day, to: day, material: 'click_event' })).toEqual({
      click_event: 3,
    });
    // Rows whose time is relative to their view have no day yet.
    expect(await waiting(site)).toBe(2 + 3);
    expect(await remove(site, { kind: 'days', from: day, to: day })).toEqual({ datalayer_event: 3 });
    await load(site, FIRST);
    expect((await contents(site)).click).toHaveLength(2);
  });

  test('when the page views of their day are removed', async () => {
    const site = await filled(CLICKS, EVENTS);
    const day = new Date(AT * 1000).toISOString().slice(0, 10);
    expect(await remove(site, { kind: 'days', from: day, to: day, material: 'allpv' })).toEqual({
      click_event: 3,
      datalayer_event: 3,
    });
    expect(await waiting(site)).toBe(2);
  });

  test('and counted only once if they were added to their views', async () => {
    const site = await filled(CLICKS, EVENTS, FIRST);
    const rowsOf = async () => {
      const { click = [], event = [] } = await contents(site);
      return click.length + event.length + (await waiting(site));
    };
    const before = await rowsOf();
    const day = new Date(AT * 1000).toISOString().slice(0, 10);
    const { click_event = 0, datalayer_event = 0 } = await remove(site, { kind: 'days', from: day, to: day });
    expect(click_event + datalayer_event).toBe(before - (await rowsOf()));
    expect(click_event).toBeGreaterThan(0);
  });

  test('but not with rows of another dataset that have the same number', async () => {
    const site = await filled(
      clicks({ pv_id: 1, event_sec: 3, selector: '#b' }),
      events({ pv_id: 1, access_time: AT + 5, event_name: 'see' }),
    );
    const { importId } = await load(site, views(row(0, { pv_id: 1 })));
    const day = new Date(AT * 1000).toISOString().slice(0, 10);
    await remove(site, { kind: 'days', from: day, to: day, material: 'click_event' });
    await undo(importId);
    expect(await waiting(site)).toBe(1);
  });

  test('when their visitor, or the visitor of their visit, is erased', async () => {
    const site = await filled(
      views(row(0, { pv_id: 1, session_id: 's', reader_id: 'r' })),
      clicks(
        { session_id: 's', access_time: AT - 5, selector: '#a' },
        { reader_id: 'r', access_time: AT + 9000, selector: '#b' },
        { reader_id: 'q', access_time: AT, selector: '#c' },
      ),
    );
    expect(await waiting(site)).toBe(3);
    await remove(site, { kind: 'visitor', originalId: 'r' });
    expect(await waiting(site)).toBe(1);
    await remove(site, { kind: 'visitor', originalId: 'q' });
    expect(await waiting(site)).toBe(0);
    const { rows } = await database.write.raw(
      `SELECT given FROM analytics.given_id JOIN analytics.site USING (site_id) WHERE tracking_id = ?`,
      [site],
    );
    expect(rows).toEqual([]);
  });

  test('but not when a different visitor of the same visit is erased', async () => {
    const site = await filled(
      views(
        row(0, { pv_id: 1, session_id: 's', reader_id: 'r' }),
        row(10, { pv_id: 2, session_id: 's', reader_id: 'q' }),
      ),
      clicks(
        { pv_id: 3, session_id: 's', reader_id: 'q', event_sec: 1, selector: '#a' },
        { pv_id: 4, session_id: 's', event_sec: 1, selector: '#b' },
      ),
    );
    expect(await remove(site, { kind: 'visitor', originalId: 'r' })).toEqual({ allpv: 1, click_event: 1 });
    await load(site, views(row(20, { pv_id: 3, session_id: 's', reader_id: 'q' })));
    expect((await contents(site)).click).toMatchObject([{ pv_id: 3 }]);
  });

  test('when they are older than the retention period, or their site is removed', async () => {
    const site = await filled(CLICKS, EVENTS, views(row(0, { pv_id: 77 })));
    const { log } = createMemoryLog();
    await database.write('analytics.site').where({ tracking_id: site }).update({ retention_days: 5 });
    const now = () => new Date((AT + 30 * 86_400) * 1000);
    await removeOldVisits({ write: database.write, manifest, log, clock: now }, new AbortController().signal);
    // The two rows whose time is relative to their view are as old as their import.
    expect(await waiting(site)).toBe(2);
    await remove(site, { kind: 'site' });
    expect(
      await database
        .write('analytics.waiting_row')
        .whereNotIn('site_id', database.write('analytics.site').select('site_id')),
    ).toEqual([]);
  });
});

test('the visitor id of a waiting row is not assigned to another visitor', async () => {
  const site = await newSite();
  const { importId } = await load(site, views(row(0, { pv_id: 1, reader_id: 'known' })));
  await load(site, clicks({ reader_id: 'known', access_time: AT + 9000, selector: '#a' }));
  await undo(importId);
  await load(site, views(row(8999, { pv_id: 2, reader_id: 'stranger' })));
  expect(await waiting(site)).toBe(1);
  await load(site, views(row(8999, { pv_id: 3, reader_id: 'known' })));
  expect((await contents(site)).click).toMatchObject([{ pv_id: 3 }]);
});

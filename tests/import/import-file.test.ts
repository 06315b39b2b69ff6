// A file into a site: what is added, what was there, what is refused, and that a failure leaves nothing.
import { Readable } from 'node:stream';
import type { RejectedRow } from '../../db/import/fill-batches';
import { ImportError } from '../../db/import/import-error';
import { type ImportOptions, importFile } from '../../db/import/import-file';
import { importRows } from '../../db/import/import-rows';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { manifest, newSite, storedViews, TINY } from './import-setup';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const AT = 1_770_000_000;
const row = (place: number, more: object = {}) => ({
  url: `https://example.com/${place}`,
  access_time: AT + place,
  ...more,
});

const load = (site: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material: 'allpv', site, rows, ...more });

const loadText = (site: string, text: string, format: 'ndjson' | 'csv', more: Partial<ImportOptions> = {}) =>
  importFile({
    write: database.write,
    manifest,
    material: 'allpv',
    site,
    input: Readable.from([Buffer.from(text)]),
    format,
    source: 'test',
    onError: 'stop',
    clock: () => new Date(AT * 1000),
    ...more,
  });

async function version(site: string): Promise<number> {
  const answer = await database.write.raw(
    'SELECT data_version::int AS version FROM analytics.site WHERE tracking_id = ?',
    [site],
  );
  return answer.rows[0].version;
}

async function refusal(work: Promise<unknown>): Promise<ImportError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof ImportError) return outcome;
  throw new Error(`expected an ImportError, got ${String(outcome)}`);
}

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
    expect(await version(site)).toBe(1);
    expect(await load(site, [...rows, make(23)], { limits: TINY })).toMatchObject({
      added: 1,
      unchanged: 23,
    });
    expect(await version(site)).toBe(2);
  });

  test('a pv_id twice in a file: the first row stays', async () => {
    const site = await newSite(database.write);
    const rows = [row(1, { pv_id: 7 }), row(2, { pv_id: 7 })];
    expect(await load(site, rows)).toMatchObject({ added: 1, unchanged: 1 });
    expect((await storedViews(database.write, site)).map((view) => view.url)).toEqual([
      'https://example.com/1',
    ]);
  });

  test('equal rows of one file are as many views, and are found again one by one', async () => {
    const site = await newSite(database.write);
    expect(await load(site, [row(1), row(1), row(1)])).toMatchObject({ added: 3, unchanged: 0 });
    expect(await load(site, [row(1), row(1)])).toMatchObject({ added: 0, unchanged: 2 });
    expect(await load(site, [row(1), row(1), row(1), row(1)])).toMatchObject({ added: 1, unchanged: 3 });
  });

  test('rows that differ in one value only are different rows', async () => {
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
  test('given ids are kept, and made ones never meet them', async () => {
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

  test('too large an id is refused', async () => {
    const site = await newSite(database.write);
    const error = await refusal(load(site, [row(1, { pv_id: 4_000_000_000_000_000 })]));
    expect(error.message).toBe(
      'Line 1, column pv_id, value 4000000000000000: must be at most 3999999999999999',
    );
  });

  test("a visitor's own id follows the newest view, and is one visitor without a reader_id", async () => {
    const site = await newSite(database.write);
    await load(site, [row(5, { reader_id: 1, original_id: 'new' }), row(6, { original_id: 'own' })]);
    await load(site, [row(1, { reader_id: 1, original_id: 'old' }), row(9, { original_id: 'own' })]);
    const views = await storedViews(database.write, site);
    expect(views.map((view) => view.original_id)).toEqual(['new', 'new', 'own', 'own']);
    expect(views[2]?.reader_id).toBe(views[3]?.reader_id);
  });
});

describe('values', () => {
  const NASTY = 'quote " apostrophe \' backslash \\ tab \t line \n return \r null \\N brace {,} emoji 😀 語';

  test('texts come back as they were given', async () => {
    const site = await newSite(database.write);
    await load(site, [
      row(1, { url: NASTY, title: NASTY, referrer: NASTY, utm_medium: NASTY, os: NASTY, original_id: NASTY }),
    ]);
    const [view] = await storedViews(database.write, site);
    expect(view).toMatchObject({
      url: NASTY,
      title: NASTY,
      referrer: NASTY,
      utm_medium: NASTY,
      os: NASTY,
      original_id: NASTY,
    });
  });

  test('an empty text is not a missing one', async () => {
    const site = await newSite(database.write);
    await load(site, [row(1, { utm_source: '', utm_medium: '' }), row(2, { utm_source: null }), row(3)]);
    const views = await storedViews(database.write, site);
    expect(views.map((view) => [view.utm_source, view.utm_medium])).toEqual([
      ['', ''],
      [null, null],
      [null, null],
    ]);
  });

  test('device synonyms, countries, flags and defaults', async () => {
    const site = await newSite(database.write);
    await load(site, [
      row(1, { device_type: 'Desktop', country_code: 'jp', deep_read: true }),
      row(2, { device_type: 'mobile', deep_read: '1', irritation_click_count: '4' }),
      row(3, { device_type: 'TAB', deep_read: 0 }),
      row(4),
    ]);
    const views = await storedViews(database.write, site);
    expect(views.map((view) => [view.device_type, view.country_code, view.deep_read])).toEqual([
      ['PC', 'JP', true],
      ['SP', null, true],
      ['tablet', null, false],
      ['PC', null, false],
    ]);
    expect(views.map((view) => view.irritation_click_count)).toEqual([0, 4, 0, 0]);
  });

  test('the title of the newest view stays, whatever came last', async () => {
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

  test.each([
    [
      'a column that does not exist',
      { utm_sorce: 'x' },
      'column utm_sorce: allpv has no such column; the nearest name is utm_source',
    ],
    [
      'a column that is made',
      { is_article: 1 },
      'column is_article: is made from other columns and cannot be imported; leave it out',
    ],
    ['no URL', { url: undefined }, 'column url, value null: is required'],
    [
      'a word for a number',
      { browse_sec: 'long' },
      'column browse_sec, value "long": must be a whole number',
    ],
    ['a fraction', { speed_msec: 1.5 }, 'column speed_msec, value 1.5: must be a whole number'],
    [
      'more than the database holds',
      { browse_sec: 3e9 },
      'column browse_sec, value 3000000000: must be at most 2147483647',
    ],
    [
      'more than the column allows',
      { depth_position: 101 },
      'column depth_position, value 101: must be at most 100',
    ],
    ['no flag', { is_last: 2 }, 'column is_last, value 2: must be 0, 1, true or false'],
    [
      'no device',
      { device_type: 'watch' },
      'column device_type, value "watch": must be one of PC, tablet, SP',
    ],
    [
      'no country',
      { country_code: 'Japan' },
      'column country_code, value "Japan": must be a country of ISO 3166-1',
    ],
    ['U+0000', { title: 'a\0b' }, 'column title, value "a\\u0000b": holds the character U+0000'],
    ['half a character', { os: 'a\ud800' }, 'column os, value "a\\ud800": holds half a character'],
    ['a local time', { access_time: '2026-05-01T10:00:00' }, 'has no offset; add one'],
  ])('refused: %s', async (_name, fault, words) => {
    const site = await newSite(database.write);
    const error = await refusal(load(site, [row(1), row(2, fault), row(3)]));
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/^Line 2, /);
    expect(await storedViews(database.write, site)).toEqual([]);
  });
});

describe('faults', () => {
  const broken = `${JSON.stringify(row(1))}\nnot json\n[1]\n\n${JSON.stringify(row(2, { pv: 0 }))}\n${JSON.stringify(row(3))}`;

  test('skip: good rows are added, bad ones handed out with line, column, value and reason', async () => {
    const site = await newSite(database.write);
    const rejected: RejectedRow[] = [];
    const report = await loadText(site, broken, 'ndjson', {
      onError: 'skip',
      onRejected: (one) => void rejected.push(one),
    });
    expect(report).toMatchObject({ read: 5, added: 2, unchanged: 0, rejected: 3 });
    expect(rejected.map((one) => [one.line, one.column, one.value])).toEqual([
      [2, null, null],
      [3, null, null],
      [5, 'pv', 0],
    ]);
    expect(rejected[0]?.row).toBe('not json');
    expect(rejected[2]).toMatchObject({ reason: 'must be at least 1', row: row(2, { pv: 0 }) });
  });

  test('stop: nothing of the file remains, though batches were written', async () => {
    const site = await newSite(database.write);
    await load(site, [row(100, { original_id: 'kept' })]);
    const rows = Array.from({ length: 40 }, (_, place) =>
      row(place, { original_id: `v${place}`, title: 't' }),
    );
    await refusal(load(site, [...rows, row(41, { pv: 'x' })], { limits: TINY }));
    expect(await storedViews(database.write, site)).toHaveLength(1);
    const left = await database.write.raw(
      `SELECT (SELECT count(*)::int FROM analytics.page p WHERE p.site_id = s.site_id) AS pages,
              (SELECT count(*)::int FROM analytics.reader r WHERE r.site_id = s.site_id) AS readers,
              (SELECT count(*)::int FROM analytics.import_run i WHERE i.site_id = s.site_id) AS runs
         FROM analytics.site s WHERE tracking_id = ?`,
      [site],
    );
    expect(left.rows).toEqual([{ pages: 1, readers: 1, runs: 1 }]);
    expect(await version(site)).toBe(1);
  });

  test('a signal stops it, and nothing remains', async () => {
    const site = await newSite(database.write);
    const error = await refusal(load(site, [row(1)], { signal: AbortSignal.abort() }));
    expect(error.message).toBe('Stopped; nothing was imported.');
    expect(await storedViews(database.write, site)).toEqual([]);
  });

  test('an unknown site is answered with the nearest one', async () => {
    const site = await newSite(database.write);
    const error = await refusal(load(`${site}x`, [row(1)]));
    expect(error.message).toContain(`the nearest is ${site}`);
  });

  test('an unknown material and an unknown time zone are refused', async () => {
    const site = await newSite(database.write);
    const material = await refusal(importRows(database.write, manifest, { material: 'gsc', site, rows: [] }));
    expect(material.message).toBe('gsc cannot be imported; materials that can: allpv');
    expect((await refusal(load(site, [], { timezone: 'JST' }))).message).toContain('JST is no time zone');
  });

  test('one import per site at a time; another site is free', async () => {
    const site = await newSite(database.write);
    const other = await newSite(database.write);
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = (): void => undefined;
    const running = new Promise<void>((resolve) => {
      begun = resolve;
    });
    async function* slowly() {
      yield Buffer.from(`${JSON.stringify(row(1, { os: 'only here' }))}\n`);
      begun();
      await gate;
      yield Buffer.from(`${JSON.stringify(row(2))}\n`);
    }
    const first = loadText(site, '', 'ndjson', { input: Readable.from(slowly()) });
    await running;
    const error = await refusal(load(site, [row(3)]));
    expect(error.message).toBe(
      `Another import of site ${site} is running; start this one when it has finished`,
    );
    expect(await load(other, [row(1, { os: 'only here' })])).toMatchObject({ added: 1 });
    release();
    expect(await first).toMatchObject({ added: 2 });
    expect(await load(site, [row(3)])).toMatchObject({ added: 1 });
  });
});

describe('CSV', () => {
  test('is the same as NDJSON, and an empty cell is no value', async () => {
    const csv = await newSite(database.write);
    const ndjson = await newSite(database.write);
    const text = [
      '\uFEFFurl,access_time,title,pv_id,browse_sec,deep_read,utm_source',
      'https://example.com/1,2026-02-02T02:40:01Z,"A ""quoted"", title\nin two lines",1,20,true,',
      'https://example.com/2,1770000002,,2,,0,mail',
    ].join('\r\n');
    expect(await loadText(csv, `${text}\r\n`, 'csv')).toMatchObject({ read: 2, added: 2 });
    await load(ndjson, [
      row(1, { title: 'A "quoted", title\nin two lines', pv_id: 1, browse_sec: 20, deep_read: 1 }),
      row(2, { pv_id: 2, deep_read: 0, utm_source: 'mail' }),
    ]);
    const views = await storedViews(database.write, csv);
    const plain = (all: typeof views) => all.map(({ session_id: _s, reader_id: _r, ...view }) => view);
    expect(plain(views)).toEqual(plain(await storedViews(database.write, ndjson)));
  });

  test('a wrong header stops even when rows are skipped', async () => {
    const site = await newSite(database.write);
    const skip = { onError: 'skip' } as const;
    expect((await refusal(loadText(site, 'url,acces_time\n', 'csv', skip))).message).toBe(
      'Line 1, column acces_time: allpv has no such column; the nearest name is access_time',
    );
    expect((await refusal(loadText(site, 'url,title\n', 'csv', skip))).message).toBe(
      'Line 1, column access_time: is required, and the header lacks it',
    );
    expect((await refusal(loadText(site, 'url,url\n', 'csv', skip))).message).toContain('stands twice');
    expect((await refusal(loadText(site, 'url,access_time\n"x', 'csv', skip))).message).toContain(
      'is not CSV',
    );
  });

  test('a row with too few cells is a rejected row', async () => {
    const site = await newSite(database.write);
    const rejected: RejectedRow[] = [];
    const text = 'url,access_time\nhttps://example.com/1,1770000001\nhttps://example.com/2\n';
    const report = await loadText(site, text, 'csv', {
      onError: 'skip',
      onRejected: (one) => void rejected.push(one),
    });
    expect(report).toMatchObject({ read: 2, added: 1, rejected: 1 });
    expect(rejected[0]).toMatchObject({ line: 3, reason: 'has 1 cells where the header has 2' });
  });
});

test('a file far larger than the memory of the dictionaries is exact', async () => {
  const site = await newSite(database.write);
  const rows = Array.from({ length: 300 }, (_, place) =>
    row(place, {
      url: `https://example.com/${place % 17}`,
      utm_source: `source ${place % 13}`,
      utm_campaign: `campaign ${place % 11}`,
      original_id: `visitor ${place % 7}`,
      os: `system ${place % 5}`,
    }),
  );
  expect(await load(site, rows, { limits: TINY })).toMatchObject({ added: 300 });
  const counts = await database.write.raw(
    `SELECT count(DISTINCT page_id)::int AS pages, count(DISTINCT source_id)::int AS sources,
            count(DISTINCT campaign_id)::int AS campaigns, count(DISTINCT reader_id)::int AS readers,
            count(DISTINCT os_id)::int AS systems
       FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ?`,
    [site],
  );
  expect(counts.rows).toEqual([{ pages: 17, sources: 13, campaigns: 11, readers: 7, systems: 5 }]);
  const views = await storedViews(database.write, site);
  for (const view of views) {
    const place = view.at - AT;
    expect([view.url, view.utm_source, view.os]).toEqual([
      `https://example.com/${place % 17}`,
      `source ${place % 13}`,
      `system ${place % 5}`,
    ]);
  }
});

test('the import leaves a record', async () => {
  const site = await newSite(database.write);
  await loadText(site, `${JSON.stringify(row(1))}\n`, 'ndjson', { source: 'may.ndjson' });
  const runs = await database.write.raw(
    `SELECT material, source, rows_read::int, rows_added::int FROM analytics.import_run JOIN analytics.site USING (site_id)
      WHERE tracking_id = ?`,
    [site],
  );
  expect(runs.rows).toEqual([{ material: 'allpv', source: 'may.ndjson', rows_read: 1, rows_added: 1 }]);
});

// Importing a file: which rows are added, unchanged or rejected. A failure leaves nothing behind.
import { Readable } from 'node:stream';
import { ImportError } from '../../../extension/data/import/import-error';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import type { RejectedRow } from '../../../extension/data/import/rejected-rows';
import { useTestDatabase } from '../../support/use-database';
import { AT, dataVersion, manifest, newSite, row, storedViews, TINY } from './import-setup';

const database = useTestDatabase();

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

async function refusal(work: Promise<unknown>): Promise<ImportError> {
  const outcome = await work.catch((error: unknown) => error);
  if (outcome instanceof ImportError) return outcome;
  throw new Error(`expected an ImportError, got ${String(outcome)}`);
}

describe('values', () => {
  const NASTY = 'quote " apostrophe \' backslash \\ tab \t line \n return \r null \\N brace {,} emoji 😀 語';

  test('strings are stored unchanged', async () => {
    const site = await newSite(database.write);
    await load(site, [
      row(1, {
        url: `https://a/${NASTY}`,
        title: NASTY,
        referrer: NASTY,
        utm_medium: NASTY,
        os: NASTY,
        original_id: NASTY,
      }),
    ]);
    const [view] = await storedViews(database.write, site);
    expect(view).toMatchObject({
      url: `https://a/${NASTY}`,
      title: NASTY,
      referrer: NASTY,
      utm_medium: NASTY,
      os: NASTY,
      original_id: NASTY,
    });
  });

  test('an empty string is not a missing value', async () => {
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
      [null, null, false],
    ]);
    expect(views.map((view) => view.irritation_click_count)).toEqual([0, 4, 0, 0]);
  });

  test.each([
    [
      'a column that does not exist',
      { utm_sorce: 'x' },
      'column utm_sorce, value "x": allpv has no such column; the most similar name is utm_source',
    ],
    [
      'a computed column',
      { is_article: 1 },
      'column is_article, value 1: is computed from other columns and cannot be imported; leave it out',
    ],
    ['a missing URL', { url: undefined }, 'column url, value null: is required'],
    ['an empty URL', { url: '' }, 'column url, value "": is required'],
    ['a list', { title: ['a'] }, 'column title, value [...]: must be text'],
    [
      'a word instead of a number',
      { browse_sec: 'long' },
      'column browse_sec, value "long": must be a whole number',
    ],
    ['a fraction', { speed_msec: 1.5 }, 'column speed_msec, value 1.5: must be a whole number'],
    [
      'more than the database can hold',
      { browse_sec: 3e9 },
      'column browse_sec, value 3000000000: must be at most 2147483647',
    ],
    ['a number that JSON would round', { browse_sec: 2 ** 53 }, 'must be at most 2147483647'],
    ['digits that would be rounded', { browse_sec: '9'.repeat(20) }, 'must be at most 2147483647'],
    [
      'more than the column allows',
      { depth_position: 101 },
      'column depth_position, value 101: must be at most 100',
    ],
    [
      'a string that is too long',
      { title: 'x'.repeat(2049) },
      'must be at most 2048 characters long, but is 2049',
    ],
    [
      'a URL that is too long',
      { url: `https://example.com/${'x'.repeat(8192)}` },
      'must be at most 8192 characters long, but is 8212',
    ],
    ['an invalid flag', { is_last: 2 }, 'column is_last, value 2: must be 0, 1, true or false'],
    [
      'an unknown device',
      { device_type: 'watch' },
      'column device_type, value "watch": must be one of PC, tablet, SP',
    ],
    [
      'an unknown country',
      { country_code: 'Japan' },
      'column country_code, value "Japan": must be a two-letter country code (ISO 3166-1)',
    ],
    ['U+0000', { title: 'a\0b' }, 'column title, value "a\\u0000b": contains the character U+0000'],
    ['a lone surrogate', { os: 'a\ud800' }, 'column os, value "a\\ud800": contains a lone surrogate'],
    ['a local time', { access_time: '2026-05-01T10:00:00' }, 'has no offset; add one'],
  ])('rejected: %s', async (_name, fault, words) => {
    const site = await newSite(database.write);
    const error = await refusal(load(site, [row(1), row(2, fault), row(3)]));
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/^Line 2, /);
    expect(await storedViews(database.write, site)).toEqual([]);
  });
});

describe('errors', () => {
  const broken = `${JSON.stringify(row(1))}\nnot json\n[1]\n\n${JSON.stringify(row(2, { pv: 0 }))}\n${JSON.stringify(row(3))}`;

  test('skip: valid rows are added, and invalid rows are reported with line, column, value and reason', async () => {
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
    expect(rejected[2]).toMatchObject({ reason: 'must be at least 1' });
    expect(JSON.parse(rejected[2]?.json ?? '')).toMatchObject(row(2, { pv: 0 }));
  });

  test('stop: nothing from the file is stored, even if batches have been written', async () => {
    const site = await newSite(database.write);
    await load(site, [row(100, { original_id: 'kept' })]);
    const rows = Array.from({ length: 40 }, (_, index) =>
      row(index, { original_id: `v${index}`, title: 't' }),
    );
    await refusal(load(site, [...rows, row(41, { pv: 'x' })], { limits: TINY }));
    expect(await storedViews(database.write, site)).toHaveLength(1);
    const stored = await database.write.raw(
      `SELECT (SELECT count(*)::int FROM analytics.page p WHERE p.site_id = s.site_id) AS pages,
              (SELECT count(*)::int FROM analytics.reader r WHERE r.site_id = s.site_id) AS readers,
              (SELECT count(*)::int FROM analytics.import_run i WHERE i.site_id = s.site_id AND i.status = 'done') AS runs
         FROM analytics.site s WHERE tracking_id = ?`,
      [site],
    );
    expect(stored.rows).toEqual([{ pages: 1, readers: 1, runs: 1 }]);
    expect(await dataVersion(database.write, site)).toBe(1);
  });

  test('a signal stops the import and leaves nothing behind', async () => {
    const site = await newSite(database.write);
    const error = await refusal(load(site, [row(1)], { signal: AbortSignal.abort() }));
    expect(error.message).toBe('Stopped; nothing was imported.');
    expect(await storedViews(database.write, site)).toEqual([]);
  });

  test('the error for an unknown site suggests the most similar one', async () => {
    const site = await newSite(database.write);
    const error = await refusal(load(`${site}x`, [row(1)]));
    expect(error.message).toContain(`the most similar one is ${site}`);
  });

  test('unknown materials and time zones are errors', async () => {
    const site = await newSite(database.write);
    const material = await refusal(
      importRows(database.write, manifest, { material: 'goal_1', site, rows: [] }),
    );
    expect(material.message).toMatch(
      /^goal_1 is computed from other materials .* the materials that can be imported are allpv, click_event,/,
    );
    const typo = await refusal(importRows(database.write, manifest, { material: 'gcs', site, rows: [] }));
    expect(typo.message).toMatch(/^gcs is not a material; the materials that can be imported are allpv,/);
    expect((await refusal(load(site, [], { timezone: 'JST' }))).message).toContain('JST is not a time zone');
  });

  test('only one import per site runs at a time, and other sites are not blocked', async () => {
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
      `Another import into site ${site} is running; start this one when that one has finished`,
    );
    expect(await load(other, [row(1, { os: 'only here' })])).toMatchObject({ added: 1 });
    release();
    expect(await first).toMatchObject({ added: 2 });
    expect(await load(site, [row(3)])).toMatchObject({ added: 1 });
  });
});

describe('input that is not text, or not a row', () => {
  const lineOf = (index: number) => `${JSON.stringify(row(index))}\n`;
  const german = `${JSON.stringify(row(1, { title: 'Über \uFFFD 語' }))}\n`;

  test.each([
    ['ndjson', german, 'latin1'],
    ['csv', 'url,access_time,title\nhttps://a/,1770000001,Größe\n', 'latin1'],
    ['ndjson', `\uFEFF${german}`, 'utf16le'],
  ] as const)('%s that is not UTF-8 is rejected: %j in %s', async (format, text, encoding) => {
    const site = await newSite(database.write);
    const bytes = Buffer.from(text, encoding);
    const input = Readable.from([bytes]);
    const error = await refusal(loadText(site, '', format, { input, onError: 'skip' }));
    const wrong =
      encoding === 'utf16le'
        ? 'not UTF-8 but UTF-16'
        : `not UTF-8: byte ${bytes.findIndex((byte) => byte > 0x7f) + 1} does not begin a character`;
    expect(error.message).toContain(`${wrong}. Convert it first`);
    expect(await storedViews(database.write, site)).toEqual([]);
  });

  test('an invalid byte is detected after a valid U+FFFD, in any chunk, and at the end', async () => {
    const site = await newSite(database.write);
    const bytes = Buffer.from(`${german}${lineOf(2)}`);
    for (const wrong of [Buffer.from([0xff]), Buffer.from([0xe8, 0xaa])]) {
      const input = Readable.from([...Buffer.concat([bytes, wrong])].map((byte) => Buffer.from([byte])));
      const error = await refusal(loadText(site, '', 'ndjson', { input }));
      expect(error.message).toContain(`byte ${bytes.length + 1} `);
    }
  });

  test('characters split between chunks are preserved, and a byte order mark is dropped', async () => {
    const site = await newSite(database.write);
    const input = Readable.from([...Buffer.from(`\uFEFF${german}`)].map((byte) => Buffer.from([byte])));
    expect(await loadText(site, '', 'ndjson', { input })).toMatchObject({ read: 1, added: 1 });
    expect((await storedViews(database.write, site))[0]?.title).toBe('Über \uFFFD 語');
  });

  test('blank lines are skipped', async () => {
    const site = await newSite(database.write);
    expect(await loadText(site, ` \n${lineOf(1)}\t\r\n\u00a0\n${lineOf(2)}  `, 'ndjson')).toMatchObject({
      read: 2,
      added: 2,
    });
    const csv = await newSite(database.write);
    expect(
      await loadText(csv, '  \nurl,access_time\nhttps://a/,1770000001\n \t\nhttps://b/,1770000002\n ', 'csv'),
    ).toMatchObject({ read: 2, added: 2 });
  });

  test('empty lines are skipped without parsing, which would take a hundred times as long', async () => {
    const site = await newSite(database.write);
    const parse = jest.spyOn(JSON, 'parse');
    const report = await loadText(
      site,
      `${'\n'.repeat(5_000)}${lineOf(1)}${' \r\n'.repeat(5_000)}`,
      'ndjson',
    );
    const parsed = parse.mock.calls.map(([text]) => text.trim());
    parse.mockRestore();
    expect(report).toMatchObject({ read: 1, added: 1 });
    expect(parsed).not.toContain('');
  });

  test('a deeply nested row is rejected without being parsed', async () => {
    const site = await newSite(database.write);
    const deep = `{"url":"https://a/","access_time":1770000001,"title":${'['.repeat(40_000)}${']'.repeat(40_000)}}`;
    const rejected: RejectedRow[] = [];
    const report = await loadText(site, `${lineOf(1)}${deep}\n${lineOf(2)}`, 'ndjson', {
      onError: 'skip',
      onRejected: (one) => void rejected.push(one),
    });
    expect(report).toMatchObject({ read: 3, added: 2, rejected: 1 });
    expect(rejected[0]).toMatchObject({ line: 2, reason: 'is nested more than 1000 levels deep', row: deep });
    expect((await refusal(loadText(site, deep, 'ndjson'))).message).toBe(
      'Line 1: is nested more than 1000 levels deep',
    );
  });

  test('an overlong line is rejected, and the next line is read', async () => {
    const site = await newSite(database.write);
    const rejected: RejectedRow[] = [];
    const long = `{"title":"${'x'.repeat(2_500_000)}"}\n`;
    const pieces = (text: string) =>
      Buffer.from(text)
        .toString()
        .match(/[\s\S]{1,300000}/g) ?? [];
    for (const input of [[`${lineOf(1)}${long}${lineOf(2)}`], pieces(`${lineOf(1)}${long}${lineOf(2)}`)]) {
      const report = await loadText(site, '', 'ndjson', {
        input: Readable.from(input.map((piece) => Buffer.from(piece))),
        onError: 'skip',
        onRejected: (one) => void rejected.push(one),
      });
      expect(report).toMatchObject({ read: 3, rejected: 1 });
    }
    expect(rejected.map((one) => one.line)).toEqual([2, 2]);
    expect(rejected[1]?.reason).toContain('the line is longer than 1000000 characters');
  });
});

describe('CSV', () => {
  test('is equivalent to NDJSON, and an empty cell is a missing value', async () => {
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

  test('a wrong header stops the import even with skip', async () => {
    const site = await newSite(database.write);
    const skip = { onError: 'skip' } as const;
    expect((await refusal(loadText(site, 'url,acces_time\n', 'csv', skip))).message).toBe(
      'Line 1, column acces_time: allpv has no such column; the most similar name is access_time',
    );
    expect((await refusal(loadText(site, 'url,title\n', 'csv', skip))).message).toBe(
      'Line 1, column access_time: is required, but missing from the header',
    );
    expect((await refusal(loadText(site, 'url,url\n', 'csv', skip))).message).toContain('occurs twice');
    expect((await refusal(loadText(site, 'url,access_time\n"x', 'csv', skip))).message).toContain(
      'is not CSV',
    );
  });

  test('the error for a header with spaces or other separators explains the problem', async () => {
    const site = await newSite(database.write);
    expect((await refusal(loadText(site, 'url, access_time\n', 'csv'))).message).toBe(
      'Line 1, column  access_time: has spaces around it, which are significant; write access_time',
    );
    expect((await refusal(loadText(site, 'url;access_time\n', 'csv'))).message).toBe(
      'Line 1, column url;access_time: is not a column; if the cells are not separated by commas, specify the delimiter',
    );
  });

  test('the line number of a row is that of its first line', async () => {
    const site = await newSite(database.write);
    const rejected: RejectedRow[] = [];
    const good = 'https://a/,1770000001,"a\r\nb"\r\n';
    const bad = 'https://a/,x,"a\r\nb\nc"\r\n';
    await loadText(site, `url,access_time,title\r\n${bad}${good}\r\n${bad}https://a/,x,t\r\n`, 'csv', {
      onError: 'skip',
      onRejected: (one) => void rejected.push(one),
    });
    expect(rejected.map((one) => one.line)).toEqual([2, 8, 11]);
  });

  test('a row with a stray quote is rejected; an unclosed quote, or one in the header, stops the import', async () => {
    const site = await newSite(database.write);
    const rejected: RejectedRow[] = [];
    const skip = { onError: 'skip', onRejected: (one: RejectedRow) => void rejected.push(one) } as const;
    const head = 'url,access_time,title\n';
    const stray = ['https://a/,1770000001,5" screen 6" wide', 'https://a/,1770000001,"5" screen'];
    const text = `${head}\n${stray.join('\n')}\nhttps://b/,1770000002,"b ""b"", b"\n`;
    expect(await loadText(site, text, 'csv', skip)).toMatchObject({ read: 3, added: 1, rejected: 2 });
    expect(rejected.map((one) => [one.line, one.row])).toEqual([
      [3, stray[0]],
      [4, stray[1]],
    ]);
    expect((await refusal(loadText(site, text, 'csv'))).message).toBe(
      'Line 3: contains a stray quote; write "5"" wide" for 5" wide',
    );
    const unclosed = `${head}https://a/,1770000001,"x\n`;
    expect((await refusal(loadText(site, unclosed, 'csv', skip))).message).toContain('is not CSV');
    expect((await refusal(loadText(site, 'u"rl,access_time\n', 'csv', skip))).message).toBe(
      'Line 1: is not CSV: the header contains a stray quote; write "5"" wide" for 5" wide',
    );
  });

  test('a row with too many cells is rejected with all its cells', async () => {
    const site = await newSite(database.write);
    const rejected: RejectedRow[] = [];
    await loadText(site, 'url,access_time\nhttps://a/,1770000001,more\n', 'csv', {
      onError: 'skip',
      onRejected: (one) => void rejected.push(one),
    });
    expect(rejected[0]?.row).toEqual(['https://a/', '1770000001', 'more']);
  });

  test('a row with too few cells is rejected', async () => {
    const site = await newSite(database.write);
    const rejected: RejectedRow[] = [];
    const text = 'url,access_time\nhttps://example.com/1,1770000001\nhttps://example.com/2\n';
    const report = await loadText(site, text, 'csv', {
      onError: 'skip',
      onRejected: (one) => void rejected.push(one),
    });
    expect(report).toMatchObject({ read: 2, added: 1, rejected: 1 });
    expect(rejected[0]).toMatchObject({ line: 3, reason: 'has 1 cell, but the header has 2' });
  });
});

test('a file far larger than the dimension caches is imported correctly', async () => {
  const site = await newSite(database.write);
  const rows = Array.from({ length: 300 }, (_, index) =>
    row(index, {
      url: `https://example.com/${index % 17}`,
      utm_source: `source ${index % 13}`,
      utm_campaign: `campaign ${index % 11}`,
      original_id: `visitor ${index % 7}`,
      os: `system ${index % 5}`,
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
    const index = view.at - AT;
    expect([view.url, view.utm_source, view.os]).toEqual([
      `https://example.com/${index % 17}`,
      `source ${index % 13}`,
      `system ${index % 5}`,
    ]);
  }
});

test('the import is recorded', async () => {
  const site = await newSite(database.write);
  await loadText(site, `${JSON.stringify(row(1))}\n`, 'ndjson', { source: 'may.ndjson' });
  const runs = await database.write.raw(
    `SELECT material, source, rows_read::int, rows_added::int FROM analytics.import_run JOIN analytics.site USING (site_id)
      WHERE tracking_id = ?`,
    [site],
  );
  expect(runs.rows).toEqual([{ material: 'allpv', source: 'may.ndjson', rows_read: 1, rows_added: 1 }]);
});

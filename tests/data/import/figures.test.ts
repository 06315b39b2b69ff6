// Importing rows that have a key (search data, page versions, monthly data): the last row with a key replaces earlier ones.
import { Readable } from 'node:stream';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile, importTogether } from '../../../extension/data/import/import-together';
import type { RejectedRow } from '../../../extension/data/import/rejected-rows';
import { useTestDatabase } from '../../support/use-database';
import { dataVersion, manifest, newSite, TINY } from './import-setup';

const database = useTestDatabase();

const load = (material: string, site: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material, site, rows, ...more });

async function stored(sql: string, site: string): Promise<readonly object[]> {
  const answer: { rows: object[] } = await database.write.raw(sql, [site]);
  return answer.rows;
}

const searches = (site: string) =>
  stored(
    `SELECT g.day::text, p.url, p.title, k.keyword, g.search_type, g.clicks, g.impressions, g.position_x100
       FROM analytics.search_day g JOIN analytics.site s USING (site_id) JOIN analytics.page p USING (site_id, page_id)
       JOIN analytics.keyword k USING (site_id, query_id) WHERE s.tracking_id = ?
      ORDER BY g.day, p.url, k.keyword COLLATE "C", g.search_type`,
    site,
  );

const search = (more: object = {}) => ({
  date: '2026-03-01',
  url: 'https://example.com/',
  keyword: 'tea',
  search_type: 'web',
  clicks: 3,
  impressions: 10,
  position: 4.125,
  ...more,
});

describe('gsc', () => {
  test('pages are found or added, search types become numbers, and positions are rounded half up', async () => {
    const site = await newSite(database.write);
    await load('allpv', site, [{ url: 'https://example.com/', title: 'Top', access_time: 1_770_000_000 }]);
    await load('gsc', site, [
      search(),
      search({ search_type: 3, position: 1.005, clicks: 20 }),
      search({ url: 'https://example.com/new', keyword: '茶 "x"', search_type: 'Image', position: '2' }),
    ]);
    expect(await searches(site)).toEqual([
      {
        day: '2026-03-01',
        url: 'https://example.com/',
        title: 'Top',
        keyword: 'tea',
        search_type: 1,
        clicks: 3,
        impressions: 10,
        position_x100: 413,
      },
      expect.objectContaining({ search_type: 3, position_x100: 101, clicks: 20, impressions: 10 }),
      expect.objectContaining({
        url: 'https://example.com/new',
        title: null,
        keyword: '茶 "x"',
        search_type: 2,
        position_x100: 200,
      }),
    ]);
  });

  test('later rows replace earlier ones', async () => {
    const site = await newSite(database.write);
    const rows = [search(), search({ date: '2026-03-02' }), search({ keyword: 'Tea' })];
    expect(await load('gsc', site, rows)).toMatchObject({ added: 3, updated: 0, unchanged: 0 });
    const before = await dataVersion(database.write, site);
    expect(await load('gsc', site, rows)).toMatchObject({ added: 0, updated: 0, unchanged: 3 });
    expect(await dataVersion(database.write, site)).toBe(before);
    const corrected = [search({ clicks: 4 }), rows[1] ?? {}, search({ date: '2026-03-03' })];
    expect(await load('gsc', site, corrected)).toMatchObject({ added: 1, updated: 1, unchanged: 1 });
    expect(await dataVersion(database.write, site)).toBe(before + 1);
    expect((await searches(site)).map((row) => Object.values(row).slice(3, 6))).toEqual([
      ['Tea', 1, 3],
      ['tea', 1, 4],
      ['tea', 1, 3],
      ['tea', 1, 3],
    ]);
    const answer = await stored(
      `SELECT rows_added::int AS added, rows_updated::int AS updated, rows_unchanged::int AS unchanged
         FROM analytics.import_run JOIN analytics.site USING (site_id) WHERE tracking_id = ? ORDER BY import_id DESC LIMIT 1`,
      site,
    );
    expect(answer).toEqual([{ added: 1, updated: 1, unchanged: 1 }]);
  });

  test.each([TINY, undefined])(
    'rows with the same key are counted once, rejected with both line numbers, or summed',
    async (limits) => {
      const site = await newSite(database.write);
      const apart = Array.from({ length: 10 }, (_, index) => search({ keyword: `k${index}` }));
      const parts = [
        search({ clicks: 1, impressions: 10, position: 2 }),
        ...apart,
        search({ clicks: 2, impressions: 30, position: 5 }),
      ];
      const more = limits === undefined ? {} : { limits };
      expect(await load('gsc', site, [search(), ...apart, search()], more)).toMatchObject({
        added: 11,
        unchanged: 1,
      });
      await expect(load('gsc', site, parts, more)).rejects.toThrow(
        /^Line 12: has the same .* as line 1, but different values in: clicks, impressions, position$/,
      );
      const summed = { 'added to an earlier row with the same key': 1 };
      expect(await load('gsc', site, parts, { ...more, duplicates: 'sum' })).toMatchObject({
        added: 0,
        updated: 1,
        unchanged: 10,
        skipped: summed,
      });
      expect(await searches(site)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ keyword: 'tea', clicks: 3, impressions: 40, position_x100: 425 }),
        ]),
      );
      expect(await load('gsc', site, parts, { ...more, duplicates: 'sum' })).toMatchObject({
        updated: 0,
        unchanged: 11,
        skipped: summed,
      });
    },
  );

  test.each([
    ['share a transaction', 'refuse', 2],
    ['are imported one by one if the rows of each are summed', 'sum', 1],
  ] as const)('small files %s', async (_title, duplicates, files) => {
    const site = await newSite(database.write);
    const file = { open: async () => Readable.from([Buffer.from(JSON.stringify(search()))]) };
    const options = { write: database.write, manifest, material: 'gsc', site, source: 'test', duplicates };
    const report = await importTogether({ ...options, onError: 'stop', clock: () => new Date(0) }, [
      file,
      file,
    ]);
    expect(report.files).toBe(files);
    expect(await searches(site)).toMatchObject([{ clicks: 3 }]);
  });

  test('a sum that is too large to be stored is an error', async () => {
    const site = await newSite(database.write);
    const rows = [search({ impressions: 2_000_000_000 }), search({ impressions: 2_000_000_000 })];
    await expect(load('gsc', site, rows, { duplicates: 'sum' })).rejects.toThrow(
      'The sum of impressions is 4000000000; the largest that can be stored is 2147483647',
    );
  });

  test.each([
    [{ date: '2026-02-30' }, 'is not a real date'],
    [{ date: '01.02.2026' }, 'is not a date; write 2026-05-01'],
    [{ date: '2026-02-03T00:00:00Z' }, 'is not a date'],
    [{ search_type: 'news' }, 'must be one of web, image, video, or its number'],
    [{ search_type: 4 }, 'must be one of web, image, video, or its number'],
    [{ clicks: -1 }, 'must be at least 0'],
    [{ position: -0.1 }, 'must be at least 0'],
    [{ position: 3e7 }, 'must be at most'],
    [{ ctr: 0.3 }, 'column ctr, value 0.3: is computed from other columns'],
    [{ position_x100: 3 }, 'is computed from other columns'],
    [{ keyword: '' }, 'is required'],
    [{ impressions: null }, 'is required'],
  ])('%j is rejected', async (more, words) => {
    const site = await newSite(database.write);
    await expect(load('gsc', site, [search(more)])).rejects.toThrow(words);
  });

  test('rows can come from a CSV file', async () => {
    const site = await newSite(database.write);
    const text =
      'date,url,keyword,search_type,clicks,impressions,position\n2026-03-01,https://example.com/,tea,web,1,2,3.5\n';
    const report = await importFile({
      write: database.write,
      manifest,
      material: 'gsc',
      site,
      input: Readable.from([Buffer.from(text)]),
      format: 'csv',
      source: 'test',
      onError: 'stop',
      clock: () => new Date(0),
    });
    expect(report).toMatchObject({ read: 1, added: 1 });
    expect(await searches(site)).toMatchObject([{ clicks: 1, impressions: 2, position_x100: 350 }]);
  });
});

describe('page_version', () => {
  const versions = (site: string) =>
    stored(
      `SELECT v.version_id::int AS id, p.url, v.device_id AS device, v.version_no AS no, v.update_date::text AS date
         FROM analytics.page_version v JOIN analytics.site s USING (site_id) JOIN analytics.page p USING (site_id, page_id)
        WHERE s.tracking_id = ? ORDER BY v.version_id`,
      site,
    );
  const version = (version_id: number, version_no: number, more: object = {}) => ({
    version_id,
    url: 'https://example.com/',
    device_type: 'mobile',
    version_no,
    update_date: '2026-03-01',
    ...more,
  });

  test('a version is identified by its id', async () => {
    const site = await newSite(database.write);
    expect(await load('page_version', site, [version(7, 1), version(8, 2)])).toMatchObject({ added: 2 });
    const again = [
      version(7, 1),
      version(8, 2, { update_date: '2026-03-05' }),
      version(9, 1, { device_type: 'PC' }),
    ];
    expect(await load('page_version', site, again)).toMatchObject({ added: 1, updated: 1, unchanged: 1 });
    expect(await versions(site)).toEqual([
      { id: 7, url: 'https://example.com/', device: 3, no: 1, date: '2026-03-01' },
      { id: 8, url: 'https://example.com/', device: 3, no: 2, date: '2026-03-05' },
      { id: 9, url: 'https://example.com/', device: 1, no: 1, date: '2026-03-01' },
    ]);
  });

  test.each([TINY, undefined])(
    'a version number that is already taken is rejected with its line',
    async (limits) => {
      const site = await newSite(database.write);
      const some = limits === undefined ? {} : { limits };
      await load('page_version', site, [version(1, 1), version(2, 2)], some);
      await expect(load('page_version', site, [version(3, 3), version(4, 2)], some)).rejects.toThrow(
        'Line 2, column version_no, value 2: version 2 already has number 2 for this page and device',
      );
      const rejected: RejectedRow[] = [];
      // Number 5 is taken by the preceding row. Version 2 frees its number, so version 6 can take it.
      const rows = [version(5, 5), version(1, 5), version(2, 9), version(6, 2), version(7, 2)];
      const report = await load('page_version', site, rows, {
        ...some,
        onError: 'skip',
        onRejected: (row) => {
          rejected.push(row);
        },
      });
      expect(rejected.map((row) => row.line)).toEqual([2, 5]);
      expect(report).toMatchObject({ added: 2, updated: 1, rejected: 2 });
      expect((await versions(site)).map((row) => Object.values(row).filter(Number))).toEqual([
        [1, 3, 1],
        [2, 3, 9],
        [5, 3, 5],
        [6, 3, 2],
      ]);
    },
  );

  test('two versions can swap their numbers', async () => {
    const site = await newSite(database.write);
    await load('page_version', site, [version(1, 1), version(2, 2)]);
    await load('page_version', site, [version(1, 3)]);
    const rows = [version(2, 1), version(1, 2)];
    expect(await load('page_version', site, rows)).toMatchObject({ updated: 2 });
    expect(await versions(site)).toMatchObject([
      { id: 1, no: 2 },
      { id: 2, no: 1 },
    ]);
  });
});

describe('monthly figures', () => {
  const month = { date: '2026-03-01', sessions: 10, active_users: 7 };

  test.each([
    ['ga4_age_gender', { age: '25-34', gender: 'female' }, { age: 2, gender: 2 }],
    ['ga4_age_gender', { age: 6, gender: 'unknown' }, { age: 6, gender: 0 }],
    ['ga4_country', { country_code: 'jp' }, { country_code: 'JP' }],
    ['ga4_region', { region: 13, region_name: 'Tokyo' }, { region: 13, region_name: 'Tokyo' }],
    ['ga4_region', { region: 13 }, { region: 13, region_name: null }],
  ])('%s %j', async (material, more, expected) => {
    const site = await newSite(database.write);
    const row = { ...month, ...more };
    expect(await load(material, site, [row])).toMatchObject({ added: 1 });
    expect(await load(material, site, [row])).toMatchObject({ added: 0, unchanged: 1 });
    expect(await load(material, site, [{ ...row, sessions: 11 }])).toMatchObject({ updated: 1 });
    const rows = await stored(
      `SELECT t.*, t.month::text AS month FROM analytics.${material} t JOIN analytics.site s USING (site_id)
        WHERE s.tracking_id = ?`,
      site,
    );
    expect(rows).toEqual([
      expect.objectContaining({ ...expected, month: '2026-03-01', sessions: 11, active_users: 7 }),
    ]);
  });

  test.each([
    ['ga4_country', { country_code: 'JP', date: '2026-03-02' }, 'write its first day, 2026-03-01'],
    ['ga4_country', { country_code: 'JPN' }, 'must be a two-letter country code (ISO 3166-1)'],
    ['ga4_age_gender', { age: '30', gender: 1 }, 'must be one of unknown, 18-24'],
    ['ga4_region', { region: -1 }, 'must be at least 0'],
    ['ga4_country', { country_code: 'JP', country: 19024 }, 'is computed from other columns'],
  ])('%s %j is rejected', async (material, more, words) => {
    const site = await newSite(database.write);
    await expect(load(material, site, [{ ...month, ...more }])).rejects.toThrow(words);
  });
});

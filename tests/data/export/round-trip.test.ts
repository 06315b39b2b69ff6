// A site imported from an export returns the same answers: all rows, with every column of every material.
import { createReadStream, watch, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { loadDemo } from '../../../extension/data/demo/load-demo';
import { exportSite } from '../../../extension/data/export/export-site';
import type { ExportFormat } from '../../../extension/data/export/row-reader';
import type { ImportReport } from '../../../extension/data/import/import-options';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { readSiteYaml } from '../../../extension/data/storage/sites/site-file';
import { readDocument } from '../../../extension/language/parse/read-document';
import { writeParquet } from '../../../extension/query/columns/write-parquet';
import type { QueryContext } from '../../../extension/query/query-context';
import { createContext } from '../../language/query-setup';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { runCommand } from '../../support/run-command';
import { runWhole } from '../../support/run-whole';
import { throwawayFolder } from '../../support/throwaway-postgres';
import { manifest } from '../import/import-setup';

const NOW = new Date('2026-05-01T10:00:00Z');
const signal = new AbortController().signal;
let folder: string;
let source: TestDatabase;
let stored: Readonly<Record<string, readonly string[]>>;
beforeAll(async () => {
  folder = await mkdtemp(join(throwawayFolder(), 'qal-test-'));
  source = await createTestDatabase();
  await loadDemo(source.write, { now: NOW, views: 1_000, onProgress: () => {} });
  const load = (material: string, rows: readonly object[]) =>
    importRows(source.write, manifest, { material, site: 'demo', rows });
  await load('allpv', [
    {
      pv_id: 900_001,
      session_id: 900_001,
      reader_id: 900_001,
      original_id: 'a"\\b,c',
      access_time: '2026-04-30T23:59:59+02:00',
      url: 'https://demo.example/?q="a",\\b',
      referrer: 'https://x.example/',
      title: 'Tab\there\nand a line',
      is_newuser: 1,
      pv: 3,
      is_last: 0,
      page_type: 5,
      page_fetch_status: -1,
    },
  ]);
  await load('datalayer_event', [
    {
      pv_id: 900_001,
      access_time: NOW.getTime() / 1000,
      event_name: 'odd',
      params: { text: '"\\\n,', n: 0.1, list: [1, null] },
    },
  ]);
  await load('click_event', [
    {
      pv_id: 900_001,
      event_sec: 0,
      selector: 'a[title="x, y"]',
      element_text: 'Zeile\nzwei',
      page_x_pct: 33.333333333333336,
    },
  ]);
  stored = await answers(source);
});
afterAll(async () => {
  await source.drop();
  await rm(folder, { recursive: true });
});

const exportTo = (name: string, format: ExportFormat, more: object = {}) =>
  exportSite({
    write: source.write,
    manifest,
    site: 'demo',
    format,
    signal,
    writeParquet,
    onProgress: () => {},
    folder: join(folder, name),
    ...more,
  });

/** Views come before their clicks and events. */
const ORDER = ['allpv', 'click_event', 'datalayer_event'];

async function importAll(target: TestDatabase, from: string, site = 'demo') {
  const files = (await readdir(from)).filter((name) => name !== 'site.yaml');
  await applySites(target.write, readSiteYaml(await readFile(join(from, 'site.yaml'), 'utf8')));
  const material = (file: string) => basename(file).split('.')[0] ?? '';
  const order = (file: string) => (ORDER.indexOf(material(file)) + 1 || 99) - 1;
  const reports: ImportReport[] = [];
  for (const file of files.sort((a, b) => order(a) - order(b))) {
    const report = await importFile({
      write: target.write,
      manifest,
      material: material(file),
      site,
      source: file,
      fileName: file,
      input: createReadStream(join(from, file)),
      onError: 'stop',
      clock: () => NOW,
    });
    reports.push(report);
  }
  return reports;
}

const rowsOf = async (context: QueryContext, query: object) =>
  (await runWhole(readDocument(JSON.stringify(query)), context)).rows;

/** All columns of all materials, in row order, and the counts of all goals and events. */
async function answers(database: TestDatabase): Promise<typeof stored> {
  const context = await createContext(database);
  const time = { start: '2025-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'Asia/Tokyo' };
  const names = [
    'allpv',
    'click_event',
    'datalayer_event',
    'gsc',
    'page_version',
    'ga4_age_gender',
    'ga4_country',
    'ga4_region',
    'goal_1',
    'goal_2',
    'goal_3',
    'events.odd',
    'summary_allpage',
    'summary_landingpage',
    'summary_days_access_detail',
  ];
  const all: Record<string, readonly string[]> = {};
  for (const name of names) {
    const kind = /^goal_\d/.test(name) ? 'goal_N' : name.startsWith('events.') ? 'events.{name}' : name;
    // Ids of dimension tables differ between sites.
    const columns = [...(manifest.materials.get(kind)?.columns.values() ?? [])].filter(
      (column) =>
        !(column.type === 'id' && column.import === undefined) &&
        column.name !== 'second_page' &&
        column.name !== 'pv_index' &&
        !/^is_goal_([4-9]|10)$/.test(column.name),
    );
    const keep = columns.map((column) => `${name}.${column.name}`);
    const rows = await rowsOf(context, {
      tracking_id: 'demo',
      materials: [{ name }],
      time,
      make: { v: { from: [name], keep } },
      result: { use: 'v', limit: 50_000 },
    });
    // Some materials are ordered by page ids, which differ between sites.
    all[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return all;
}

describe.each(['ndjson', 'csv'] as const)('as %s', (format) => {
  // conformance: beyond.site-exported-files
  test('every column of every material is the same after export and import', async () => {
    await exportTo(format, format);
    const target = await createTestDatabase();
    try {
      for (const report of await importAll(target, join(folder, format)))
        expect(report).toMatchObject({ rejected: 0, added: report.read });
      const after = await answers(target);
      for (const [name, result] of Object.entries(stored))
        expect([name, after[name]]).toEqual([name, result]);
    } finally {
      await target.drop();
    }
  });
});

test('rows can be exported as Parquet, with typed columns', async () => {
  const files = await exportTo('parquet', 'parquet', { material: 'click_event' });
  expect(files.map(({ file }) => basename(file))).toEqual(['click_event.parquet']);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const read = async (text: string) => (await connection.runAndReadAll(text)).getRowsJson();
  const from = `'${files[0]?.file}'`;
  expect(await read(`SELECT count(*)::INTEGER FROM ${from}`)).toEqual([[files[0]?.rows]]);
  expect(
    await read(
      `SELECT typeof(pv_id), typeof(is_external), element_text, selector, page_x_pct FROM ${from} WHERE pv_id = 900001`,
    ),
  ).toEqual([['BIGINT', 'BOOLEAN', 'Zeile\nzwei', 'a[title="x, y"]', 33.333333333333336]]);
  connection.closeSync();
  instance.closeSync();
});

test('a Parquet file gets its final name only once it is complete', async () => {
  const watched = join(folder, 'watched');
  await mkdir(watched, { mode: 0o700 });
  const changes: string[] = [];
  const watcher = watch(watched);
  const atEnd = new Promise<void>((resolve) => {
    watcher.on('change', (kind, name) => {
      if (name === 'end') resolve();
      else changes.push(`${kind} ${String(name).replace(/\.[-\w]+\.part$/, ' part')}`);
    });
  });
  const [written] = await exportTo('watched', 'parquet', { material: 'click_event' });
  await writeFile(join(watched, 'end'), '');
  await atEnd;
  watcher.close();
  expect(changes).toContain('change click_event.parquet part');
  expect(changes.filter((one) => one.endsWith('click_event.parquet'))).toEqual([
    'rename click_event.parquet',
  ]);
  expect((await stat(written?.file ?? '')).mode & 0o777).toBe(0o600);
  expect((await readdir(watched)).sort()).toEqual(['click_event.parquet', 'end', 'site.yaml']);
});

// conformance: beyond.site-exported-files
test('selected days can be exported, with the clicks and events of their page views', async () => {
  const days = { from: '2026-04-20', to: '2026-04-30' };
  const files = await exportTo('days', 'ndjson', { days });
  const lines = async (material: string) => {
    const { file } = files.find((one) => basename(one.file).startsWith(`${material}.`)) ?? {};
    const text = await readFile(file ?? '', 'utf8');
    return text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const { rows } = await source.write.raw(
    `SELECT count(*)::int AS n FROM analytics.page_view WHERE (at AT TIME ZONE
       (SELECT timezone FROM analytics.site))::date BETWEEN '2026-04-20' AND '2026-04-30'`,
  );
  const views = await lines('allpv');
  expect(views).toHaveLength(rows[0].n);
  const ids = new Set(views.map(({ pv_id }) => pv_id));
  expect((await lines('click_event')).every(({ pv_id }) => ids.has(pv_id))).toBe(true);
  expect((await lines('gsc')).every(({ date }) => date >= days.from && date <= days.to)).toBe(true);
  // The last event is on the next day, but belongs to a view on a selected day.
  expect((await lines('datalayer_event')).at(-1)).toMatchObject({
    pv_id: 900_001,
    params: { n: 0.1, list: [1, null] },
  });
});

test("two simultaneous exports into the same folder do not replace each other's files", async () => {
  const target = join(folder, 'at-once');
  for (const [material, file] of [
    ['gsc', 'gsc.stored.csv'],
    ['page_version', 'site.yaml'],
  ] as const) {
    const other = join(target, file);
    const exported = exportSite({
      write: source.write,
      manifest,
      site: 'demo',
      format: 'csv',
      signal,
      writeParquet,
      material,
      folder: target,
      onProgress: () => writeFileSync(other, 'from the other export'),
    });
    await expect(exported).rejects.toThrow(`${other} already exists. Choose a new folder.`);
    expect(await readFile(other, 'utf8')).toBe('from the other export');
    await rm(target, { recursive: true });
  }
});

test('qal export lists its files and overwrites nothing', async () => {
  const outFolder = join(folder, 'command');
  const run = (...more: string[]) =>
    runCommand({ database: source }, ['export', '--site', 'demo', ...more, outFolder]);
  const { code, out } = await run('--material', 'page_version');
  expect([code, out]).toEqual([0, expect.stringMatching(/^\S+page_version\.stored\.ndjson +\d+ rows\n$/)]);
  expect(await run('--material', 'page_version')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/site\.yaml already exists. Choose a new folder\.\n$/),
  });
  expect(await runCommand({ database: source }, ['export', '--site', 'demo', '/proc/qal/files'])).toEqual({
    code: 1,
    out: '',
    err: '/proc/qal cannot be used: the file system does not allow folders there.\n',
  });
  expect(await run('--from', '2026-04-30')).toMatchObject({
    code: 2,
    err: 'Give both --from and --to, or neither.\n',
  });
  expect(await run('--material', 'goal_1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('name one of allpv'),
  });
  expect(
    await runCommand({ database: source }, ['export', '--site', 'none', join(folder, 'none')]),
  ).toMatchObject({
    code: 1,
    err: 'There is no site none. "qal sites list" shows all sites.\n',
  });
});

describe('for a site whose ids the server generated', () => {
  const AT = 1_770_000_000;
  const page = (index: number) => `https://log.example/${index % 7}`;
  /** Visitors with a name, with a session, and with neither; two views in the same second; and a pause within a session. */
  const views = Array.from({ length: 60 }, (_, index) => ({
    url: page(index),
    access_time: AT + Math.floor(index / 2) * 400,
    utm_source: index % 9 === 0 ? 'news' : null,
    ...(index % 3 === 0 && { original_id: `visitor-${index % 4}` }),
    ...(index % 3 === 1 && { session_id: `s${index % 5}` }),
  }));
  const answersOf = async (database: TestDatabase) => {
    const context = await createContext(database);
    const ask = async (name: string, columns: readonly string[], by: string) => {
      const keep = columns.map((column) => `${name}.${column}`);
      const view = {
        from: [name],
        keep,
        // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
        sort: { by, order: 'asc', then: [{ by: `${name}.pv_id`, order: 'asc' }] },
      };
      const time = { start: '2026-01-01T00:00:00', end: '2027-01-01T00:00:00', tz: 'UTC' };
      const rows = await rowsOf(context, {
        tracking_id: 'log',
        materials: [{ name }],
        time,
        make: { v: view },
        result: { use: 'v', limit: 999 },
      });
      expect(rows.length).toBeGreaterThan(1);
      const isId = (index: number) => columns[index]?.endsWith('_id') === true;
      return rows.map((row) =>
        row.map((value, index) => (isId(index) ? `${columns[index]} ${value}` : value)),
      );
    };
    const ofView = [
      'access_time',
      'url',
      'pv',
      'is_last',
      'is_newuser',
      'utm_source',
      'pv_id',
      'session_id',
      'reader_id',
    ];
    const all = await ask('allpv', ofView, 'access_time');
    const clicks = await ask('click_event', ['selector', 'pv_id'], 'selector');
    const goals = await ask('goal_1', ['access_time', 'url', 'pv_id', 'session_id'], 'access_time');
    return [all, clicks, goals];
  };
  /** Replaces ids with their order of appearance, so that lists that differ only in their ids are equal. */
  const numbered = (answers: readonly (readonly (readonly unknown[])[])[]) => {
    const ids = new Map<unknown, number>();
    return answers.map((rows) =>
      rows.map((row) =>
        row.map((value) => {
          if (typeof value !== 'string' || !/^\w+_id \d+$/.test(value)) return value;
          const number = ids.get(value) ?? ids.size;
          ids.set(value, number);
          return `id ${number}`;
        }),
      ),
    );
  };

  // conformance: beyond.site-exported-files
  test('all answers are the same except for the generated ids, which are consistent across datasets and a second import', async () => {
    const from = source;
    const to = await createTestDatabase();
    try {
      const goal = { id: 1, name: 'Order', type: 'gtype_page', condition: { url: page(3), match: 'exact' } };
      const site = { tracking_id: 'log', domain: 'log.example', name: 'Log', timezone: 'UTC', goals: [goal] };
      await applySites(from.write, { sites: [site] });
      await importRows(from.write, manifest, { material: 'allpv', site: 'log', rows: views });
      const { rows } = await from.write.raw(
        `SELECT min(pv_id)::float8 AS first FROM analytics.page_view JOIN analytics.site USING (site_id)
          WHERE tracking_id = 'log'`,
      );
      expect(rows).toEqual([{ first: 4_000_000_000_000_001 }]);
      // The clicks refer only to visits, so their page views are derived.
      const clicks = [0, 1, 2, 3].map((index) => ({
        session_id: `s${index}`,
        access_time: AT + 9_000,
        selector: `a.n${index}`,
      }));
      await importRows(from.write, manifest, { material: 'click_event', site: 'log', rows: clicks });
      const outFolder = join(folder, 'generated');
      await exportSite({
        write: from.write,
        manifest,
        site: 'log',
        format: 'ndjson',
        signal,
        writeParquet,
        onProgress: () => {},
        folder: outFolder,
      });
      for (const report of await importAll(to, outFolder, 'log'))
        expect(report).toMatchObject({ added: report.read });
      const expected = numbered(await answersOf(from));
      expect(numbered(await answersOf(to))).toEqual(expected);
      for (const report of await importAll(to, outFolder, 'log'))
        expect(report).toMatchObject({ added: 0, unchanged: report.read });
    } finally {
      await to.drop();
    }
  });
});

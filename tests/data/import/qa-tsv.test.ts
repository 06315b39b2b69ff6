// Imports of a migrating user's export file: its fields, sessions and invalid lines.
import { Readable } from 'node:stream';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { importFile } from '../../../extension/data/import/import-together';
import type { RejectedRow } from '../../../extension/data/import/rejected-rows';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, storedViews } from './import-setup';

const database = useTestDatabase();

const HEADER =
  'reader_id UAos UAbrowser url title device_id utm_source source_domain utm_medium utm_campaign session_no access_time pv speed_msec browse_sec is_last is_newuser';

interface Line {
  readonly reader?: string;
  readonly url: string;
  readonly no?: string;
  readonly time: string;
  readonly pv?: string;
  readonly device?: string;
  readonly title?: string;
  readonly speed?: string;
  readonly last?: string;
}

const lineOf = (it: Line): string =>
  [
    it.reader ?? '11',
    'Windows 11',
    'Chrome',
    it.url,
    it.title ?? 'A title',
    it.device ?? 'desktop',
    'news',
    'a.example',
    '',
    '',
    it.no ?? '1',
    it.time,
    it.pv ?? '1',
    it.speed ?? '',
    '',
    it.last ?? '',
    '',
  ].join('\t');

const load = (
  site: string,
  lines: readonly (Line | string)[],
  more: Partial<ImportOptions> = {},
  header = HEADER.replaceAll(' ', '\t'),
) => {
  const text = [header, ...lines.map((line) => (typeof line === 'string' ? line : lineOf(line)))].join('\n');
  return importFile({
    write: database.write,
    manifest,
    material: 'allpv',
    site,
    input: Readable.from([Buffer.from(`\uFEFF${text}\n`)]),
    format: 'qa-tsv',
    source: 'export.tsv',
    timezone: 'Asia/Tokyo',
    onError: 'stop',
    clock: () => new Date(0),
    ...more,
  });
};

/** URLs of a site by session, in chronological order. */
async function sessions(site: string): Promise<readonly string[]> {
  const views = [...(await storedViews(database.write, site))].sort((a, b) => a.at - b.at);
  const urls = new Map<number, string[]>();
  for (const view of views)
    urls.set(view.session_id, [...(urls.get(view.session_id) ?? []), view.url.slice(-1)]);
  return [...urls.values()].map((one) => one.join(' '));
}

test('fields become columns, and an empty number is 0', async () => {
  const site = await newSite(database.write);
  const report = await load(site, [
    {
      url: '/a',
      time: '2026-03-01 09:30:00',
      device: 'smp',
      title: 'say "hi", \'you\'',
      speed: '350',
      last: '1',
    },
    { url: '/b', time: '2026-03-01 09:31:00', device: 'tab', pv: '', no: '' },
    { url: '/c', time: '2026-03-01 09:32:00', device: 'pc', title: '' },
    { url: '/d', time: '2026-03-01 09:33:00', device: '' },
  ]);
  expect(report).toMatchObject({ read: 4, added: 4, rejected: 0 });
  const views = await storedViews(database.write, site);
  expect(views[0]).toMatchObject({
    at: Date.UTC(2026, 2, 1, 0, 30) / 1000,
    reader_id: 11,
    os: 'Windows 11',
    browser: 'Chrome',
    title: 'say "hi", \'you\'',
    device_type: 'SP',
    utm_source: 'news',
    source_domain: 'a.example',
    utm_medium: null,
    utm_campaign: null,
    pv: 1,
    browse_sec: 0,
    is_last: true,
    is_newuser: false,
  });
  expect(views.map((view) => view.device_type)).toEqual(['SP', 'tablet', 'PC', null]);
  expect(views[1]).toMatchObject({ pv: 1, is_last: false, browse_sec: 0 });
  expect(views[2]?.title).toBeNull();
});

test('a session is identified by its reader, the local day of its first view and its number', async () => {
  const site = await newSite(database.write);
  await load(site, [
    { url: '/a', time: '2026-03-01 10:00:00' },
    { url: '/b', time: '2026-03-01 10:05:00', pv: '2' },
    { url: '/c', time: '2026-03-01 10:06:00', no: '2' },
    { url: '/d', time: '2026-03-01 10:07:00', reader: '12' },
    { url: '/e', time: '2026-03-02 10:00:00' },
    { url: '/f', time: '2026-03-02 23:59:00', no: '2' },
    { url: '/g', time: '2026-03-03 00:01:00', no: '2', pv: '2' },
    { url: '/h', time: '2026-03-03 00:02:00', no: '1' },
    { url: '/i', time: '2026-03-03 00:03:00', no: '2', pv: '3' },
  ]);
  expect(await sessions(site)).toEqual(['a b', 'c', 'd', 'e', 'f g i', 'h']);
});

test('lines may end with CRLF', async () => {
  const [crlf, lf] = [await newSite(database.write), await newSite(database.write)];
  const lines = [
    { url: '/a', time: '2026-03-01 10:00:00' },
    { url: '/b', time: '2026-03-01 10:05:00', pv: '2', last: '1' },
  ];
  await load(lf, lines);
  const text = [HEADER.replaceAll(' ', '\t'), ...lines.map(lineOf), ''].join('\r\n');
  const input = Readable.from([Buffer.from(text.slice(0, -1)), Buffer.from(text.slice(-1))]);
  expect(await load(crlf, [], { input })).toMatchObject({ read: 2, added: 2 });
  expect(await storedViews(database.write, crlf)).toEqual(await storedViews(database.write, lf));
});

test('views without a position continue a session across midnight if the gap is short enough', async () => {
  const site = await newSite(database.write);
  await load(site, [
    { url: '/a', time: '2026-03-01 23:59:59', pv: '' },
    { url: '/b', time: '2026-03-02 00:00:01', pv: '' },
    { url: '/c', time: '2026-03-02 00:30:01', pv: '' },
    { url: '/d', time: '2026-03-02 00:31:00', pv: '4' },
    { url: '/e', time: '2026-03-01 23:30:00', reader: '12', pv: '' },
    { url: '/f', time: '2026-03-02 00:00:01', reader: '12', pv: '' },
    { url: '/g', time: '2026-03-02 23:50:00', reader: '13', pv: '2' },
    { url: '/h', time: '2026-03-02 23:51:00', reader: '13', pv: '' },
    { url: '/i', time: '2026-03-03 00:01:00', reader: '13', pv: '4' },
    { url: '/j', time: '2026-03-03 23:59:00', reader: '13', pv: '' },
    { url: '/k', time: '2026-03-04 00:01:00', reader: '13', pv: '' },
  ]);
  expect([...(await sessions(site))].sort()).toEqual(['a b c d', 'e', 'f', 'g h i', 'j k']);
});

test('session ids are the same in every file and on every site', async () => {
  const first = { url: '/a', time: '2026-03-01 10:00:00' };
  const second = { url: '/b', time: '2026-03-01 10:05:00', pv: '2' };
  const whole = await newSite(database.write);
  await load(whole, [first, second]);
  expect(await load(whole, [first, second])).toMatchObject({ added: 0, unchanged: 2 });
  const parts = await newSite(database.write);
  await load(parts, [second]);
  await load(parts, [first]);
  const ids = async (site: string) =>
    (await storedViews(database.write, site)).map((view) => view.session_id);
  expect(await ids(parts)).toEqual(await ids(whole));
  expect((await ids(whole))[0]).toBeGreaterThan(0);
});

test('invalid lines are rejected with their line number', async () => {
  const site = await newSite(database.write);
  const good = { url: '/a', time: '2026-03-01 10:00:00' };
  const rejected: RejectedRow[] = [];
  const report = await load(
    site,
    [
      good,
      `${lineOf(good)}\tmore`,
      'few\tfields',
      { ...good, no: 'x' },
      { ...good, time: '2026-02-30 10:00:00' },
      { ...good, reader: '' },
      { ...good, device: 'fridge' },
    ],
    {
      onError: 'skip',
      onRejected: (row) => {
        rejected.push(row);
      },
    },
  );
  expect(report).toMatchObject({ read: 7, added: 1, rejected: 6 });
  expect(rejected.map((row) => [row.line, row.reason])).toEqual([
    [3, 'has 18 cells, but the header has 17'],
    [4, 'has 2 cells, but the header has 17'],
    [5, 'session_no must be a whole number'],
    [6, 'is not a real date'],
    [7, 'must be at least 1'],
    [8, expect.stringContaining('must be one of PC, tablet, SP')],
  ]);
});

test('an invalid header or material, or a missing time zone, is an error', async () => {
  const site = await newSite(database.write);
  await expect(load(site, [], {}, 'url\ttime')).rejects.toThrow(`Line 1: must be the header ${HEADER}`);
  await expect(load(site, [], { material: 'gsc' })).rejects.toThrow(
    'contains no gsc; it can be imported as allpv',
  );
  await expect(
    importFile({
      write: database.write,
      manifest,
      material: 'allpv',
      site,
      input: Readable.from([]),
      format: 'qa-tsv',
      source: 'x',
      onError: 'stop',
      clock: () => new Date(0),
    }),
  ).rejects.toThrow('specify the time zone');
});

// Importing web server logs with `qal import`: visitors, visits and sources are derived, regardless of how a log is split.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { countryDatabase } from '../../support/country-database';
import { runCommand } from '../../support/run-command';
import { useTestDatabase } from '../../support/use-database';
import { useFolder } from '../../support/use-folder';
import { newSite, storedViews } from './import-setup';

const database = useTestDatabase();
const folder = useFolder();

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

const line = (time: string, path: string, { ip = '203.0.113.7', referrer = '-', agent = AGENT } = {}) =>
  `${ip} - - [${time} +0000] "GET ${path} HTTP/1.1" 200 512 "${referrer}" "${agent}"`;

const VISIT = [
  line('02/Mar/2026:09:15:00', '/tea?utm_source=news&utm_medium=mail'),
  line('02/Mar/2026:09:15:40', '/cup', { referrer: 'https://example.com/tea' }),
  line('02/Mar/2026:09:17:00', '/pot?utm_source=ad', { referrer: 'https://www.bing.com/' }),
  // Another visit by the same visitor, and another visitor.
  line('02/Mar/2026:10:00:00', '/late', { referrer: 'https://www.bing.com/x' }),
  line('02/Mar/2026:09:16:00', '/else', { ip: '198.51.100.9' }),
];

async function write(name: string, lines: readonly string[]): Promise<string> {
  const path = join(folder, name);
  const text = `${lines.join('\n')}\n`;
  await writeFile(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
}

const importInto = (site: string, files: readonly string[], ...options: readonly string[]) =>
  runCommand({ database }, ['import', 'allpv', ...files, '--site', site, ...options]);

/** The stored views without generated ids. Visits are numbered in the order of their first views. */
async function stored(site: string) {
  const views = [...(await storedViews(database.write, site))].sort((a, b) => a.at - b.at);
  const visits = [...new Set(views.map((view) => view.session_id))];
  return views.map(({ session_id, pv_id: _id, ...view }) => ({ ...view, visit: visits.indexOf(session_id) }));
}

// conformance: beyond.visitors-visits-sources
test("the first view determines a visit's source, and each view determines the previous view's duration", async () => {
  const site = await newSite(database.write);
  const done = await importInto(site, [await write('access.log', VISIT)]);
  expect(done).toMatchObject({
    code: 0,
    out: expect.stringMatching(/format {5}combined\nread {7}5\nadded {6}5\n/),
  });
  const views = await stored(site);
  expect(
    views.map((view) => [
      view.url.slice(19),
      view.visit,
      view.pv,
      view.browse_sec,
      view.utm_source,
      view.source_domain,
    ]),
  ).toEqual([
    ['/tea?utm_source=news&utm_medium=mail', 0, 1, 40, 'news', null],
    ['/cup', 0, 2, 80, 'news', null],
    ['/else', 1, 1, null, null, null],
    ['/pot?utm_source=ad', 0, 3, null, 'news', null],
    ['/late', 2, 1, null, null, 'bing.com'],
  ]);
  expect(new Set(views.map((view) => view.reader_id)).size).toBe(2);
  expect(views[0]).toMatchObject({
    os: 'Linux',
    browser: 'Firefox',
    device_type: 'PC',
    utm_medium: 'mail',
    is_newuser: true,
  });
});

// conformance: beyond.visitors-visits-sources
test('the parts of a log can be imported in any order, gzipped or not, once or twice', async () => {
  const [whole, pieces] = [await newSite(database.write), await newSite(database.write)];
  // Each site has a separate secret, so one site's secret is copied to the other to get the same visitors.
  await importInto(whole, [await write('access.log', VISIT)]);
  await runCommand({ database }, [
    'import',
    'allpv',
    await write('empty.log', []),
    '--site',
    pieces,
    '--format',
    'combined',
  ]);
  await database.write.raw(
    `UPDATE analytics.import_rules SET visitor_secret = (SELECT visitor_secret FROM analytics.import_rules JOIN analytics.site USING (site_id)
      WHERE tracking_id = ?) WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)`,
    [whole, pieces],
  );
  const [tea = '', cup = '', pot = '', late = '', other = ''] = VISIT;
  const files = [
    await write('3.log', [pot, late]),
    await write('2.log.gz', [cup]),
    await write('1.log', [other, tea, cup]),
  ];
  const first = await importInto(pieces, files);
  expect(first.out).toMatch(/files {6}3\nformat {5}combined\nread {7}6\nadded {6}5\nunchanged {2}1/);
  expect(await stored(pieces)).toEqual(await stored(whole));
  const again = await importInto(pieces, files);
  expect(again.out).toMatch(/added {6}0\nunchanged {2}6/);
  expect(await stored(pieces)).toEqual(await stored(whole));
});

test("visitor ids stay the same for a day, or for a month if the site's rules say so", async () => {
  const site = await newSite(database.write);
  const days = [
    line('02/Mar/2026:09:15:00', '/a'),
    line('03/Mar/2026:09:15:00', '/b'),
    line('01/Apr/2026:09:15:00', '/c'),
  ];
  await importInto(site, [await write('access.log', days)]);
  const visitors = async (name: string) => new Set((await stored(name)).map((view) => view.reader_id)).size;
  expect(await visitors(site)).toBe(3);
  const monthly = await newSite(database.write);
  await importInto(monthly, [await write('empty.log', [])], '--format', 'combined');
  await database.write.raw(
    `UPDATE analytics.import_rules SET visitor_period = 'month' WHERE site_id = (SELECT site_id FROM analytics.site WHERE tracking_id = ?)`,
    [monthly],
  );
  await importInto(monthly, [await write('access.log', days)]);
  expect(await visitors(monthly)).toBe(2);
});

// conformance: beyond.visitors-visits-sources
test('neither addresses nor user agents are stored', async () => {
  const site = await newSite(database.write);
  await importInto(site, [await write('access.log', VISIT)]);
  const { rows }: { rows: { found: number }[] } = await database.write.raw(
    `SELECT count(*)::int AS found FROM (
       SELECT to_jsonb(v) AS row FROM analytics.page_view v UNION ALL SELECT to_jsonb(b) FROM analytics.browser b
       UNION ALL SELECT to_jsonb(r) FROM analytics.reader r UNION ALL SELECT to_jsonb(i) FROM analytics.import_run i) t
      WHERE row::text LIKE '%203.0.113%' OR row::text LIKE '%Gecko%'`,
  );
  expect(rows).toEqual([{ found: 0 }]);
});

test('a dry run shows the rows as they will be stored, and writes nothing', async () => {
  const site = await newSite(database.write);
  const done = await importInto(site, [await write('access.log', VISIT)], '--dry-run');
  expect(done.code).toBe(0);
  expect(done.out).toMatch(/row 1\n.*access_time +2026-03-02T09:15:00.000Z/);
  expect(done.out).toMatch(/utm_source +news/);
  expect(done.out).toContain('Nothing was written');
  expect(await stored(site)).toEqual([]);
});

test('files before a failed one stay imported, as the error reports', async () => {
  const site = await newSite(database.write);
  const files = [await write('good.log', VISIT), await write('bad.log', [...VISIT.slice(0, 1), 'nonsense'])];
  const done = await importInto(site, files);
  expect(done.code).toBe(1);
  expect(done.err).toContain('bad.log: Line 2: does not match the format combined');
  expect(done.err).toContain('The file before it stays imported.');
  expect(await stored(site)).toHaveLength(5);
});

test('a custom format works the same way', async () => {
  const site = await newSite(database.write);
  const format = join(folder, 'shop.yaml');
  await writeFile(
    format,
    `about: Views of the shop
layout: csv
delimiter: ';'
materials:
  allpv:
    traffic: view
    columns:
      access_time: when
      url: {from: [host, path], as: page_address}
      device_type: {from: screen, words: {big: PC, small: SP}}
      country_code: {value: DE}
`,
  );
  const file = await write('shop.csv', [
    'when;host;path;screen',
    '2026-03-02T09:15:00Z;Example.com;/a#b;small',
  ]);
  expect(await importInto(site, [file], '--format', format)).toMatchObject({ code: 0 });
  expect(await stored(site)).toMatchObject([
    { url: 'https://example.com/a', device_type: 'SP', country_code: 'DE' },
  ]);
  await writeFile(
    format,
    'about: x\nlayout: csv\nmaterials: {allpv: {columns: {adress: a, url: {from: b, as: magic}}}}\n',
  );
  expect(await importInto(site, [file], '--format', format)).toMatchObject({
    code: 2,
    err: expect.stringContaining('shop.yaml'),
  });
});

// conformance: beyond.visitors-visits-sources
test('with a country database, each view gets the country of its IP address', async () => {
  const site = await newSite(database.write);
  const geoip = join(folder, 'countries.mmdb');
  await writeFile(
    geoip,
    countryDatabase({ '203.0.113.0/24': 'DE', '198.51.100.0/25': 'CH', '198.51.100.128/25': 'AT' }),
  );
  const from = (ip: string, path: string) => line('02/Mar/2026:09:15:00', path, { ip });
  const lines = [
    from('203.0.113.7', '/de'),
    from('198.51.100.9', '/ch'),
    from('198.51.100.200', '/at'),
    from('192.0.2.1', '/unknown'),
    from('2001:db8::1', '/other-form'),
  ];
  const { code } = await importInto(site, [await write('access.log', lines)], '--geoip', geoip);
  expect(code).toBe(0);
  expect((await stored(site)).map((view) => [view.url.slice(19), view.country_code]).sort()).toEqual([
    ['/at', 'AT'],
    ['/ch', 'CH'],
    ['/de', 'DE'],
    ['/other-form', null],
    ['/unknown', null],
  ]);
});

test('with a city database, each view gets the location of its IP address, unless the file contains one', async () => {
  const site = await newSite(database.write);
  const geoip = join(folder, 'cities.mmdb');
  const munich = {
    country: { iso_code: 'DE' },
    city: { names: { en: 'Munich' } },
    subdivisions: [{ names: { en: 'Bavaria' } }],
  };
  await writeFile(
    geoip,
    countryDatabase({ '203.0.113.0/24': 'DE' }, () => munich),
  );
  const rows = [
    { url: '/all', ip: '203.0.113.7' },
    { url: '/country', ip: '203.0.113.7', country_code: 'DE' },
    { url: '/else', ip: '203.0.113.7', country_code: 'AT' },
    { url: '/given', ip: '203.0.113.7', region: 'Bavaria', city: 'Passau' },
    { url: '/unknown', ip: '192.0.2.1' },
  ].map((row, index) => JSON.stringify({ ...row, access_time: `2026-03-02T09:15:0${index}Z` }));
  const { code } = await importInto(site, [await write('views.ndjson', rows)], '--geoip', geoip);
  expect(code).toBe(0);
  const places = async () =>
    (await stored(site)).map(({ url, country_code, region, city }) => [
      url.slice(19),
      country_code,
      region,
      city,
    ]);
  const before = [
    ['/all', 'DE', 'Bavaria', 'Munich'],
    ['/country', 'DE', 'Bavaria', 'Munich'],
    ['/else', 'AT', null, null],
    ['/given', null, 'Bavaria', 'Passau'],
    ['/unknown', null, null, null],
  ];
  expect(await places()).toEqual(before);

  // Correcting the city keeps the region, and undoing the correction restores both.
  const corrected = rows[0]?.replace('}', ',"city":"Augsburg"}') ?? '';
  await importInto(site, [await write('again.ndjson', [corrected])]);
  expect((await places())[0]).toEqual(['/all', 'DE', 'Bavaria', 'Augsburg']);
  const [newest] = await database.write('analytics.import_run').max('import_id as number');
  expect((await runCommand({ database }, ['imports', 'undo', `${newest?.number}`, '--yes'])).code).toBe(0);
  expect(await places()).toEqual(before);
  const { rows: cities } = await database.write.raw(
    'SELECT city FROM analytics.location JOIN analytics.site USING (site_id) WHERE tracking_id = ? AND region IS NOT NULL ORDER BY 1',
    [site],
  );
  expect(cities.map(({ city }: { city: string }) => city)).toEqual(['Munich', 'Passau']);
});

test.each([
  [
    'our own columns',
    '{"when":"2026-03-02T09:15:00Z","url":"/a"}',
    ['--map', 'when=access_time,whom=original_id'],
  ],
  [
    "another tool's columns",
    '{"remote_addr":"203.0.113.7","request":"GET /a HTTP/1.1","status":200,"http_user_agent":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0","msec":"1772442900.1"}',
    ['--map', 'whom=original_id,remote_addr=ip'],
  ],
])('the report names a --map field that no record with %s has', async (_of, record, options) => {
  const site = await newSite(database.write);
  const { code, out } = await importInto(site, [await write('views.ndjson', [record])], ...options);
  expect([code, out]).toEqual([
    0,
    expect.stringContaining('No row has a field whom, which should be imported as original_id.'),
  ]);
  expect(out).not.toMatch(/field (?:when|remote_addr)/);
});

test('options that cannot be used are reported', async () => {
  const site = await newSite(database.write);
  const file = await write('access.log', VISIT);
  expect((await importInto(site, [file], '--map', 'nonsense')).err).toContain(
    '--map takes pairs such as created_at=access_time',
  );
  expect((await importInto(site, [file], '--geoip', file)).err).toContain(
    'cannot be used as a country database',
  );
  expect((await importInto(site, [file], '--geoip', join(folder, 'none.mmdb'))).err).toContain(
    'none.mmdb cannot be read: no such file',
  );
  expect((await importInto(site, [file], '--delimiter', ';')).err).toContain('has no delimiter');
  expect((await importInto(site, [file, join(folder, 'none.log')])).err).toContain('no such file');
  expect(await stored(site)).toEqual([]);
});

test('the name of the click id in the landing URL is stored with the visit, and its value is not stored anywhere', async () => {
  const site = await newSite(database.write);
  const ad = '/tea?gad_source=1&GCLID=Value-7&x=1';
  const log = [
    line('02/Mar/2026:09:15:00', ad),
    line('02/Mar/2026:09:16:00', '/cup?fbclid=Value-8'),
    line('02/Mar/2026:11:15:00', '/pot?msclkid=&fbclid', { referrer: 'https://www.bing.com/' }),
  ];
  await importInto(site, [await write('access.log', log)]);
  expect((await stored(site)).map((view) => [view.url, view.source_domain, view.click_id_name])).toEqual([
    ['https://example.com/tea?x=1', null, 'gclid'],
    ['https://example.com/cup', null, 'gclid'],
    ['https://example.com/pot', 'bing.com', null],
  ]);
  for (const { table_name: table } of await database
    .write('information_schema.tables')
    .select('table_name')
    .where({ table_schema: 'analytics', table_type: 'BASE TABLE' })) {
    const { rows } = await database.write.raw('SELECT t::text AS row FROM analytics.?? t', [table]);
    expect(rows.filter(({ row }: { row: string }) => row.includes('Value-'))).toEqual([]);
  }

  // A file without the landing URL either contains the click id's name in a column, or leaves it unchanged.
  const csv = (name: string, cell: string) =>
    write(`${name}.csv`, [
      `url,access_time,reader_id,${name}`,
      `https://example.com/jug,2026-03-02T12:00:00Z,7,${cell}`,
    ]);
  await importInto(site, [await csv('click_id_name', 'ttclid')]);
  await importInto(site, [await csv('utm_source', 'tok')]);
  expect((await stored(site)).at(-1)).toMatchObject({ click_id_name: 'ttclid', utm_source: 'tok' });
});

test("a sites file sets a site's import rules; without them, the stored rules stay in effect", async () => {
  const file = (more: string) =>
    `sites:\n  - {tracking_id: ruled, domain: ruled.example, name: R, timezone: UTC${more}}\n`;
  const apply = (text: string) => runCommand({ database }, ['sites', 'apply', '-'], text);
  expect((await apply(file(', import: {visitors: year}'))).code).toBe(1);
  const rules = ', import: {visitors: month, hosts: [shop.ruled.example], click_ids: [ref]}';
  expect((await apply(file(rules))).out).toContain('created');
  expect((await apply(file(rules))).out).toContain('unchanged');
  await importInto('ruled', [
    await write('access.log', [
      line('02/Mar/2026:09:15:00', '/a?ref=1&fbclid=2', { referrer: 'https://shop.ruled.example/' }),
      line('03/Mar/2026:09:15:00', '/b', { referrer: 'https://other.example/' }),
      line('04/Mar/2026:09:15:00', '/c?ref=3'),
    ]),
  ]);
  expect((await apply(file(''))).out).toContain('unchanged');
  const views = await stored('ruled');
  expect(views.map((view) => [view.url, view.source_domain, view.click_id_name])).toEqual([
    ['https://ruled.example/a?fbclid=2', null, 'fbclid'],
    ['https://ruled.example/b', 'other.example', null],
    ['https://ruled.example/c', null, 'ref'],
  ]);
  expect(new Set(views.map((view) => view.reader_id)).size).toBe(1);
});

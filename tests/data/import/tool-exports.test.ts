// The command imports unmodified exports from other tools, with the tools' ids. A second import of the same export changes nothing.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countryOfName } from '../../../extension/data/import/derive/countries';
import { runCommand } from '../../support/run-command';
import { useTestDatabase } from '../../support/use-database';
import { newSite } from './import-setup';
import { siteContents } from './site-contents';

const database = useTestDatabase();
const sample = (name: string) => join(__dirname, 'samples', name);

const importSample = (material: string, name: string, site: string) =>
  runCommand({ database }, ['import', material, sample(name), '--site', site]);

/** Imports a sample twice, and expects no changes the second time. */
async function importTwice(material: string, name: string, site: string, rows: number) {
  const first = await importSample(material, name, site);
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining(`added      ${rows}\n`) });
  const again = await importSample(material, name, site);
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      `added      0\nunchanged  ${rows}  (already stored, or repeated in the file)\n`,
    ),
  });
}

test.each([
  ['Palestine', 'PS'],
  ['Macau', 'MO'],
  ['Türkiye', 'TR'],
  ['Congo - Kinshasa', 'CD'],
])('Google reports name the country %s', (name, code) => {
  expect(countryOfName(name)).toBe(code);
});

async function runSql(sql: string, site: string): Promise<readonly object[]> {
  const result: { rows: object[] } = await database.write.raw(sql, [site]);
  return result.rows;
}

const figures = (site: string) =>
  runSql(
    `SELECT g.day::text, p.url, k.keyword, g.search_type, g.clicks, g.impressions, g.position_x100
       FROM analytics.search_day g JOIN analytics.site s USING (site_id) JOIN analytics.page p USING (site_id, page_id)
       JOIN analytics.keyword k USING (site_id, query_id) WHERE s.tracking_id = ? ORDER BY p.url, k.keyword`,
    site,
  );

/** A site's views, visits, visitors and seconds, as a query returns them. */
async function totals(site: string) {
  const query = {
    tracking_id: site,
    materials: [{ name: 'allpv' }],
    time: { start: '2026-03-01T00:00:00', end: '2026-03-04T00:00:00', tz: 'UTC' },
    make: {
      all: {
        from: ['allpv'],
        keep: [],
        calc: {
          views: 'COUNT(allpv.pv_id)',
          visits: 'COUNTUNIQUE(allpv.session_id)',
          visitors: 'COUNTUNIQUE(allpv.reader_id)',
          seconds: 'SUM(allpv.browse_sec)',
        },
      },
    },
    result: { use: 'all' },
  };
  const done = await runCommand({ database }, ['query', '-', '--format', 'csv'], JSON.stringify(query));
  return done.code === 0 ? done.out.trim().split(/\r?\n/).at(-1) : done.err;
}

describe('queries on an imported export return the same counts as the tool', () => {
  test.each([
    { name: 'umami.csv', rows: 3, answer: '3,2,2,98' },
    { name: 'goatcounter.csv', rows: 3, answer: '3,2,2,98' },
    { name: 'matomo.json', rows: 3, answer: '3,2,2,38' },
    { name: 'ga4.ndjson', rows: 2, answer: '2,2,2,0' },
  ])('$name', async ({ name, rows, answer }) => {
    const site = await newSite(database.write, 't.example');
    await importTwice('allpv', name, site, rows);
    expect(await totals(site)).toBe(answer);
  });
});

describe('events in an export are assigned to the views in the same export', () => {
  const events = (site: string) =>
    runSql(
      `SELECT n.event_name, p.url, e.params
         FROM analytics.event e JOIN analytics.site s USING (site_id) JOIN analytics.page p USING (site_id, page_id)
         JOIN analytics.event_name n USING (site_id, event_name_id) WHERE s.tracking_id = ? ORDER BY e.at`,
      site,
    );

  test.each([
    { name: 'umami.csv', event: { event_name: 'add_to_cart', url: 'https://t.example/cup', params: {} } },
    { name: 'goatcounter.csv', event: { event_name: 'cup-added', url: 'https://t.example/cup', params: {} } },
    {
      name: 'matomo.json',
      event: {
        event_name: 'event',
        url: 'https://t.example/tea',
        params: { category: 'cart', action: 'add' },
      },
    },
    {
      name: 'ga4.ndjson',
      event: {
        event_name: 'scroll',
        url: 'https://t.example/tea',
        params: { ga_session_id: 1_772_439_300, percent_scrolled: 90 },
      },
    },
  ])('$name', async ({ name, event }) => {
    const site = await newSite(database.write, 't.example');
    await importSample('allpv', name, site);
    await importTwice('datalayer_event', name, site, 1);
    expect(await events(site)).toEqual([event]);
  });

  // conformance: beyond.clicks-events-wait
  test.each(['umami.csv', 'goatcounter.csv'])('%s: even if the events are imported first', async (name) => {
    const [site, inOrder] = [
      await newSite(database.write, 't.example'),
      await newSite(database.write, 't.example'),
    ];
    expect(await importSample('datalayer_event', name, site)).toMatchObject({
      code: 0,
      out: expect.stringContaining(
        'waiting    1  (for their page views, which have not been imported yet)\n',
      ),
    });
    expect(await events(site)).toEqual([]);
    for (const [one, ...materials] of [
      [site, 'allpv'],
      [inOrder, 'allpv', 'datalayer_event'],
    ] as const)
      for (const material of materials) await importSample(material, name, one);
    expect(await events(site)).toHaveLength(1);
    expect(await siteContents(database.write, site)).toEqual(await siteContents(database.write, inOrder));
  });

  // conformance: beyond.logs-exports-other
  test('clicks from GA4 get selectors derived from their links', async () => {
    const site = await newSite(database.write, 't.example');
    await importSample('allpv', 'ga4.ndjson', site);
    await importTwice('click_event', 'ga4.ndjson', site, 2);
    const clicks = await runSql(
      `SELECT p.url, l.selector, c.event_sec, c.to_url, c.element_id, c.element_class, c.is_external
         FROM analytics.click c JOIN analytics.site s USING (site_id) JOIN analytics.page p USING (site_id, page_id)
         JOIN analytics.selector l USING (site_id, selector_id) WHERE s.tracking_id = ? ORDER BY c.at`,
      site,
    );
    expect(clicks).toEqual([
      {
        url: 'https://t.example/tea',
        selector: 'a#\\32 nd.cta.md\\:big /* derived */',
        event_sec: 43,
        to_url: 'https://b.example/',
        element_id: '2nd',
        element_class: 'cta md:big',
        is_external: true,
      },
      {
        url: 'https://t.example/tea',
        selector: 'a[href="https://c.example/"] /* derived */',
        event_sec: 48,
        to_url: 'https://c.example/',
        element_id: null,
        element_class: null,
        is_external: false,
      },
    ]);
  });

  // conformance: beyond.logs-exports-other
  test('events without a visitor are skipped and counted', async () => {
    const site = await newSite(database.write, 't.example');
    await importSample('allpv', 'ga4.ndjson', site);
    const done = await importSample('datalayer_event', 'ga4.ndjson', site);
    expect(done.out).toContain('1  events without consent, which belong to no visitor\n');
  });
});

describe('search data for the same day, page, term and type is summed', () => {
  // conformance: beyond.logs-exports-other
  test('API rows split by additional dimensions, with positions weighted by impressions', async () => {
    const site = await newSite(database.write, 't.example');
    const done = await importSample('gsc', 'search-console-api.json', site);
    expect(done).toMatchObject({ code: 0 });
    expect(await figures(site)).toEqual([
      {
        day: '2026-03-02',
        url: 'https://t.example/tea',
        keyword: 'green tea',
        search_type: 1,
        clicks: 2,
        impressions: 15,
        position_x100: 400,
      },
    ]);
  });

  test('rows from the bulk export, split by device', async () => {
    const site = await newSite(database.write, 't.example');
    const text = await readFile(sample('search-console-bulk.csv'), 'utf8');
    const desktop = text.trimEnd().split('\n')[1]?.replace('MOBILE,10,2,15', 'DESKTOP,5,1,30');
    const done = await runCommand(
      { database },
      ['import', 'gsc', '-', '--site', site],
      `${text}${desktop}\n`,
    );
    expect(done).toMatchObject({ code: 0 });
    expect(await figures(site)).toEqual([
      {
        day: '2026-03-02',
        url: 'https://t.example/',
        keyword: 'cup',
        search_type: 2,
        clicks: 0,
        impressions: 4,
        position_x100: 300,
      },
      {
        day: '2026-03-02',
        url: 'https://t.example/tea',
        keyword: 'green tea',
        search_type: 1,
        clicks: 3,
        impressions: 15,
        position_x100: 400,
      },
    ]);
  });
});

test("local Matomo times require the site's time zone if their visit has no timestamps", async () => {
  const site = await newSite(database.write, 't.example');
  const visits: readonly object[] = JSON.parse(await readFile(sample('matomo.json'), 'utf8'));
  const local = JSON.stringify(
    visits.map((visit) => ({ ...visit, firstActionTimestamp: undefined, lastActionTimestamp: undefined })),
  );
  const run = (...zone: readonly string[]) =>
    runCommand({ database }, ['import', 'allpv', '-', '--format', 'matomo', '--site', site, ...zone], local);
  expect(await run()).toMatchObject({
    code: 1,
    err: expect.stringContaining('specify the zone with --timezone'),
  });
  await importTwice('allpv', 'matomo.json', site, 3);
  expect(await run('--timezone', 'Europe/Berlin')).toMatchObject({
    code: 0,
    out: expect.stringContaining('unchanged  3  (already stored, or repeated in the file)'),
  });
});

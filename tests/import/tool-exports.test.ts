// Exports of other tools through the command, as their users have them: with the ids that the tools gave, twice.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/run-command';
import { useTestDatabase } from '../support/use-database';
import { newSite } from './import-setup';

const database = useTestDatabase();
const sample = (name: string) => join(__dirname, 'samples', name);

const importSample = (material: string, name: string, site: string) =>
  runCommand({ database }, ['import', material, sample(name), '--site', site]);

/** Imports a sample twice, and expects that the second time changes nothing. */
async function importTwice(material: string, name: string, site: string, rows: number) {
  const first = await importSample(material, name, site);
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining(`added      ${rows}\n`) });
  const again = await importSample(material, name, site);
  expect(again).toMatchObject({
    code: 0,
    out: expect.stringContaining(`added      0\nunchanged  ${rows}  (were there already)\n`),
  });
}

async function ask(sql: string, site: string): Promise<readonly object[]> {
  const answer: { rows: object[] } = await database.write.raw(sql, [site]);
  return answer.rows;
}

const figures = (site: string) =>
  ask(
    `SELECT g.day::text, p.url, k.keyword, g.search_type, g.clicks, g.impressions, g.position_x100
       FROM analytics.search_day g JOIN analytics.site s USING (site_id) JOIN analytics.page p USING (site_id, page_id)
       JOIN analytics.keyword k USING (site_id, query_id) WHERE s.tracking_id = ? ORDER BY p.url, k.keyword`,
    site,
  );

/** Views, visits, visitors and seconds of a site, asked as its users ask. */
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

describe('what is asked of an export is what its tool counted', () => {
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

describe('search figures of one day, page, term and type are summed', () => {
  test('rows of the API that are split by more, positions weighed with impressions', async () => {
    const site = await newSite(database.write, 't.example');
    const done = await importSample('gsc', 'search-console-api.json', site);
    expect(done).toMatchObject({ code: 0 });
    expect(await figures(site)).toEqual([
      {
        ...{ day: '2026-03-02', url: 'https://t.example/tea', keyword: 'green tea', search_type: 1 },
        ...{ clicks: 2, impressions: 15, position_x100: 400 },
      },
    ]);
  });

  test('rows of the bulk export that are split by device', async () => {
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
        ...{ day: '2026-03-02', url: 'https://t.example/', keyword: 'cup', search_type: 2 },
        ...{ clicks: 0, impressions: 4, position_x100: 300 },
      },
      {
        ...{ day: '2026-03-02', url: 'https://t.example/tea', keyword: 'green tea', search_type: 1 },
        ...{ clicks: 3, impressions: 15, position_x100: 400 },
      },
    ]);
  });
});

// The copy records which fields are session-constant and keeps this current after changes, so that queries can read one row per visit.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { readDocument } from '../../../extension/language/parse/read-document';
import { createContext, manifest } from '../../language/query-setup';
import { countingOnlyBy, openTestColumns, type TestColumns } from '../../support/columns';
import { IS_LONG_RUN } from '../../support/long-run';
import { expectSameAnswer } from '../../support/run-whole';
import { useTestDatabase } from '../../support/use-database';
import { repeatRows } from './repeat-rows';

const FIRST = Date.parse('2025-01-01T00:00:00Z');
const DAY_MS = 86_400_000;

const database = useTestDatabase();
let columns: TestColumns;
const COUNTING = { isCounted: true, manifest: countingOnlyBy() };
const load = (site: string, from: number, to: number) =>
  importRows(database.write, manifest, {
    material: 'allpv',
    site,
    rows: Array.from({ length: to - from }, (_, index) => view(from + index)),
  });

/** Two visits per day, each with three views within ten hours. */
const view = (index: number) => {
  const visit = Math.floor(index / 3);
  return {
    pv_id: index + 1,
    session_id: visit + 1,
    pv: (index % 3) + 1,
    is_last: index % 3 === 2 ? 1 : 0,
    is_newuser: 0,
    access_time: new Date(FIRST + visit * (DAY_MS / 2) + (index % 3) * 5 * 3_600_000).toISOString(),
    reader_id: (visit % 40) + 1,
    url: `/${index % 7}`,
    title: 'T',
    device_type: ['PC', 'SP'][visit % 2],
    utm_source: ['x', 'y', undefined][visit % 3],
    utm_medium: ['m', undefined][visit % 2],
    country_code: visit % 5 === 0 ? undefined : 'JP',
  };
};

const FIELDS = [
  ...['site_id', 'session_id', 'source_id', 'medium_id', 'campaign_id', 'content_id', 'reader_id', 'os_id'],
  ...['browser_id', 'language_id', 'country_id', 'location_id', 'device_id'],
];
const without = (...fields: readonly string[]) => FIELDS.filter((field) => !fields.includes(field));
const siteIdOf = async (site: string): Promise<number> => {
  const [siteId = 0] = await database.write
    .from('analytics.site')
    .where({ tracking_id: site })
    .pluck<number[]>('site_id');
  return siteId;
};
const foundOn = (siteId: number) => [...columns.visitFields('allpv', [siteId], Number.POSITIVE_INFINITY)];

const KEEPS = [
  ['utm_source', 'utm_medium'],
  ['device_type', 'country_code'],
  ...(IS_LONG_RUN ? [[], ['utm_source'], ['channel']] : []),
];
const RANGES = [
  ['2024-01-01T00:00:00', '2027-01-01T00:00:00'],
  ['2025-02-01T04:59:59', '2025-03-01T17:00:01'],
  ['2025-02-01T05:00:00', '2025-02-01T10:00:00'],
] as const;

/** Selects a different range each turn. A long run selects all ranges. */
const rangesFor = (turn: number) =>
  IS_LONG_RUN ? RANGES : RANGES.filter((_range, index) => index === turn % RANGES.length);

const FILTERS = [undefined, { device_type: 'PC', utm_source: { neq: 'x' } }];
/** In a long run, two queries read the stored counts instead: they have no key and no filter, and cover whole quarter hours. */
const ALL = FILTERS.length * KEEPS.length * rangesFor(0).length - (IS_LONG_RUN ? 2 : 0);

/** Expects the same answers as from rows. Returns how many of the queries read one row per visit. */
async function askAll(site: string, turn: number): Promise<number> {
  const context = await createContext(database, { columns });
  let count = 0;
  for (const [filterIndex, filter] of FILTERS.entries())
    for (const [keepIndex, keep] of KEEPS.entries())
      for (const [start, end] of rangesFor(turn + filterIndex + keepIndex)) {
        const calc = { s: 'COUNTUNIQUE(allpv.session_id)', r: 'COUNTUNIQUE(allpv.reader_id)' };
        const document = readDocument(
          JSON.stringify({
            tracking_id: site,
            materials: [{ name: 'allpv' }],
            result: { use: 'v' },
            time: { start, end, tz: 'UTC' },
            make: { v: { from: ['allpv'], filter, keep: keep.map((name) => `allpv.${name}`), calc } },
          }),
        );
        if ((await expectSameAnswer(document, context)).includes('number > 1')) count += 1;
      }
  return count;
}

/** `changes` is the SQL after `UPDATE analytics.page_view SET`. */
const update = (changes: string, pv: number) => (siteId: number) =>
  database.write.raw(`UPDATE analytics.page_view SET ${changes} WHERE pv_id = ${pv} AND site_id = ${siteId}`);

/** A visit of 58 hours that begins before two of the ranges, instead of five visits of ten hours. */
const joinVisits = (siteId: number) =>
  database.write.raw(
    `UPDATE analytics.page_view v
        SET pv = v.pv_id - f.pv_id + 1, (session_id, reader_id, device_id, source_id, medium_id, country_id)
          = (f.session_id, f.reader_id, f.device_id, f.source_id, f.medium_id, f.country_id)
       FROM analytics.page_view f WHERE f.pv_id = 187 AND f.site_id = ? AND v.site_id = f.site_id AND v.pv_id BETWEEN 188 AND 201`,
    [siteId],
  );

const CASES: readonly (readonly [
  string,
  (siteId: number, site: string) => Promise<unknown>,
  readonly string[],
])[] = [
  ['no change', async () => {}, FIELDS],
  ['later visits', (_id, site) => load(site, 360, 420), FIELDS],
  ['earlier visits', (_id, site) => load(site, 0, 60), FIELDS],
  ['a view on another device', update('device_id = 3 - device_id', 302), without('device_id')],
  ['a view by another visitor', update('reader_id = reader_id + 1', 305), without('reader_id')],
  ['a view without a country', update('country_id = NULL', 305), without('country_id')],
  ['a view that belongs to an earlier visit', update('session_id = 101', 359), []],
  ['two first views of a visit', update('pv = 1', 302), []],
  ['a first view with the id of an earlier visit', update('session_id = 101', 358), []],
  ['a visit without a first view', update('pv = 4', 301), []],
  ['a first view that is not the earliest', update("at = at + interval '6 hours'", 301), []],
  ['a pause of 22 hours', update("at = at + interval '17 hours'", 360), []],
  ['a pause of less than 22 hours', update("at = at + interval '16 hours 59 minutes'", 360), FIELDS],
  ['a visit of several days', joinVisits, FIELDS],
];

beforeAll(async () => {
  const names = CASES.map((_case, index) => `site-${index}`);
  await applySites(database.write, {
    sites: names.map((name) => ({ tracking_id: name, domain: `${name}.example`, name, timezone: 'UTC' })),
  });
  await load('site-0', 60, 360);
  await repeatRows(database.write);
  columns = await openTestColumns(database, COUNTING);
});
afterAll(() => columns.stop());

test.each(CASES.map((it, index) => [...it, index] as const))(
  'the facts are correct after %s',
  async (_title, change, expected, index) => {
    const site = `site-${index}`;
    const siteId = await siteIdOf(site);
    expect(foundOn(siteId)).toEqual(FIELDS);
    await change(siteId, site);
    await columns.refresh();
    expect(foundOn(siteId)).toEqual(expected);
    const count = await askAll(site, index);
    if (expected === FIELDS) expect(count).toBe(ALL);
    else if (!expected.includes('reader_id')) expect(count).toBe(0);
    else expect(count).toBeGreaterThan(0);
  },
);

test('a field that was found to be session-varying remains so until all rows are compared again', async () => {
  const [site] = CASES.flatMap(([title], index) =>
    title === 'a view on another device' ? [`site-${index}`] : [],
  );
  const siteId = await siteIdOf(site ?? '');
  await update('device_id = 3 - device_id', 302)(siteId);
  await columns.refresh();
  expect(foundOn(siteId)).toEqual(without('device_id'));
  const { folder } = columns;
  await columns.stop({ keep: true });
  columns = await openTestColumns(database, { folder, ...COUNTING });
  expect(foundOn(siteId)).toEqual(without('device_id'));
  columns.distrust(
    (await columns.status()).sites.filter((copy) => copy.siteId === siteId),
    'a test',
  );
  await columns.refresh();
  expect(foundOn(siteId)).toEqual(FIELDS);
});

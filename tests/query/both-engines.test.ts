// Both engines return the same answers: for ranges with unusual boundaries, in other time zones, for several sites, with visits
// that span midnight or the boundaries, on nights when the clocks change, and with late rows.
import { importRows } from '../../extension/data/import/import-rows';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { readDocument } from '../../extension/language/parse/read-document';
import type { QueryContext } from '../../extension/query/query-context';
import { createContext, manifest } from '../language/query-setup';
import { openTestColumns, type TestColumns } from '../support/columns';
import { IS_LONG_RUN } from '../support/long-run';
import { runWhole } from '../support/run-whole';
import { useTestDatabase } from '../support/use-database';

const SITES = [
  ['berlin', 'Europe/Berlin'],
  ['havana', 'America/Havana'],
  ['utc', 'UTC'],
] as const;
const DAY = 86_400;
/** The clocks go forward in Berlin at 2026-03-29 01:00Z, and in Havana at midnight on 2026-03-08. */
const FIRST = Date.parse('2026-03-05T00:00:00Z') / 1000;
const DAYS = 32;
const VISITS_PER_DAY = 5;

const database = useTestDatabase();
let context: QueryContext;
let columns: TestColumns | undefined;
beforeAll(async () => {
  await applySites(database.write, {
    sites: SITES.map(([name, timezone]) => ({
      tracking_id: name,
      domain: `${name}.example`,
      name,
      timezone,
    })),
  });
  for (const [place, [site]] of SITES.entries()) {
    const rows = visits(place);
    // One visit in seven arrives late, in a second import.
    const isLate = (row: (typeof rows)[number]): boolean => row.session_id % 7 === 3;
    await load(
      site,
      rows.filter((row) => !isLate(row)),
    );
    await load(site, rows.filter(isLate));
  }
  columns = await openTestColumns(database, { isCounted: true });
  context = await createContext(database);
});
afterAll(() => columns?.stop());

/**
 * Visits by returning visitors, with one to four views each, some across midnight. All other values are computed from the visit's
 * index and the view's number.
 */
function visits(place: number) {
  return Array.from({ length: DAYS * VISITS_PER_DAY }, (_, index) => {
    const session_id = 1 + index;
    const began = FIRST + (index / VISITS_PER_DAY) * DAY + ((index * 7919 + place * 977) % 40_000);
    const pv = [1, 2, 3, 4].slice(0, 1 + ((index + place) % 4));
    return pv.map((number) => ({
      pv_id: session_id * 10 + number,
      session_id,
      pv: number,
      reader_id: 1 + ((index * 13) % 23),
      access_time: new Date((began + number * 2400) * 1000).toISOString(),
      url: `/${(index * number + place) % 6}`,
      title: `T${(index * number) % 2}`,
      device_type: ['PC', 'SP', 'tablet'][(index + (number === 4 ? 1 : 0)) % 3],
      country_code: [undefined, 'JP', 'DE'][index % 3],
      utm_source: [undefined, 'x', 'y', 'x'][index % 4],
      referrer: `https://r.example/${index % 4}`,
      browse_sec: number === 2 ? undefined : (index * number) % 50,
      is_last: number === pv.length ? 1 : 0,
      is_newuser: index % 5 === 0 ? 1 : 0,
      irritation_click_count: (index + number) % 3 === 0 ? 2 : 0,
    }));
  }).flat();
}

async function load(site: string, rows: readonly ReturnType<typeof visits>[number][]): Promise<void> {
  await importRows(database.write, manifest, { material: 'allpv', site, rows: [...rows] });
  const clicks = rows.flatMap(({ pv_id }) =>
    [0, 1, 5000]
      .slice(0, pv_id % 4)
      .map((event_sec) => ({ pv_id, event_sec, selector: `#s${event_sec % 3}` })),
  );
  await importRows(database.write, manifest, { material: 'click_event', site, rows: clicks });
}

type Range = readonly [start: string, end: string, tz: string];
const ranges: readonly [Range, Range, ...Range[]] = [
  ['2026-01-01T00:00:00', '2027-01-01T00:00:00', 'Europe/Berlin'],
  ['2026-03-10T00:00:00', '2026-04-01T00:00:00', 'Europe/Berlin'],
  ['2026-03-07T13:14:15', '2026-03-30T02:30:01', 'Europe/Berlin'],
  ['2026-03-07T05:00:00', '2026-03-29T12:00:00', 'America/Havana'],
  ['2026-03-06T00:00:00', '2026-04-05T00:00:00', 'Asia/Kathmandu'],
];

const N = { n: 'COUNT(allpv.pv_id)' };
const SESSIONS = { s: 'COUNTUNIQUE(allpv.session_id)' };
const VALUES = { ...SESSIONS, r: 'COUNTUNIQUE(allpv.reader_id)' };
const MEASURES = {
  a: 'AVERAGE(allpv.browse_sec)',
  b: 'SUM(allpv.browse_sec)',
  c: 'COUNT(allpv.browse_sec)',
  d: 'SUM(allpv.irritation_click_count)',
  e: 'AVERAGE(allpv.is_newuser)',
};

const of = (keep: readonly string[], calc: object, more: object = {}) => ({
  from: ['allpv'],
  keep: keep.map((name) => `allpv.${name}`),
  calc,
  ...more,
});
const clicks = (more: object = {}) => ({
  from: ['click_event'],
  keep: ['click_event.selector'],
  calc: { n: 'COUNT(click_event.pv_id)' },
  ...more,
});

const views: readonly (readonly [string, object])[] = [
  ['totals', of([], { ...N, ...VALUES, ...MEASURES })],
  ['pages', of(['url'], { ...N, ...MEASURES })],
  ['visits per page', of(['page_id'], { ...SESSIONS, ...N })],
  ['titles that several pages share', of(['title'], N)],
  ['sources', of(['utm_source'], { ...N, ...MEASURES })],
  ['visitors by country', of(['country_code'], { ...VALUES, ...N })],
  ['page views by country and site', of(['country_code', 'tracking_id'], N)],
  ['visits on one device', of([], VALUES, { filter: { device_type: 'SP' } })],
  ['pages on one device', of(['url'], N, { filter: { device_type: 'SP' } })],
  ['pages whose URLs start with the same string', of(['url'], N, { filter: { url: { prefix: '/1' } } })],
  ['landing pages', of(['url'], { ...N, bounces: 'AVERAGE(allpv.is_last)' }, { filter: { pv: 1 } })],
  [
    'rage clicks',
    of(['url', 'device_type'], { ...N, d: MEASURES.d }, { filter: { irritation_click_count: { gt: 0 } } }),
  ],
  ['new visitors', of(['is_newuser'], { ...VALUES, ...N })],
  ['sites', of(['tracking_id'], { ...N, ...VALUES })],
  ['clicks', clicks()],
  [
    'clicks on views in the range',
    clicks({
      join: {
        with: 'allpv',
        on: [{ left: 'click_event.pv_id', right: 'allpv.pv_id' }],
        'if not match': 'drop',
      },
    }),
  ],
];

const perPeriod: readonly (readonly [string, object])[] = [
  ['page views per hour and weekday', of(['access_weekday', 'access_hour'], N)],
  ['days', of(['access_date'], { ...N, ...VALUES })],
  ['landings per day and source', of(['access_date', 'utm_source'], N, { filter: { pv: 1 } })],
  ['weeks', of(['access_week', 'country_code'], { ...N, ...VALUES })],
  ['months', of(['access_month', 'device_type'], { ...VALUES, ...MEASURES })],
  [
    'aggregates per month',
    of(['access_month', 'url'], { ...N, ...MEASURES, f: 'MIN(allpv.pv)', g: 'MAX(allpv.is_last)' }),
  ],
];

const body = (trackingId: string, view: object, [start, end, tz]: Range, more: object = {}) =>
  JSON.stringify({
    tracking_id: trackingId,
    materials: [{ name: 'allpv' }, { name: 'click_event' }],
    time: { start, end, tz },
    make: { v: view },
    result: { use: 'v', limit: 1000, ...more },
  });

/**
 * Returns the answer's rows, or their count. Both engines must return the same answer. Long runs also run the query without the
 * stored counts.
 */
async function askBoth(text: string) {
  const { answeredBy, ...onColumns } = await runWhole(readDocument(text), { ...context, columns });
  expect(answeredBy.engine).toBe('columns');
  const { answeredBy: _, ...onRows } = await runWhole(readDocument(text), context);
  expect(onColumns).toEqual(onRows);
  if (!IS_LONG_RUN) return onRows;
  const uncounted = { ...context, columns, withoutPasses: ['unique-counts'] };
  expect(await runWhole(readDocument(text), uncounted)).toEqual({ answeredBy, ...onRows });
  return onRows;
}

const QUERIED = ['berlin', 'havana', 'all'];

/** Selects one of the sites or `all`, so that each view is queried for all three. A long run queries them all in every range. */
const sitesFor = (turn: number): readonly string[] =>
  IS_LONG_RUN ? QUERIED : QUERIED.filter((_, index) => index === turn % QUERIED.length);

// conformance: beyond.rows-column-copy
describe.each(ranges.map((range, place) => [...range, place] as const))(
  'from %s to %s, %s',
  (start, end, tz, place) => {
    test.each([...views, ...perPeriod].map(([name, view], index) => [name, view, index] as const))(
      '%s',
      async (_name, view, index) => {
        for (const trackingId of sitesFor(place + index)) {
          const { rows } = await askBoth(body(trackingId, view, [start, end, tz]));
          expect(rows.length).toBeGreaterThan(0);
        }
      },
    );
  },
);

test.each([
  ['groups', of(['url'], N)],
  ['landing pages', of(['url'], N, { filter: { pv: 1 } })],
  ['rows', { from: ['allpv'], keep: ['allpv.pv_id'] }],
  // conformance: beyond.rows-column-copy
])('both engines return the same number of %s', async (_name, view) => {
  for (const range of ranges)
    expect((await askBoth(body('berlin', view, range, { count_only: true }))).count).toBeGreaterThan(0);
});

test('if a filter matches no rows, a view without keys returns one row, and a view with a key returns none', async () => {
  const [, range] = ranges;
  const none = { filter: { country_code: 'ZZ' } };
  const total = await askBoth(body('berlin', of([], { ...N, ...MEASURES }, none), range));
  expect(total.rows).toEqual([[0, null, 0, 0, 0, null]]);
  expect((await askBoth(body('berlin', of(['country_code'], N, none), range))).rows).toEqual([]);
});

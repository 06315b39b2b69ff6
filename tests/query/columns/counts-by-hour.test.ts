// Page views by hour and weekday are read from the stored counts of the columnar copy, and so are visits, as long as none lasts a
// day or a week.
import { importRows } from '../../../extension/data/import/import-rows';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { readDocument } from '../../../extension/language/parse/read-document';
import { createContext, manifest } from '../../language/query-setup';
import { countingOnlyBy, openTestColumns, type TestColumns } from '../../support/columns';
import { IS_LONG_RUN } from '../../support/long-run';
import { expectSameAnswer } from '../../support/run-whole';
import { useTestDatabase } from '../../support/use-database';

const MINUTE = 60_000;
/** In Berlin, the clocks change a few days after each of these times. */
const STARTS = ['2025-03-25T10:00:00Z', '2025-10-22T04:00:00Z'].map((text) => Date.parse(text));

const database = useTestDatabase();
let columns: TestColumns;
beforeAll(async () => {
  await applySites(database.write, {
    sites: [{ tracking_id: 'a', domain: 'a.example', name: 'a', timezone: 'Europe/Berlin' }],
  });
  await importRows(database.write, manifest, {
    material: 'allpv',
    site: 'a',
    rows: STARTS.flatMap((start, part) =>
      Array.from({ length: 240 }, (_, index) => view(start, part, index)),
    ),
  });
  const counted = countingOnlyBy('device_id', 'page_id');
  columns = await openTestColumns(database, { isCounted: true, manifest: counted });
});
afterAll(() => columns.stop());

/** Five views per visit, in up to four different hours. */
const view = (start: number, part: number, index: number) => ({
  pv_id: part * 1_000 + index + 1,
  session_id: part * 1_000 + Math.floor(index / 5) + 1,
  reader_id: (index % 31) + 1,
  pv: (index % 5) + 1,
  is_last: index % 5 === 4 ? 1 : 0,
  is_newuser: 0,
  access_time: new Date(start + index * 43 * MINUTE).toISOString(),
  url: `/${index % 3}`,
  title: 'T',
  device_type: ['PC', 'SP'][index % 2],
});

const RANGES = [
  ['2025-01-01T00:00:00', '2026-01-01T00:00:00'],
  ['2025-03-27T10:30:00', '2025-10-26T03:15:00'],
] as const;
const KEEPS = [
  ['access_hour'],
  ['access_weekday'],
  ['access_hour', 'device_type'],
  ['access_weekday', 'url'],
];
const HOURS_BY_WEEKDAY = ['access_hour', 'access_weekday'];

const ZONES = ['Europe/Berlin', 'Asia/Kathmandu'];
/** Selects the time zones alternately. A long run selects both. */
const zonesFor = (turn: number) => (IS_LONG_RUN ? ZONES : ZONES.filter((_zone, index) => index === turn % 2));

/** Expects both engines to return the same counts. Returns the keys for which the copy read the stored counts. */
async function counted(value: string, fn = 'COUNTUNIQUE'): Promise<readonly string[]> {
  const context = await createContext(database, { columns });
  const found = new Set<string>();
  for (const [turn, keep] of [...KEEPS, HOURS_BY_WEEKDAY].entries())
    for (const [place, [start, end]] of RANGES.entries())
      for (const tz of zonesFor(turn + place)) {
        const calc = { n: `${fn}(allpv.${value})` };
        const document = readDocument(
          JSON.stringify({
            tracking_id: 'a',
            materials: [{ name: 'allpv' }],
            result: { use: 'v' },
            time: { start, end, tz },
            make: { v: { from: ['allpv'], keep: keep.map((name) => `allpv.${name}`), calc } },
          }),
        );
        const text = await expectSameAnswer(document, context);
        if (text.includes(`unique_allpv_${value}`)) found.add(keep.join());
      }
  return [...found];
}

/** Page views are not counted in advance by page. */
const viewKeys = [...KEEPS.filter((keep) => !keep.includes('url')), HOURS_BY_WEEKDAY].map((keep) =>
  keep.join(),
);
const weekdayKeys = KEEPS.map((keep) => keep.join()).filter((name) => name.startsWith('access_weekday'));

test('visits that last a few hours are counted in advance, by hour and weekday', async () => {
  expect(await counted('session_id')).toEqual(KEEPS.map((keep) => keep.join()));
});

test('page views are counted in advance, even by two periods together', async () => {
  expect(await counted('pv_id', 'COUNT')).toEqual(viewKeys);
});

test('visitors are counted from rows, because they may return', async () => {
  expect(await counted('reader_id')).toEqual([]);
});

test.each<[string, string, readonly string[]]>([
  ['two days', '2 days', weekdayKeys],
  ['two weeks', '14 days', []],
])(
  'if a visit lasts %s, values that may recur during the visit are counted from rows',
  async (_title, later, expected) => {
    await database.write.raw(
      `UPDATE analytics.page_view SET at = (SELECT min(at) FROM analytics.page_view) + ?::interval WHERE pv_id = 5`,
      [later],
    );
    await columns.refresh();
    expect(await counted('session_id')).toEqual(expected);
    expect(await counted('pv_id', 'COUNT')).toEqual(viewKeys);
  },
);

test('once that visit is short again, all values are read from the stored counts', async () => {
  await database.write.raw("UPDATE analytics.page_view SET at = at - interval '14 days' WHERE pv_id = 5");
  await columns.refresh();
  expect(await counted('session_id')).toEqual(KEEPS.map((keep) => keep.join()));
});

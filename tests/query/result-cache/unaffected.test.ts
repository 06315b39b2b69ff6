// Results stay cached if a change does not affect their days. If that cannot be proven, every change invalidates them.
import { seededRandom } from '../../../extension/data/demo/random';
import { importRows } from '../../../extension/data/import/import-rows';
import { readDocument } from '../../../extension/language/parse/read-document';
import { createResultCache, type ResultCache } from '../../../extension/query/result-cache/result-cache';
import { manifest, useCaseDatabase } from '../../language/query-setup';
import { tries } from '../../support/long-run';
import { runWhole } from '../../support/run-whole';

const opened = useCaseDatabase();
const { database } = opened;
let cache: ResultCache;
beforeEach(() => {
  cache = createResultCache(8 * 2 ** 20);
});

const load = (material: string, ...rows: readonly object[]) =>
  importRows(database.write, manifest, { material, site: 'shop', rows });
const ask = (body: string) => runWhole(readDocument(body), opened.context, cache);
const fresh = (body: string) => runWhole(readDocument(body), opened.context);

interface QueryOptions {
  readonly keep?: readonly string[];
  readonly calc?: Record<string, string>;
  readonly site?: string;
  readonly days?: readonly [string, string];
}

const MARCH = ['2026-03-05', '2026-03-08'] as const;
const queryOf = (
  material: string,
  { keep = [], calc, site = 'shop', days: [start, end] = MARCH }: QueryOptions,
): string =>
  JSON.stringify({
    tracking_id: site,
    materials: [{ name: material }],
    time: { start: `${start}T00:00:00`, end: `${end}T00:00:00`, tz: 'Asia/Tokyo' },
    make: { v: { from: [material], keep: keep.map((name) => `${material}.${name}`), calc } },
    result: { use: 'v' },
  });

let views = 700_000;
const view = (day: string, more: object = {}) => {
  views += 1;
  return {
    pv_id: views,
    session_id: views,
    reader_id: views,
    url: '/a',
    access_time: `${day}T09:00:00+09:00`,
    ...more,
  };
};

/** Returns whether the result is still cached after the change. Fails if it is stale. */
async function staysCached(body: string, change: () => Promise<unknown>): Promise<boolean> {
  await ask(body);
  await change();
  const { cached, ...answer } = await ask(body);
  const { cached: _cached, ...expected } = await fresh(body);
  expect(answer).toEqual(expected);
  return cached;
}

const COUNT = queryOf('allpv', { calc: { n: 'COUNT(allpv.pv_id)' } });
const importOtherDay = (more: object = {}) => load('allpv', view('2026-03-20', more));

beforeAll(async () => {
  await load('allpv', view('2026-03-06', { url: '/march', title: 'March', reader_id: 1 }));
  await importOtherDay({ url: '/known' });
});

test.each([
  ['counts', COUNT],
  [
    'stored columns of rows',
    queryOf('allpv', { keep: ['pv_id', 'pv', 'is_last', 'is_newuser', 'session_id'] }),
  ],
  ['counts by hour', queryOf('allpv', { keep: ['access_hour'], calc: { n: 'COUNT(allpv.pv_id)' } })],
  ['strings that did not change', queryOf('allpv', { keep: ['url', 'device_type', 'os'] })],
])('%s on other days stay cached after several imports', async (_what, body) => {
  await ask(body);
  await importOtherDay({ url: '/known' });
  expect(await staysCached(body, () => importOtherDay({ url: '/known' }))).toBe(true);
});

test.each([
  ['a view on a queried day', COUNT, () => load('allpv', view('2026-03-06'))],
  ['a view close to the queried days', COUNT, () => load('allpv', view('2026-03-08'))],
  [
    'a correction on a queried day',
    COUNT,
    () => load('allpv', { pv_id: 700_001, url: '/b', access_time: '2026-03-07T09:00:00+09:00' }),
  ],
  [
    'an import with a new page',
    queryOf('allpv', { keep: ['url'] }),
    () => importOtherDay({ url: `/new${views}` }),
  ],
  [
    'a newer title',
    queryOf('allpv', { keep: ['url', 'title'] }),
    () => importOtherDay({ url: '/march', title: 'New' }),
  ],
  [
    "a change that may affect a goal's flag",
    queryOf('allpv', { keep: ['pv_id', 'is_goal_1'] }),
    () => importOtherDay(),
  ],
  ["a change that may affect a goal's rows", queryOf('goal_1', { keep: ['pv_id'] }), () => importOtherDay()],
  [
    'a change to a shared string',
    queryOf('allpv', { keep: ['device_type'] }),
    () => database.write.raw('UPDATE analytics.device SET device_id = device_id'),
  ],
  [
    'a new version without recorded rows',
    COUNT,
    () => database.write.raw('UPDATE analytics.site_version SET data_version = data_version + 1'),
  ],
  [
    'a switch to a different history',
    COUNT,
    () => database.write.raw('UPDATE analytics.site_version SET token = gen_random_uuid()'),
  ],
  [
    'the loss of change records',
    COUNT,
    async () => {
      await importOtherDay({ url: '/known' });
      await database.write('analytics.change').delete();
    },
  ],
])('the cached result is not used after %s', async (_what, body, change) => {
  expect(await staysCached(body, change)).toBe(false);
});

const STEPS = tries(80, 300);

// conformance: beyond.results-kept-equal
test('while a log is followed and corrected, no result is stale, and many stay cached', async () => {
  const random = seededRandom(20_261_124);
  const days = Array.from({ length: 12 }, (_, place) => `2026-04-${String(place + 10)}`);
  const dayAt = (place: number) => days[place] ?? '2026-04-10';
  const kinds: readonly ((span: readonly [string, string]) => string)[] = [
    (span) =>
      queryOf('allpv', { days: span, calc: { n: 'COUNT(allpv.pv_id)', r: 'COUNTUNIQUE(allpv.reader_id)' } }),
    (span) => queryOf('allpv', { days: span, keep: ['pv_id', 'pv', 'is_last', 'is_newuser', 'browse_sec'] }),
    (span) =>
      queryOf('allpv', { days: span, keep: ['pv_id', 'url', 'title', 'original_id', 'source_domain'] }),
    (span) => queryOf('allpv', { days: span, keep: ['pv_id', 'is_goal_1', 'prev_url'] }),
    (span) =>
      queryOf('click_event', { days: span, keep: ['selector'], calc: { n: 'COUNT(click_event.pv_id)' } }),
    (span) => queryOf('allpv', { days: span, site: 'all', calc: { n: 'COUNT(allpv.pv_id)' } }),
  ];
  const randomView = (day: string) => {
    const minute = String(random.between(0, 59)).padStart(2, '0');
    const hour = String(random.between(0, 23)).padStart(2, '0');
    return view(day, {
      access_time: `${day}T${hour}:${minute}:00+09:00`,
      session_id: undefined,
      reader_id: random.between(1, 5),
      url: `/p${random.between(1, 4)}`,
      ...(random.chance(0.3) && { title: `T${minute}`, original_id: `o${hour}` }),
    });
  };
  let found = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const today = dayAt(6 + Math.floor((5 * step) / STEPS));
    if (random.chance(0.5)) await load('allpv', randomView(today), randomView(today));
    if (random.chance(0.1)) await load('allpv', randomView(dayAt(random.between(0, 11))));
    if (random.chance(0.1)) await load('click_event', { pv_id: views, event_sec: step, selector: '#step' });
    // Few enough that queries are repeated.
    const from = 3 * random.between(0, 3);
    const body = kinds[random.between(0, kinds.length - 1)]?.([dayAt(from), dayAt(from + 1)]) ?? COUNT;
    const { cached, ...answer } = await ask(body);
    const { cached: _cached, ...expected } = await fresh(body);
    expect(answer).toEqual(expected);
    if (cached) found += 1;
  }
  expect(found).toBeGreaterThan(10);
});

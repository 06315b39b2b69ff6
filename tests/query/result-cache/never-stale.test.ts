// A query sees every earlier change that affects its answer. Cached results are compared with the results of running the query.
import { installedContracts } from '../../../extension/api/contracts/choose-contract';
import { seededRandom } from '../../../extension/data/demo/random';
import { importRows } from '../../../extension/data/import/import-rows';
import { removeGoal, saveGoal } from '../../../extension/data/storage/goals/save-goal';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { saveSite } from '../../../extension/data/storage/sites/save-site';
import { readDocument } from '../../../extension/language/parse/read-document';
import type { QueryContext } from '../../../extension/query/query-context';
import { createResultCache, type ResultCache } from '../../../extension/query/result-cache/result-cache';
import { manifest, useCaseDatabase } from '../../language/query-setup';
import { runWhole } from '../../support/run-whole';

const MB = 2 ** 20;

const opened = useCaseDatabase();
const { database } = opened;
let cache: ResultCache;

beforeEach(() => {
  cache = createResultCache(8 * MB);
});

interface QueryOptions {
  readonly site?: string;
  readonly keep?: readonly string[];
  readonly calc?: Record<string, string>;
  readonly filter?: object;
}

const queryOf = (material: string, { site = 'shop', keep = [], calc, filter }: QueryOptions = {}): string =>
  JSON.stringify({
    tracking_id: site,
    materials: [{ name: material }],
    time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
    make: { v: { from: [material], keep: keep.map((name) => `${material}.${name}`), calc, filter } },
    result: { use: 'v' },
  });

const rowsOf = async (body: string, changes: Partial<QueryContext> = {}) =>
  (await runWhole(readDocument(body), { ...opened.context, ...changes })).rows;

const ask = (body: string, changes: Partial<QueryContext> = {}) =>
  runWhole(readDocument(body), { ...opened.context, ...changes }, cache);

const load = (material: string, ...rows: readonly object[]) =>
  importRows(database.write, manifest, { material, site: 'shop', rows });

const view = (pv_id: number, more: object = {}) => ({
  pv_id,
  session_id: pv_id,
  reader_id: pv_id,
  access_time: '2026-05-10T00:00:00+09:00',
  url: '/new',
  ...more,
});
const COUNTED = queryOf('allpv', { calc: { n: 'COUNT(allpv.pv_id)' } });
const GOAL = { id: 4, name: 'New', type: 'gtype_page', condition: { url: '/new', match: 'exact' } };
const IS_GOAL = queryOf('allpv', { keep: ['pv_id', 'is_goal_4'] });

/** The order matters: each change depends on the previous ones. */
const CHANGES: readonly (readonly [what: string, body: string, change: () => Promise<unknown>])[] = [
  ['a page view', COUNTED, () => load('allpv', view(1_000))],
  [
    'the title of a page that already has views',
    queryOf('allpv', { keep: ['url', 'title'], filter: { url: '/new' } }),
    () => load('allpv', view(1_001, { title: 'Newest', access_time: '2026-07-01T00:00:00+09:00' })),
  ],
  [
    'the session of earlier views, changed by a late view',
    queryOf('allpv', { keep: ['pv_id', 'pv', 'is_last'], filter: { reader_id: 1_002 } }),
    async () => {
      const anonymous = { reader_id: 1_002, session_id: undefined };
      await load('allpv', view(1_002, { ...anonymous, access_time: '2026-05-10T10:10:00+09:00' }));
      await ask(queryOf('allpv', { keep: ['pv_id', 'pv', 'is_last'], filter: { reader_id: 1_002 } }));
      await load('allpv', view(1_003, { ...anonymous, access_time: '2026-05-10T10:00:00+09:00' }));
    },
  ],
  [
    'a click',
    queryOf('click_event', { keep: ['selector', 'pv_id'] }),
    () => load('click_event', { pv_id: 1_000, event_sec: 1, selector: '#new' }),
  ],
  [
    'an event',
    queryOf('events.purchase', { keep: ['pv_id', 'currency'] }),
    () =>
      load('datalayer_event', {
        pv_id: 1_000,
        access_time: '2026-05-10T00:00:01+09:00',
        event_name: 'purchase',
        params: { currency: 'CHF' },
      }),
  ],
  [
    'a parameter that becomes a string with a new event',
    queryOf('events.purchase', { keep: ['pv_id', 'value'] }),
    () =>
      load('datalayer_event', {
        pv_id: 1_000,
        access_time: '2026-05-10T00:00:02+09:00',
        event_name: 'purchase',
        params: { value: 'much' },
      }),
  ],
  [
    'updated figures for an existing search',
    queryOf('gsc', { keep: ['keyword', 'date', 'clicks'] }),
    () =>
      load('gsc', {
        date: '2026-05-01',
        url: '/a',
        keyword: 'shoes',
        search_type: 'web',
        clicks: 4,
        impressions: 10,
        position: 2.5,
      }),
  ],
  [
    'a version of a page',
    queryOf('page_version', { keep: ['version_id', 'version_no'] }),
    () =>
      load('page_version', {
        version_id: 8,
        url: '/a',
        device_type: 'PC',
        version_no: 3,
        update_date: '2026-05-11',
      }),
  ],
  [
    'figures by age',
    queryOf('ga4_age_gender', { keep: ['age', 'sessions'] }),
    () => load('ga4_age_gender', { date: '2026-05-01', age: 0, gender: 0, sessions: 51, active_users: 40 }),
  ],
  [
    'figures by country',
    queryOf('ga4_country', { keep: ['country_code', 'sessions'] }),
    () => load('ga4_country', { date: '2026-05-01', country_code: 'FR', sessions: 1, active_users: 1 }),
  ],
  [
    'figures by region',
    queryOf('ga4_region', { keep: ['region', 'region_name'] }),
    () =>
      load('ga4_region', {
        date: '2026-05-01',
        region: 13,
        region_name: 'Tōkyō',
        sessions: 5,
        active_users: 4,
      }),
  ],
  [
    'the condition of a goal',
    IS_GOAL,
    () => saveGoal(database.write, 'shop', { ...GOAL, condition: { url: '/a', match: 'exact' } }, 'change'),
  ],
  [
    "a goal's rows, changed by a late click",
    queryOf('goal_2', { keep: ['pv_id'] }),
    () => load('click_event', { pv_id: 1_000, event_sec: 2, selector: '#buy' }),
  ],
];

const UNDEFINED = { code: 'E_UNKNOWN_COLUMN' };

describe('seen by the next query:', () => {
  beforeAll(() => saveGoal(database.write, 'shop', GOAL, 'add'));

  test.each(CHANGES)('%s', async (_what, body, change) => {
    const before = await ask(body);
    expect(await ask(body)).toEqual({ ...before, cached: true });
    await change();
    const after = await ask(body);
    expect(after.cached).toBe(false);
    expect(after.rows).not.toEqual(before.rows);
    expect(after.rows).toEqual(await rowsOf(body));
  });

  test('a goal that is removed and added again', async () => {
    const { rows } = await ask(IS_GOAL);
    await removeGoal(database.write, 'shop', GOAL.id);
    await expect(ask(IS_GOAL)).rejects.toMatchObject(UNDEFINED);
    await saveGoal(database.write, 'shop', GOAL, 'add');
    const again = await ask(IS_GOAL);
    expect(again).toMatchObject({ cached: false, rows: await rowsOf(IS_GOAL) });
    expect(again.rows).not.toEqual(rows);
  });

  test('goals that a site file removes', async () => {
    const body = queryOf('allpv', { site: 'blog', keep: ['pv_id', 'is_goal_1'] });
    await ask(body);
    const goals = [{ id: 1, name: 'Home', type: 'gtype_page', condition: { url: '/', match: 'exact' } }];
    const blog = { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'Europe/Berlin' };
    await applySites(database.write, { sites: [{ ...blog, goals }] });
    expect(await ask(body)).toMatchObject({ cached: false, rows: await rowsOf(body) });
    await applySites(database.write, { sites: [blog] });
    await expect(ask(body)).rejects.toMatchObject(UNDEFINED);
  });

  test("a site's fields", async () => {
    await ask(COUNTED);
    const shop = {
      trackingId: 'shop',
      domain: 'shop.example',
      timezone: 'Europe/Berlin',
      isDefault: true,
      retentionDays: null,
    };
    await saveSite(database.write, { ...shop, name: 'Shop of Berlin' }, 'change');
    expect(await ask(COUNTED)).toMatchObject({ cached: false });
  });
});

test('results stay cached after an import that changes nothing', async () => {
  await load('allpv', view(2_000));
  await ask(COUNTED);
  await load('allpv', view(2_000));
  expect(await ask(COUNTED)).toMatchObject({ cached: true });
  const refused = importRows(database.write, manifest, {
    material: 'allpv',
    site: 'shop',
    rows: [view(2_001), { url: 5 }],
  });
  await expect(refused).rejects.toThrow();
  expect(await ask(COUNTED)).toMatchObject({ cached: true });
});

test('results for other sites stay cached, but results for all sites do not', async () => {
  const bodies = ['blog', 'all'].map((site) => queryOf('allpv', { site, calc: { n: 'COUNT(allpv.pv_id)' } }));
  for (const body of bodies) await ask(body);
  await load('allpv', view(3_000));
  const answers = await Promise.all(bodies.map((body) => ask(body)));
  expect(answers.map(({ cached }) => cached)).toEqual([true, false]);
});

test('"all" means the sites that the user can see, even if another user has sent the same query before', async () => {
  const body = queryOf('allpv', { site: 'all', calc: { n: 'COUNT(allpv.pv_id)' } });
  const seen = [
    { sites: 'all' },
    { sites: ['blog'] },
    { sites: ['shop'] },
    { sites: ['blog', 'quiet'] },
  ] as const;
  for (const changes of seen) {
    const answer = await ask(body, changes);
    expect(answer).toMatchObject({ cached: false, rows: await rowsOf(body, changes) });
  }
  expect(await ask(body, { sites: ['shop', 'blog', 'quiet'] })).toMatchObject({ cached: true });
  await expect(ask(COUNTED, { sites: ['blog'] })).rejects.toMatchObject({
    code: 'E_UNKNOWN_TRACKING_ID',
  });
});

test('two contracts return the same cached result in their own formats', async () => {
  const body = queryOf('allpv', { keep: ['pv_id', 'url'], site: 'blog' });
  const formatted = [];
  for (const contract of installedContracts(manifest)) {
    const result = await ask(body, { contract });
    formatted.push(contract.format.table(result, 'result', 1, { cached: result.cached }));
  }
  expect(cache.use()).toMatchObject({ results: 1, requested: 2, found: 1 });
  expect(formatted).toMatchObject([
    { data: [{ pv_id: 1, url: '/' }], meta: { row_count: 1 } },
    { result: { rows: [[1, '/']] }, meta: { returned_count: 1, cached: true } },
  ]);
});

// attack: query-cached-answer-uses
test('a feature that is switched off is rejected even if the result is cached', async () => {
  const body = queryOf('allpv', { calc: { n: 'COUNT(allpv.pv_id)' }, keep: ['tracking_id'] });
  await ask(body);
  const features = new Map(opened.context.contract.rules.features);
  features.set('tracking_id_column', { enabled: false, about: '' });
  const contract = { ...opened.context.contract, rules: { ...opened.context.contract.rules, features } };
  await expect(ask(body, { contract })).rejects.toMatchObject({ code: 'E_FEATURE_DISABLED' });
});

// conformance: beyond.results-kept-equal
test('no result is stale, whatever the order of changes and queries', async () => {
  const random = seededRandom(20_261_121);
  const bodies = [
    COUNTED,
    queryOf('allpv', { keep: ['url'], calc: { n: 'COUNT(allpv.pv_id)', r: 'COUNTUNIQUE(allpv.reader_id)' } }),
    queryOf('allpv', { keep: ['pv_id', 'title', 'pv', 'is_last', 'is_goal_1'] }),
    queryOf('goal_1', { keep: ['pv_id'] }),
    queryOf('click_event', { keep: ['selector'], calc: { n: 'COUNT(click_event.pv_id)' } }),
    queryOf('allpv', { site: 'all', calc: { n: 'COUNT(allpv.pv_id)' } }),
  ];
  const randomView = () => {
    const [pv, reader, minute] = [random.between(5_000, 5_060), random.between(1, 6), random.between(0, 59)];
    const time = `2026-05-${random.between(10, 12)}T09:${String(minute).padStart(2, '0')}:00+09:00`;
    const page = { url: random.chance(0.5) ? '/a' : `/p${reader}`, title: `T${minute}` };
    return { pv_id: pv, reader_id: reader, access_time: time, ...page };
  };
  let found = 0;
  for (let step = 0; step < 60; step += 1) {
    if (random.chance(0.2)) await load('allpv', randomView(), randomView());
    if (random.chance(0.05)) await load('click_event', { pv_id: 1, event_sec: step, selector: '#step' });
    const body = bodies[random.between(0, bodies.length - 1)] ?? COUNTED;
    const { cached, ...answer } = await ask(body);
    const { cached: _cached, ...expected } = await runWhole(readDocument(body), opened.context);
    expect(answer).toEqual(expected);
    if (cached) found += 1;
  }
  expect(found).toBeGreaterThan(5);
});

// conformance: beyond.results-kept-equal
test('a query that starts after an import includes it, no matter how many queries run at once', async () => {
  const total = async (body: string) => Number((await ask(body)).rows[0]?.[0]);
  const body = queryOf('allpv', { filter: { url: '/race' }, calc: { n: 'COUNT(allpv.pv_id)' } });
  let [begun, ended] = [0, 0];
  let importing = true;
  const client = async () => {
    while (importing) {
      const min = ended;
      const seen = await total(body);
      expect(seen).toBeGreaterThanOrEqual(min);
      expect(seen).toBeLessThanOrEqual(begun);
    }
  };
  const clients = [1, 2, 3].map(client);
  for (let row = 0; row < 5; row += 1) {
    begun += 1;
    await load('allpv', view(9_000 + row, { url: '/race' }));
    ended += 1;
  }
  importing = false;
  await Promise.all(clients);
  expect(await total(body)).toBe(5);
  expect(cache.use().found).toBeGreaterThan(0);
});

// conformance: beyond.nothing-remembered-another
test('a site with the same version number in a different history is queried again', async () => {
  const before = await ask(COUNTED);
  expect(await ask(COUNTED)).toMatchObject({ cached: true });
  // Simulates restoring files and then running the same number of imports again.
  await database.write.raw(`
    ALTER TABLE analytics.page_view DISABLE TRIGGER USER;
    DELETE FROM analytics.page_view WHERE at >= '2026-05-01';
    ALTER TABLE analytics.page_view ENABLE TRIGGER USER;
    UPDATE analytics.site_version SET token = gen_random_uuid()`);
  const after = await ask(COUNTED);
  expect(after.cached).toBe(false);
  expect(after.rows).not.toEqual(before.rows);
});

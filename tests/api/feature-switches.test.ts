// Features that are switched off for this installation: the guide and queries reflect a switch from the next request on.
import { load } from 'js-yaml';
import { z } from 'zod';
import { setSwitch } from '../../extension/api/features/feature-switches';
import { CASE_DATA } from '../language/query-setup';
import { startFilledHost, type TestHost } from '../support/test-host';

const QUERY = '/wp-json/qa-platform/query';
const GUIDE = '/wp-json/qa-platform/guide';

const ROWS = { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.url'] };

const JOIN = { with: 'v', on: [{ left: 'allpv.pv_id', right: 'v.pv_id' }] };

const queryOf = (make: Record<string, object>, trackingId = 'shop') => ({
  tracking_id: trackingId,
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make,
  result: { use: Object.keys(make).at(-1) },
});

let host: TestHost;

beforeAll(async () => {
  host = await startFilledHost(CASE_DATA, {
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst' },
    ],
  });
  const { site_id } = await host.database.write('analytics.site').where({ tracking_id: 'shop' }).first();
  const text_key = '00000000-0000-0000-0000-000000009001';
  const observed = { plan: 'string' };
  await host.database
    .write('analytics.event_name')
    .insert({ site_id, event_name_id: 9_001, event_name: 'switch_probe', observed, text_key });
});
afterAll(() => host.stop());
afterEach(() => host.database.write('analytics.feature_switch').delete());

/** Switches a feature as another process would: only the database changes. */
const turn = (state: 'on' | 'off', ...features: readonly string[]) =>
  Promise.all(
    features.map((feature) =>
      setSwitch(host.database.write, { feature, enabled: state === 'on', changedAt: new Date(0) }),
    ),
  );

const query = (body: object) => host.request('POST', QUERY, { user: host.credentials('ann'), body });
const guide = async (login = 'ann') =>
  (await host.request('GET', GUIDE, { user: host.credentials(login) })).body;

/** For each feature, a query that uses it, and the location in the error when the feature is off. */
const USES: readonly (readonly [feature: string, body: object, at: string])[] = [
  // conformance: flag.filter-since-2025
  ['filter', queryOf({ v: { ...ROWS, filter: { url: '/a' } } }), 'make.v.filter'],
  // conformance: flag.calc-since-2025
  ['calc', queryOf({ v: { ...ROWS, calc: { n: 'COUNT(allpv.pv_id)' } } }), 'make.v.calc'],
  // conformance: flag.sort-since-2025
  ['sort', queryOf({ v: { ...ROWS, sort: { by: 'pv_id', order: 'asc' } } }), 'make.v.sort'],
  [
    'sort_then',
    queryOf({
      // biome-ignore lint/suspicious/noThenProperty: `then` is a key of the language.
      v: { ...ROWS, sort: { by: 'url', order: 'asc', then: [{ by: 'pv_id', order: 'asc' }] } },
    }),
    'make.v.sort.then',
  ],
  [
    'sort_then',
    queryOf({ v: { ...ROWS, sort: { by: 'url', order: 'asc', top: 1, per: ['url'] } } }),
    'make.v.sort.per',
  ],
  [
    'view_time',
    queryOf({ v: { ...ROWS, time: { start: '2026-05-01T00:00:00', end: '2026-05-02T00:00:00' } } }),
    'make.v.time',
  ],
  // conformance: flag.join-since-2025
  ['join', queryOf({ v: ROWS, w: { ...ROWS, join: JOIN } }), 'make.w.join'],
  [
    'join_views',
    queryOf({
      v: ROWS,
      w: { from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } },
      x: {
        from: ['v'],
        keep: ['v.pv_id', 'w.n'],
        join: { with: 'w', on: [{ left: 'allpv.url', right: 'w.url' }] },
      },
    }),
    'make.x.join.on[0].left',
  ],
  ['result_offset', { ...queryOf({ v: ROWS }), result: { use: 'v', offset: 1 } }, 'result.offset'],
  // conformance: flag.calc-join-symmetric, version.2026-05-11
  [
    'calc_join_symmetric',
    queryOf({ v: ROWS, w: { ...ROWS, join: JOIN, calc: { n: 'COUNT(v.pv_id)' } } }),
    'make.w.calc.n',
  ],
  // conformance: flag.view-chaining-since
  ['view_chaining', queryOf({ v: ROWS, w: { from: ['v'], keep: ['v.url'] } }), 'make.w.from[0]'],
  // conformance: flag.datalayer-observed-events, version.2026-05-11
  [
    'datalayer_observed_events',
    {
      ...queryOf({ v: { from: ['events.switch_probe'], keep: ['events.switch_probe.plan'] } }),
      materials: [{ name: 'events.switch_probe' }],
    },
    'materials[0].name',
  ],
  // conformance: contracts.our-additions-have
  ['allpv_time_parts', queryOf({ v: { from: ['allpv'], keep: ['allpv.access_date'] } }), 'make.v.keep[0]'],
  ['calc_expressions', queryOf({ v: { ...ROWS, calc: { n: 'COUNT(allpv.pv_id) / 2' } } }), 'make.v.calc.n'],
  ['calc_percentile', queryOf({ v: { ...ROWS, calc: { n: 'MEDIAN(allpv.pv_id)' } } }), 'make.v.calc.n'],
  [
    'calc_percentile',
    queryOf({ v: { ...ROWS, calc: { n: 'PERCENTILE(allpv.pv_id, 95)' } } }),
    'make.v.calc.n',
  ],
  [
    'filter_not',
    queryOf({ v: { ...ROWS, filter: { url: { not_prefix: '/a' } } } }),
    'make.v.filter.url.not_prefix',
  ],
  [
    'filter_suffix',
    queryOf({ v: { ...ROWS, filter: { url: { suffix: '/a' } } } }),
    'make.v.filter.url.suffix',
  ],
  [
    'filter_any',
    queryOf({ v: { ...ROWS, filter: { any: [{ url: '/a' }, { url: '/b' }] } } }),
    'make.v.filter.any',
  ],
  [
    'filter_none',
    queryOf({ v: { ...ROWS, filter: { none: [{ url: '/a' }, { url: '/b' }] } } }),
    'make.v.filter.none',
  ],
  [
    'calc_filter',
    queryOf({ v: { ...ROWS, calc: { n: { of: 'COUNT(allpv.pv_id)', filter: { url: '/a' } } } } }),
    'make.v.calc.n',
  ],
  [
    'join_nulls',
    queryOf({
      v: ROWS,
      w: ROWS,
      x: {
        from: ['v'],
        keep: ['v.url'],
        join: { with: 'w', on: [{ left: 'allpv.url', right: 'w.url' }], nulls: 'match' },
      },
    }),
    'make.x.join.nulls',
  ],
  [
    'join_keep_both',
    queryOf({ v: ROWS, w: { ...ROWS, join: { ...JOIN, 'if not match': 'keep-both' } } }),
    'make.w.join.if not match',
  ],
  [
    'calc_durations',
    queryOf({ v: { ...ROWS, calc: { n: 'MAX(allpv.access_time) - MIN(allpv.access_time)' } } }),
    'make.v.calc.n',
  ],
  [
    'fill_periods',
    queryOf({
      v: {
        from: ['allpv'],
        keep: ['allpv.access_date'],
        calc: { n: 'COUNT(allpv.pv_id)' },
        fill_periods: 'access_date',
      },
    }),
    'make.v.fill_periods',
  ],
  [
    'filter_columns',
    queryOf({ v: { ...ROWS, filter: { pv: { gte: { column: 'is_last' } } } } }),
    'make.v.filter.pv.gte',
  ],
  ['access_week', queryOf({ v: { from: ['allpv'], keep: ['allpv.access_week'] } }), 'make.v.keep[0]'],
  ['region_city', queryOf({ v: { from: ['allpv'], keep: ['allpv.city'] } }), 'make.v.keep[0]'],
  ['url_parts', queryOf({ v: { from: ['allpv'], keep: ['allpv.url_path'] } }), 'make.v.keep[0]'],
  ['channels', queryOf({ v: { from: ['allpv'], keep: ['allpv.channel'] } }), 'make.v.keep[0]'],
  ['click_id_name', queryOf({ v: { from: ['allpv'], keep: ['allpv.click_id_name'] } }), 'make.v.keep[0]'],
  // conformance: contracts.our-additions-have
  ['tracking_id_column', queryOf({ v: { from: ['allpv'], keep: ['allpv.tracking_id'] } }), 'make.v.keep[0]'],
  ...['prev_page_id', 'next_page_id', 'prev_url', 'prev_title', 'next_url', 'next_title'].map(
    (column) =>
      // conformance: flag.allpv-prev-next, version.2026-04-17
      [
        'allpv_prev_next_page',
        queryOf({ v: { from: ['allpv'], keep: ['allpv.url', `allpv.${column}`] } }),
        'make.v.keep[1]',
      ] as const,
  ),
  [
    'allpv_prev_next_page',
    queryOf({ v: { ...ROWS, filter: { prev_page_id: 0 } } }),
    'make.v.filter.prev_page_id',
  ],
];

// conformance: view.later-level, error.e-feature-disabled, contracts.later-clause, code.e-feature-disabled
test.each(USES)('%s: rejected when off, and answered once on again', async (feature, body, at) => {
  const before = await query(body);
  expect(before.status).toBe(200);
  await turn('off', feature);
  const refused = await query(body);
  expect(refused.status).toBe(400);
  expect(refused.body.error).toMatchObject({ code: 'E_FEATURE_DISABLED', at, details: { feature } });
  await turn('on', feature);
  const after = await query(body);
  expect(after.body).toEqual({
    ...before.body,
    query_time_ms: expect.any(Number),
    meta: { ...before.body.meta, cached: expect.any(Boolean) },
  });
});

/** Features that are used through URL parameters. */
const PARAMETERS = {
  guide_parts: () => host.request('GET', `${GUIDE}?parts=sites`, { user: host.credentials('ann') }),
  query_check: () =>
    host.request('POST', `${QUERY}?check=1`, { user: host.credentials('ann'), body: queryOf({ v: ROWS }) }),
  answer_formats: () =>
    host.request('POST', `${QUERY}?format=csv`, {
      user: host.credentials('ann'),
      body: queryOf({ v: ROWS }),
    }),
} as const;

test.each(Object.entries(PARAMETERS))('%s: answered when on, and rejected when off', async (feature, ask) => {
  expect((await ask()).status).toBe(200);
  await turn('off', feature);
  const { status, body } = await ask();
  expect([status, body.error]).toMatchObject([400, { code: 'E_FEATURE_DISABLED', details: { feature } }]);
});

test('every feature in the guide has a test here', async () => {
  const elsewhere = [
    ...Object.keys(PARAMETERS),
    'materials_supports_all',
    'guide_local_source',
    'meta_cached',
    'guide_revision',
    'answer_notes',
  ];
  const { features } = await guide();
  const on = Object.keys(features).filter((name) => features[name]);
  expect([...new Set([...USES.map(([feature]) => feature), ...elsewhere])].sort()).toEqual(on.sort());
});

test('a query is answered even if features that it does not use are off', async () => {
  await turn('off', 'filter', 'sort', 'view_chaining', 'allpv_prev_next_page');
  expect((await query(queryOf({ v: ROWS }))).status).toBe(200);
});

// conformance: flag.features-detail, error.after-e-unknown, version.clients-re-read
test('the guide shows that a feature is off, and omits its date', async () => {
  const before = await guide();
  expect(before.features_detail.filter).toEqual({ enabled: true, since: '2025-10-20' });
  await turn('off', 'filter');
  const off = await guide();
  expect(off.features).toEqual({ ...before.features, filter: false });
  expect(off.features_detail).toEqual({ ...before.features_detail, filter: { enabled: false } });
  await turn('on', 'filter');
  expect((await guide()).features_detail).toEqual(before.features_detail);
});

test('a switch cannot turn on a feature that the contract does not have', async () => {
  const before = await guide();
  await turn('on', 'sample');
  expect((await guide()).features).toEqual(before.features);
});

test('a switch with an unknown name changes nothing', async () => {
  const before = await guide();
  await turn('off', 'flying');
  expect((await guide()).features).toEqual(before.features);
});

/** All dates in the guide on which something was added. */
const datesIn = ({ version, features_detail, documentation }: GuideBody): readonly string[] => {
  const text = documentation.sections.find(({ file }) => file === 'materials.yaml')?.content ?? '';
  const { materials } = SERVED.parse(load(text));
  const entries = Object.values(materials).flatMap(({ since, columns }) => [
    { since },
    ...Object.values(columns),
  ]);
  return [version, ...[...Object.values(features_detail), ...entries].flatMap(({ since }) => since ?? [])];
};
const DATED = z.object({ since: z.string().optional() });
const SERVED = z.object({
  materials: z.record(z.string(), DATED.extend({ columns: z.record(z.string(), DATED) })),
});
interface GuideBody {
  readonly version: string;
  readonly api_update: string;
  readonly features_detail: Readonly<Record<string, z.infer<typeof DATED>>>;
  readonly documentation: {
    readonly sections: readonly { readonly file: string; readonly content: string }[];
  };
}

// conformance: guide.answer-api-update, contracts.api-update-newest
test.each(['ann', 'bob'])(
  "api_update is the newest date in %s's guide, no matter which features are off",
  async (login) => {
    const expectNewestDate = async () => {
      const body: GuideBody = await guide(login);
      expect(body.api_update).toBe([...datesIn(body)].sort().at(-1));
      return body;
    };
    const { version, features_detail } = await expectNewestDate();
    const newer = Object.entries(features_detail).filter(([, { since = '' }]) => since > version);
    const ofOneDate = Map.groupBy(newer, ([, { since }]) => since).values();
    // A date is included as long as one of its features is on.
    const steps = [...ofOneDate].flatMap((entries) => {
      const names = entries.map(([name]) => name);
      return [names.slice(1), names.slice(0, 1)].filter((step) => step.length > 0);
    });
    for (const state of ['off', 'on'] as const)
      for (const step of steps) {
        await turn(state, ...step);
        await expectNewestDate();
      }
  },
);

// conformance: flag.materials-supports-all, version.2026-04-29
test('materials_supports_all: "all" is rejected, and the guide has no entry for it', async () => {
  const body = queryOf({ v: ROWS }, 'all');
  const ids = async () => (await guide()).sites.map((site: { tracking_id: string }) => site.tracking_id);
  expect((await query(body)).status).toBe(200);
  expect(await ids()).toContain('all');
  await turn('off', 'materials_supports_all');
  expect((await query(body)).body.error).toMatchObject({ code: 'E_FEATURE_DISABLED', at: 'tracking_id' });
  expect(await ids()).toEqual(['shop', 'blog', 'quiet']);
  await turn('on', 'materials_supports_all');
  expect((await query(body)).status).toBe(200);
});

// conformance: response.meta-cached-beside
test('meta_cached: responses do not show whether their rows were cached', async () => {
  const queries = [queryOf({ v: ROWS }), { ...queryOf({ v: ROWS }), result: { use: 'v', count_only: true } }];
  for (const body of queries) expect((await query(body)).body.meta).toHaveProperty('cached');
  await turn('off', 'meta_cached');
  const [table, count] = await Promise.all(queries.map(query));
  expect(table?.body.meta).toEqual({ returned_count: 6, total_count: 6, limit: 1000, truncated: false });
  expect(count?.body).not.toHaveProperty('meta');
});

// conformance: response.notes
test('answer_notes: query results and checks have no notes', async () => {
  const body = queryOf({ v: { ...ROWS, filter: { url: '/nowhere' } } });
  const notesOf = async () => {
    const check = await host.request('POST', `${QUERY}?check=1`, { user: host.credentials('ann'), body });
    const csv = await host.request('POST', `${QUERY}?format=csv`, { user: host.credentials('ann'), body });
    return [(await query(body)).body.meta.notes, check.body.check.notes, csv.headers['x-qal-notes']];
  };
  for (const notes of await notesOf()) expect(notes).toBeDefined();
  await turn('off', 'answer_notes');
  expect(await notesOf()).toEqual([undefined, undefined, undefined]);
});

test('guide_revision: the guide has neither a revision nor an ETag', async () => {
  const ask = () => host.request('GET', GUIDE, { user: host.credentials('ann') });
  const { headers, body } = await ask();
  expect(headers.etag).toBe(`W/"${body.revision}"`);
  await turn('off', 'guide_revision');
  const off = await ask();
  expect(off.headers).not.toHaveProperty('etag');
  expect(off.body).not.toHaveProperty('revision');
});

test('no hint suggests a column whose feature is off', async () => {
  const make = { v: { from: ['click_event'], keep: ['click_event.url_folder'] } };
  const body = { ...queryOf(make), materials: [{ name: 'click_event' }] };
  expect((await query(body)).body.error.hint).toContain('"url_folder" is a column of allpv');
  await turn('off', 'url_parts');
  expect((await query(body)).body.error).toMatchObject({
    code: 'E_UNKNOWN_COLUMN',
    hint: expect.not.stringContaining('url_folder'),
  });
});

test('no hint suggests a calc while calcs are off', async () => {
  const bodies = [
    queryOf({ v: { from: ['allpv'], keep: ['visitors'] } }),
    { site_id: 'shop', metrics: ['visitors'], date_range: '7d' },
  ];
  const hints = async () => {
    const answers = await Promise.all(bodies.map(query));
    return answers.map(({ body }) => String(body.error.hint));
  };
  for (const hint of await hints()) expect(hint).toContain('COUNTUNIQUE');
  await turn('off', 'calc');
  for (const hint of await hints()) expect(hint).not.toContain('COUNTUNIQUE');
});

test('guide_local_source: always on, no matter what the switch table contains', async () => {
  const before = await guide();
  expect(before.features.guide_local_source).toBe(true);
  await turn('off', 'guide_local_source');
  const { features, features_detail } = await guide();
  expect({ features, features_detail }).toEqual({
    features: before.features,
    features_detail: before.features_detail,
  });
});

test('the served YAML reflects the switches', async () => {
  const rules = async () => {
    const { sections } = (await guide()).documentation;
    const { content } = sections.find(({ file }: { file: string }) => file === 'qal-validation.yaml');
    return z.object({ features: z.record(z.string(), z.unknown()) }).parse(load(content)).features;
  };
  expect(await rules()).toMatchObject({ calc: { enabled: true, since: '2025-10-20' } });
  await turn('off', 'calc');
  const { calc, sort } = await rules();
  expect(calc).toEqual({ enabled: false, about: expect.any(String) });
  expect(sort).toMatchObject({ enabled: true });
  await turn('on', 'calc');
  expect(await rules()).toMatchObject({ calc: { enabled: true, since: '2025-10-20' } });
});

test('the schemas reflect the switches', async () => {
  const schemas = async () => {
    const [one, all] = await Promise.all(
      ['query-schema', 'openapi'].map((path) => host.request('GET', `/wp-json/qa-platform-docs/${path}`)),
    );
    return [one?.body, all?.body.components.schemas['query-2026-05-11']];
  };
  for (const schema of await schemas()) expect(JSON.stringify(schema)).toContain('"filter":');
  await turn('off', 'filter');
  for (const schema of await schemas()) expect(JSON.stringify(schema)).not.toContain('"filter":');
});

// conformance: flag.datalayer-observed-events, observed.without-flag-key
test('datalayer_observed_events: the guide does not list events', async () => {
  await turn('off', 'datalayer_observed_events');
  for (const site of (await guide()).sites) expect(site).not.toHaveProperty('observed_events');
});

test('a switch does not affect the initial contract if that contract never had the feature', async () => {
  const refusal = async () =>
    (
      await host.request('POST', `${QUERY}?version=2025-10-20`, {
        user: host.credentials('ann'),
        body: queryOf({ v: { ...ROWS, filter: { url: '/a' } } }),
      })
    ).body;
  const before = await refusal();
  expect(before.code).toBe('E_FEATURE_NOT_SUPPORTED');
  await turn('off', 'filter');
  expect(await refusal()).toEqual(before);
});

test('the database role for queries cannot change the switches', async () => {
  const text =
    "INSERT INTO analytics.feature_switch (feature, enabled, changed_at) VALUES ('filter', false, now())";
  await expect(host.database.read.query({ text })).rejects.toThrow(/permission denied|read-only/);
});

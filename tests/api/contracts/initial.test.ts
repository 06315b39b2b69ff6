// Contract 2025-10-20 over HTTP: the exact bodies of query results, errors and the guide.
import { programVersion } from '../../../host-shim/extension-api';
import type { TestHost } from '../../support/test-host';
import { ask, bodiesOf, emptyQuiet, fillQuiet, guideOf, ROWS, startContractHost } from './contract-host';

const VERSION = '2025-10-20';
let host: TestHost;

beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

const query = (body: object | string, login = 'ann') => ask(host, VERSION, body, login);

describe('a table', () => {
  // conformance: response.data-one-object, response.meta-truncated, response.meta-row-count
  // conformance: contracts.success
  test('is a list of objects', async () => {
    const answer = await query({ qal: ROWS });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      data: [
        { pv_id: 1, url: '/' },
        { pv_id: 2, url: '/a' },
      ],
      meta: { truncated: true, row_count: 2, limits: { row_limit: 5000 } },
    });
  });

  // conformance: response.meta-truncated, limit.meta-limits-row
  test('that is complete is not truncated', async () => {
    const answer = await query({ ...ROWS, result: { use: 'rows' } });
    expect(answer.body.meta).toEqual({ truncated: false, row_count: 6, limits: { row_limit: 5000 } });
  });

  test('without rows has an empty list', async () => {
    const time = { ...ROWS.time, start: '2020-01-01T00:00:00', end: '2020-01-02T00:00:00' };
    const answer = await query({ ...ROWS, time });
    expect(answer.body).toEqual({
      data: [],
      meta: { truncated: false, row_count: 0, limits: { row_limit: 5000 } },
    });
  });

  // conformance: response.count-gives-count
  test('is a number with count_only', async () => {
    const answer = await query({ ...ROWS, result: { use: 'rows', count_only: true } });
    expect(answer.body).toEqual({ count: 6 });
  });

  // conformance: contracts.third-envelope-head
  test('is the same in either envelope', async () => {
    const answer = await host.request('POST', `/wp-json/qa-platform/query?version=${VERSION}&envelope=data`, {
      user: host.credentials('ann'),
      body: ROWS,
    });
    expect(answer.body).toEqual((await query(ROWS)).body);
  });

  // conformance: limit.limit-initial-level, limit.max-inline-rows, contracts.inline-cap-5000
  test('never exceeds the inline row limit', async () => {
    const { write } = host.database;
    await fillQuiet(write, 5001);
    const quiet = {
      ...ROWS,
      tracking_id: 'quiet',
      make: { rows: { from: ['allpv'], keep: ['allpv.pv_id'] } },
    };
    const cut = await query({ ...quiet, result: { use: 'rows', limit: 50_000 } });
    expect(cut.body.data).toHaveLength(5000);
    expect(cut.body.meta).toEqual({ truncated: true, row_count: 5000, limits: { row_limit: 5000 } });
    const counted = await query({ ...quiet, result: { use: 'rows', count_only: true } });
    expect(counted.body).toEqual({ count: 5001 });
    await emptyQuiet(write);
  });

  // conformance: material.gsc, contracts.gsc
  test('for gsc contains sums over the range', async () => {
    const keep = [
      'gsc.url',
      'gsc.keyword',
      'gsc.search_type',
      'gsc.clicks_sum',
      'gsc.impressions_sum',
      'gsc.ctr',
      'gsc.position_wavg',
      'gsc.first_position',
      'gsc.latest_position',
    ];
    const answer = await query({
      ...ROWS,
      materials: [{ name: 'gsc' }],
      make: { rows: { from: ['gsc'], keep } },
    });
    expect(answer.body.data).toEqual([
      {
        url: '/a',
        keyword: 'shoes',
        search_type: 1,
        clicks_sum: 3,
        impressions_sum: 40,
        ctr: 0.075,
        position_wavg: 3.75,
        first_position: 4.5,
        latest_position: 1.5,
      },
    ]);
  });
});

// conformance: flag.filter-join-calc, view.join-filter-calc, error.e-feature-not, contracts.clauses
// conformance: contracts.later-clause, request.initial-level-those, code.initial-level-specification
describe('this contract rejects', () => {
  const view = ROWS.make.rows;
  const features: readonly (readonly [feature: string, availableIn: string, query: object])[] = [
    ['filter', '2026-05-11', { make: { rows: { ...view, filter: { pv: 1 } } } }],
    ['join', '2026-05-11', { make: { rows: { ...view, join: { with: 'gsc', on: [] } } } }],
    ['calc', '2026-05-11', { make: { rows: { ...view, calc: { views: 'COUNT(allpv.pv_id)' } } } }],
    ['calc', '2026-05-11', { make: { rows: { ...view, add: ['views'] } } }],
    ['sort', '2026-05-11', { make: { rows: { ...view, sort: { by: 'url', order: 'asc' } } } }],
    ['view_chaining', '2026-05-11', { make: { rows: view, more: { from: ['rows'], keep: ['rows.url'] } } }],
    ['sort', '2026-05-11', { result: { use: 'rows', sort: { by: 'url' } } }],
    ['sample', 'none', { result: { use: 'rows', sample: 0.1 } }],
    ['include_count', 'none', { result: { use: 'rows', include_count: true } }],
    ['return_file', 'none', { result: { use: 'rows', return: { mode: 'FILE' } } }],
    ['return_csv', 'none', { result: { use: 'rows', return: { mode: 'FILE', format: 'CSV' } } }],
    ['return_parquet', 'none', { result: { use: 'rows', return: { format: 'parquet' } } }],
  ];

  test.each(features)('%s (%s)', async (feature, availableIn, changes) => {
    const answer = await query({ ...ROWS, ...changes });
    expect({ status: answer.status, code: answer.body.code }).toEqual({
      status: 400,
      code: 'E_FEATURE_NOT_SUPPORTED',
    });
    expect(answer.body.data).toMatchObject({
      status: 400,
      feature,
      version: VERSION,
      available_in: availableIn,
    });
    expect(answer.body.data.at).toMatch(/^(make|result)\./);
  });

  test.each([
    [
      'allpv',
      ['session_id', 'utm_content', 'utm_term', 'version_id', 'access_date', 'tracking_id', 'next_url'],
    ],
    ['gsc', ['clicks', 'impressions', 'position', 'date']],
    // conformance: material.session-id-utm, material.later-instructions-name, error.e-unknown-column
    // conformance: contracts.allpv, beyond.access-date-access
  ])('later columns of %s', async (material, columns) => {
    for (const column of columns) {
      const make = { rows: { from: [material], keep: [`${material}.${column}`] } };
      const answer = await query({ ...ROWS, materials: [{ name: material }], make });
      expect(answer.body).toMatchObject({ code: 'E_UNKNOWN_COLUMN', data: { material, column } });
    }
  });

  // conformance: material.allpv-gsc, error.e-unknown-material, contracts.materials
  test.each(['click_event', 'goal_1', 'events.purchase', 'gsc_period', 'summary_allpage'])(
    'the material %s',
    async (name) => {
      const answer = await query({ ...ROWS, materials: [{ name }] });
      expect(answer.body).toMatchObject({
        code: 'E_UNKNOWN_MATERIAL',
        data: { status: 400, material: name, available_materials: ['allpv', 'gsc'] },
      });
    },
  );

  test('the site "all"', async () => {
    const answer = await query({ ...ROWS, tracking_id: 'all' });
    expect(answer.body.code).toBe('E_UNKNOWN_TRACKING_ID');
  });
});

describe('errors', () => {
  // conformance: error.initial-shape, error.e-unknown-tracking, contracts.error
  test('contain their details in data', async () => {
    const answer = await query({ ...ROWS, tracking_id: 'shopp' }, 'bob');
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      code: 'E_UNKNOWN_TRACKING_ID',
      message: 'You have no site "shopp".',
      data: {
        status: 400,
        tracking_id: 'shopp',
        available_sites: [{ tracking_id: 'shop', domain: 'shop.example' }],
        at: 'tracking_id',
        hint: 'Did you mean "shop"?',
      },
    });
  });

  // conformance: error.e-time-required
  test('about a missing time name the field', async () => {
    const { tz: _, ...time } = ROWS.time;
    const answer = await query({ ...ROWS, time });
    expect(answer.body).toMatchObject({
      code: 'E_TIME_REQUIRED',
      data: { status: 400, field: 'tz', required_fields: ['start', 'end', 'tz'], at: 'time.tz' },
    });
  });

  test('include a corrected query if the correction is certain, and that query succeeds', async () => {
    const answer = await query({ ...ROWS, make: { rows: { from: 'allpv', keep: ['allpv.url'] } } });
    expect(answer.body).toMatchObject({ code: 'E_INVALID_FROM', data: { at: 'make.rows.from' } });
    const repaired = await query(answer.body.data.repaired);
    expect({ status: repaired.status, rows: repaired.body.meta.row_count }).toEqual({ status: 200, rows: 2 });
  });
});

describe('the guide', () => {
  // conformance: site.goals, goal.name, goal.type, availability.available-if-so, summary.summary-total-pv
  // conformance: summary.limits-max-query, guide.answer-version, guide.answer-summary
  // conformance: guide.answer-documentation-source, limit.max-query-rows, contracts.guide
  test('has sites with availability, a summary and limits, and nothing from later contracts', async () => {
    const { documentation, ...guide } = await guideOf(host, VERSION);
    const { goals, ...shop } = guide.sites[0];
    expect(guide).toEqual({
      version: VERSION,
      timestamp: '2026-11-21T00:00:00.000Z',
      plugin_version: programVersion(),
      sites: expect.any(Array),
      summary: { total_sites: 3, total_pv: 10, oldest_data: '2026-04-30', newest_data: '2026-10-25' },
      limits: { max_query_rows: 50_000, max_inline_rows: 5000, query_timeout_seconds: 30 },
    });
    expect(shop).toEqual({
      tracking_id: 'shop',
      domain: 'shop.example',
      name: 'Shop',
      default: true,
      data_available_from: '2026-05-01',
      timezone: 'Asia/Tokyo',
      materials: {
        allpv: { available: true, row_count: 7, date_range: { start: '2026-05-01', end: '2026-06-01' } },
        gsc: { available: true, row_count: 3, date_range: { start: '2026-05-01', end: '2026-06-01' } },
      },
    });
    expect(goals).toEqual([
      { id: 1, name: 'Thanks', type: 'url_match', condition: 'https://shop.example/thanks' },
      { id: 2, name: 'Buy', type: 'click', condition: '#buy' },
      { id: 3, name: 'Purchase', type: 'event', condition: 'purchase' },
      { id: 4, name: 'Cart', type: 'url_match', condition: '/cart' },
      { id: 5, name: 'Call', type: 'click', condition: 'a.tel' },
      { id: 6, name: 'Read', type: 'scroll_depth', condition: '80' },
    ]);
    expect(documentation.format).toBe('markdown');
  });

  // conformance: site.materials-initial-level, availability.available-if-so
  test("shows each site's date range in its own time zone, and which materials are missing", async () => {
    const { sites } = await guideOf(host, VERSION);
    const materials = sites.map((site: { tracking_id: string; materials: object }) => [
      site.tracking_id,
      site.materials,
    ]);
    expect(Object.fromEntries(materials)).toMatchObject({
      blog: {
        allpv: { available: true, row_count: 3, date_range: { start: '2026-04-30', end: '2026-10-25' } },
        gsc: { available: false },
      },
      quiet: { allpv: { available: false }, gsc: { available: false } },
    });
  });

  // conformance: site.sites-user-may, summary.summary-total-sites, summary.summary-oldest-data
  test('has only granted sites, and no entry for all', async () => {
    const names = async (login: string) =>
      (await guideOf(host, VERSION, login)).sites.map((it: { tracking_id: string }) => it.tracking_id);
    expect(await names('ann')).toEqual(['shop', 'blog', 'quiet']);
    expect(await names('bob')).toEqual(['shop']);
    expect(await guideOf(host, VERSION, 'nil')).toMatchObject({
      sites: [],
      summary: { total_sites: 0, total_pv: 0, oldest_data: null, newest_data: null },
    });
  });

  // conformance: guide.sections, guide.initial-categories, contracts.guide
  test('contains the overview and the reference', async () => {
    const { documentation } = await guideOf(host, VERSION);
    expect(documentation.sections.map(({ content: _, ...rest }: { content: string }) => rest)).toEqual([
      { category: 'overview', file: 'overview.md', title: 'What this server answers' },
      { category: 'reference', file: 'index.md', title: 'Contents' },
      { category: 'reference', file: 'endpoints.md', title: 'The two endpoints' },
      { category: 'reference', file: 'materials.md', title: 'Materials and columns' },
      { category: 'reference', file: 'qal.md', title: 'The query language' },
    ]);
    for (const { content } of documentation.sections) expect(content).toMatch(/^# /);
  });

  test('matches the schema of the contract', async () => {
    expect(bodiesOf(VERSION).guide.safeParse(await guideOf(host, VERSION)).error).toBeUndefined();
  });

  // conformance: availability.available-if-so
  test('estimates large row counts', async () => {
    const { write } = host.database;
    await fillQuiet(write, 12_000);
    await write.raw('ANALYZE analytics.page_view');
    const { sites } = await guideOf(host, VERSION);
    expect(sites[2].materials.allpv.row_count).toBeGreaterThan(11_400);
    expect(sites[2].materials.allpv.row_count).toBeLessThan(12_600);
    expect(sites[0].materials.allpv.row_count).toBe(7);
    await emptyQuiet(write);
  });
});

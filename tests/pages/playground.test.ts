// The Playground page, and the routes that its script calls.
import { exampleQueries } from '../../extension/pages/example-queries';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const HOSTILE = '"><script>alert(1)</script> ü 日本';
const CATALOG = '/wp-json/qa-platform-pages/catalogue';
const EXPLAIN = '/wp-json/qa-platform-pages/explain';
const PAGE = '/wp-admin/playground';

let host: TestHost;
let ana: PageClient;
let root: PageClient;
let nobody: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    sites: [
      {
        tracking_id: 'shop',
        domain: 'shop.example',
        name: HOSTILE,
        timezone: 'Europe/Berlin',
        default: true,
        goals: [
          {
            id: 2,
            name: HOSTILE,
            type: 'gtype_page',
            condition: { match: 'exact', url: 'https://shop.example/thanks' },
          },
        ],
      },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'Asia/Tokyo' },
      { tracking_id: 'empty', domain: 'empty.example', name: 'Empty', timezone: 'UTC' },
    ],
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: ['shop'] },
      { login: 'nobody', role: 'analyst', sites: [] },
    ],
    clock: () => new Date('2026-11-20T12:00:00Z'),
  });
  await host.importRows('allpv', 'shop', [
    {
      pv_id: 1,
      url: 'https://shop.example/',
      access_time: '2026-10-31T23:30:00Z',
      device_type: 'SP',
      utm_source: 'x',
    },
    { pv_id: 2, url: 'https://shop.example/thanks', access_time: '2026-11-02T11:00:00Z', device_type: 'PC' },
  ]);
  await host.importRows('allpv', 'blog', [
    { pv_id: 1, url: 'https://blog.example/', access_time: '2026-09-01T10:00:00Z' },
  ]);
  await host.importRows('datalayer_event', 'shop', [
    {
      pv_id: 2,
      access_time: '2026-11-02T11:00:10Z',
      event_name: 'purchase',
      params: { value: 12.5, item: 'x' },
    },
  ]);
  ana = await logInAs(host, 'ana');
  root = await logInAs(host, 'root');
  nobody = await logInAs(host, 'nobody');
});
afterAll(() => host.stop());

const inSession = ({ cookie, nonce }: PageClient) => ({ headers: { Cookie: cookie, 'X-WP-Nonce': nonce } });
const catalog = (query: string, by = ana) => host.request('GET', `${CATALOG}?${query}`, inSession(by));
const explain = (body: object, by = ana) => host.request('POST', EXPLAIN, { ...inSession(by), body });

describe('the catalog', () => {
  test('contains the materials of the site with their columns, and its goals and events', async () => {
    const { status, body } = await catalog('tracking_id=shop');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tracking_id: 'shop',
      timezone: 'Europe/Berlin',
      first_day: '2026-11-01',
      last_day: '2026-11-02',
      goals: [{ id: 2, name: HOSTILE, material: 'goal_2' }],
    });
    const names = body.materials.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['allpv', 'gsc', 'goal_2', 'events.purchase']));
    expect(names).not.toContain('goal_1');
    const find = (name: string) => body.materials.find((it: { name: string }) => it.name === name);
    expect(find('allpv').columns).toContainEqual({
      name: 'device_type',
      type: 'text',
      about: expect.any(String),
      values: ['PC', 'tablet', 'SP'],
    });
    expect(find('ga4_age_gender').columns).toContainEqual(
      expect.objectContaining({ name: 'gender_label', values: expect.arrayContaining(['female']) }),
    );
    expect(find('allpv').join).toContain('pv_id');
    expect(find('events.purchase').columns).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'value', type: 'num' }),
        expect.objectContaining({ name: 'item', type: 'text' }),
      ]),
    );
    expect(body.functions).toContainEqual({
      name: 'SUM',
      about: expect.any(String),
      types: ['id', 'int', 'num', 'flag'],
    });
    expect(body.operators.map(({ name }: { name: string }) => name)).toContain('between');
    expect(Object.keys(body.schema.properties)).toEqual([
      'tracking_id',
      'materials',
      'time',
      'make',
      'result',
    ]);
  });

  test('of the initial contract contains only what that contract supports', async () => {
    const { body } = await catalog('tracking_id=shop&version=oldest');
    expect(body.materials.map(({ name }: { name: string }) => name)).toEqual(['allpv', 'gsc']);
    expect(body.materials[0].columns).toHaveLength(22);
    expect(body).toMatchObject({ goals: [], functions: [], operators: [], all_sites: false });
  });

  test('leaves out features that are switched off', async () => {
    const switched = await startTestHost({
      sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
      users: [{ login: 'ana', role: 'analyst', sites: ['shop'] }],
      features: {
        tracking_id_column: false,
        allpv_time_parts: false,
        materials_supports_all: false,
        sort: false,
      },
    });
    try {
      const session = inSession(await logInAs(switched, 'ana'));
      const { body } = await switched.request('GET', `${CATALOG}?tracking_id=shop`, session);
      const columns = body.materials[0].columns.map(({ name }: { name: string }) => name);
      expect(columns).not.toContain('tracking_id');
      expect(columns).not.toContain('access_date');
      expect(body.all_sites).toBe(false);
      expect(JSON.stringify(body.examples)).not.toContain('"sort"');
      const all = await switched.request('GET', `${CATALOG}?tracking_id=all`, session);
      expect(all.status).toBe(400);
    } finally {
      await switched.stop();
    }
  });

  test('of all sites contains what every site supports, and the first and last day with data on the permitted sites', async () => {
    const { body } = await catalog('tracking_id=all', root);
    expect(body).toMatchObject({
      tracking_id: 'all',
      first_day: '2026-09-01',
      last_day: '2026-11-02',
      goals: [],
    });
    const names = body.materials.map(({ name }: { name: string }) => name);
    expect(names).toContain('events.purchase');
    expect(names).not.toContain('gsc');
    expect((await catalog('tracking_id=all')).body).toMatchObject({ first_day: '2026-11-01' });
  });

  test.each(['blog', 'nothing', ''])('does not reveal another user\'s site "%s"', async (site) => {
    const { status, body } = await catalog(`tracking_id=${site}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'E_UNKNOWN_TRACKING_ID', at: 'tracking_id' });
    expect(JSON.stringify(body)).not.toContain('blog.example');
  });

  test('is available only to users who are logged in', async () => {
    expect((await host.request('GET', `${CATALOG}?tracking_id=shop`)).status).toBe(401);
    expect((await catalog('tracking_id=all', nobody)).status).toBe(400);
    expect((await catalog('tracking_id=shop&version=x')).status).toBe(404);
  });
});

describe('every example', () => {
  test.each([
    ['shop', 'latest', 'ana', 8],
    ['shop', 'oldest', 'ana', 1],
    ['all', 'latest', 'root', 6],
    ['empty', 'latest', 'root', 7],
  ])('of the site %s runs under the contract %s', async (site, version, user, min) => {
    const { examples } = (
      await catalog(`tracking_id=${site}&version=${version}`, user === 'root' ? root : ana)
    ).body;
    expect(examples.length).toBeGreaterThanOrEqual(min);
    for (const { title, query } of examples) {
      const response = await host.request('POST', `/wp-json/qa-platform/query?version=${version}`, {
        user,
        body: query,
      });
      expect([title, response.status, response.body]).toEqual([title, 200, expect.anything()]);
    }
  });

  test("covers days with data, and uses the site's goal and event", async () => {
    const { examples } = (await catalog('tracking_id=shop')).body;
    expect(examples[0].query.time).toEqual({
      start: '2026-11-01T00:00:00',
      end: '2026-11-03T00:00:00',
      tz: 'Europe/Berlin',
    });
    const titles = examples.map(({ title }: { title: string }) => title);
    expect(titles).toEqual(
      expect.arrayContaining([`Conversions by day: ${HOSTILE}`, 'Events by day: purchase']),
    );
    const { rows } = (
      await host.request('POST', '/wp-json/qa-platform/query', { user: 'ana', body: examples[0].query })
    ).body.result;
    expect(rows).toHaveLength(2);
  });

  test.each([
    ['9999-12-31', '9999-12-31', '9999-12-03', '9999-12-31'],
    ['0001-01-01', '0001-01-02', '0001-01-01', '0001-01-03'],
    ['2026-01-01', '2026-11-20', '2026-10-23', '2026-11-20'],
    ['2026-11-20', '2026-11-20', '2026-11-20', '2026-11-21'],
  ])(
    'with data from %s to %s, the first query contains only valid dates',
    (first_day, last_day, start, end) => {
      const pv = ['url', 'title', 'pv_id', 'reader_id'].map((name) => ({ name, type: 'text', about: '' }));
      const known = {
        tracking_id: 'x',
        timezone: 'UTC',
        first_day,
        last_day,
        all_sites: false,
        materials: [{ name: 'allpv', about: '', columns: pv, join: [] }],
        goals: [],
        functions: [],
        operators: [],
      };
      const [example] = exampleQueries(known, () => true, '2026-11-20');
      expect(example?.query).toMatchObject({ time: { start: `${start}T00:00:00`, end: `${end}T00:00:00` } });
    },
  );

  test('of a site without data covers the last four complete weeks', async () => {
    const { examples } = (await catalog('tracking_id=empty', root)).body;
    expect(examples[0].query.time).toMatchObject({
      start: '2026-10-23T00:00:00',
      end: '2026-11-20T00:00:00',
    });
  });
});

describe('the explanation', () => {
  const body = {
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time: { start: '2026-11-01T00:00:00', end: '2026-11-03T00:00:00', tz: 'Europe/Berlin' },
    make: { top: { from: ['allpv'], keep: ['allpv.url'], filter: { device_type: 'SP' } } },
    result: { use: 'top' },
  };

  test('contains the bounds in UTC, the SQL, the stages and the times in milliseconds', async () => {
    const { status, body: explanation } = await explain({ qal: body }, root);
    expect(status).toBe(200);
    expect(explanation).toMatchObject({
      version: '2026-05-11',
      bounds: { start: '2026-10-31T23:00:00.000Z', end: '2026-11-02T23:00:00.000Z', tz: 'Europe/Berlin' },
      sql: expect.stringMatching(/^select /i),
      bindings: expect.arrayContaining(['SP']),
      rows: 1,
      milliseconds: { prepare: expect.any(Number), database: expect.any(Number) },
      passes: expect.arrayContaining([
        { name: 'limit-before-lookups', did: 'fired', because: [] },
        {
          name: 'drop-unread-joins',
          did: 'nothing',
          because: ['It changes nothing here.'],
        },
      ]),
      stages: { requested: { trackingId: 'shop' }, resolved: { use: 'top' }, plan: expect.any(Object) },
    });
  });

  test('contains the bounds of a view with a separate time range', async () => {
    const time = { start: '2026-10-01T00:00:00', end: '2026-10-02T00:00:00' };
    const { body: explanation } = await explain({ ...body, make: { top: { ...body.make.top, time } } }, root);
    expect(explanation).toMatchObject({
      bounds: { start: '2026-10-31T23:00:00.000Z' },
      views: [{ name: 'top', start: '2026-09-30T22:00:00.000Z', end: '2026-10-01T22:00:00.000Z' }],
    });
  });

  test('does not reveal the site id to analysts, because it suggests how many sites there are', async () => {
    await host.database.write.raw('ALTER TABLE analytics.site ALTER COLUMN site_id RESTART WITH 31517');
    const last = { tracking_id: 'last', domain: 'last.example', name: 'Last', timezone: 'UTC' };
    const added = await root.post('/wp-admin/sites/add', last);
    expect(added.status).toBe(303);
    await host.createUser({ login: 'lea', role: 'analyst', sites: ['last'] });
    const lea = await logInAs(host, 'lea');
    const everything = {
      ...body,
      tracking_id: 'last',
      make: { top: { from: ['allpv'], keep: ['allpv.url', 'allpv.title', 'allpv.is_newuser'] } },
    };
    const allowed = await explain(everything, root);
    expect(allowed.text).toContain('31517');
    const { status, body: explanation, text } = await explain(everything, lea);
    expect(status).toBe(200);
    expect(text).not.toContain('31517');
    expect(explanation).toEqual({
      version: '2026-05-11',
      bounds: { start: '2026-10-31T23:00:00.000Z', end: '2026-11-02T23:00:00.000Z', tz: 'Europe/Berlin' },
      views: [],
      engine: { engine: 'rows', because: 'This server has no columnar copy.' },
      rows: 0,
      milliseconds: { prepare: expect.any(Number), database: expect.any(Number) },
      passes: expect.any(Array),
      stages: { plan: { root: expect.any(Object), counted: null, output: expect.any(Object) } },
    });
  });

  test('of an invalid query is the error with its repair', async () => {
    const wrong = { ...body, make: { top: { ...body.make.top, keep: ['allpv.ulr'] } } };
    const { status, body: explanation } = await explain(wrong);
    expect(status).toBe(400);
    expect(explanation.error).toMatchObject({ code: 'E_UNKNOWN_COLUMN', at: 'make.top.keep[0]' });
    const response = await host.request('POST', '/wp-json/qa-platform/query', { user: 'ana', body: wrong });
    expect(explanation).toEqual(response.body);
  });

  test('does not show other sites', async () => {
    const { status, body: explanation } = await explain({ ...body, tracking_id: 'blog' });
    expect([status, explanation.error.code]).toEqual([400, 'E_UNKNOWN_TRACKING_ID']);
    expect((await host.request('POST', EXPLAIN, { body })).status).toBe(401);
  });

  test('is recorded like the query that it runs', async () => {
    const records = () => host.database.write.withSchema('analytics').from('query_record');
    await host.rest.settle();
    await records().delete();
    await explain({
      ...body,
      result: { use: 'top', limit: 1 },
      make: { top: { from: ['allpv'], keep: ['allpv.url'] } },
    });
    await explain({ ...body, result: { use: 'top', count_only: true } });
    await explain({ ...body, result: { use: 'tpo' } });
    await host.rest.settle();
    expect(await records().orderBy('query_id')).toMatchObject([
      { login: 'ana', key_uuid: null, page: null, view: 'top', row_count: 1, status: 200, error_code: null },
      { view: 'top', row_count: null, status: 200 },
      { view: 'tpo', row_count: null, status: 400, error_code: 'E_UNKNOWN_VIEW' },
    ]);
  });
});

describe('the check', () => {
  const time = { start: '2026-11-01T00:00:00', end: '2026-11-03T00:00:00', tz: 'Europe/Berlin' };
  const queryOf = (make: object, result: object) => ({
    tracking_id: 'shop',
    materials: [{ name: 'allpv' }],
    time,
    make,
    result,
  });
  const check = (body: object, version = 'latest', by = ana) =>
    host.request('POST', `/wp-json/qa-platform-pages/check?version=${version}`, { ...inSession(by), body });

  test('finds all errors with their repairs, does not run the query and is not recorded', async () => {
    const records = () => host.database.write.withSchema('analytics').from('query_record');
    await host.rest.settle();
    await records().delete();
    const view = {
      from: ['allpv'],
      keep: ['country_code', 'allpv.nothing'],
      calc: { n: 'COUNT(allpv.pv_id)' },
    };
    const { status, body } = await check({ qal: queryOf({ top: view }, { use: 'top', limit: 0 }) });
    expect(status).toBe(200);
    expect(body.columns).toEqual([]);
    expect(body.faults.map(({ code, at }: { code: string; at: string }) => [code, at])).toEqual([
      ['E_UNKNOWN_COLUMN', 'make.top.keep[0]'],
      ['E_INVALID_LIMIT', 'result.limit'],
      ['E_UNKNOWN_COLUMN', 'make.top.keep[1]'],
    ]);
    expect(body.faults[0].repair).toEqual({
      certain: true,
      edits: [{ path: ['make', 'top', 'keep', 0], value: 'allpv.country_code' }],
    });
    const right = { top: { from: ['allpv'], keep: ['allpv.url'] } };
    const foreign = await check({ ...queryOf(right, { use: 'top' }), tracking_id: 'blog' });
    expect(foreign.text).toContain('E_UNKNOWN_TRACKING_ID');
    expect(foreign.text).not.toContain('blog.example');
    await host.rest.settle();
    expect(await records()).toEqual([]);
  });

  test("describes the answer's columns, including those that come through other views", async () => {
    const days = {
      from: ['allpv'],
      keep: ['allpv.access_date', 'allpv.access_time', 'allpv.reader_id', 'allpv.url'],
      calc: { n: 'COUNT(allpv.pv_id)', share: 'COUNT(allpv.pv_id) / COUNTUNIQUE(allpv.reader_id)' },
    };
    const columns = async (make: object, result: object) => (await check(queryOf(make, result))).body.columns;
    const expected = [
      { name: 'access_date', type: 'date', measure: null, time: 'date' },
      { name: 'access_time', type: 'datetime', measure: null, time: 'instant' },
      { name: 'reader_id', type: 'id', measure: null, time: null },
      { name: 'url', type: 'text', measure: null, time: null },
      { name: 'n', type: 'int', measure: 'additive', time: null },
      { name: 'share', type: 'num', measure: 'other', time: null },
    ];
    expect(await columns({ days }, { use: 'days' })).toEqual(expected);
    const keep = expected.map(({ name }) => `days.${name}`);
    const again = { from: ['days'], keep };
    expect(await columns({ days, again }, { use: 'again' })).toEqual(expected);
    const counted = { from: ['days'], keep: ['days.n'], calc: { days: 'COUNT(days.url)' } };
    expect(await columns({ days, counted }, { use: 'counted' })).toEqual([
      { name: 'n', type: 'int', measure: null, time: null },
      { name: 'days', type: 'int', measure: 'additive', time: null },
    ]);
    expect(await columns({ days }, { use: 'days', count_only: true })).toEqual([
      { name: 'count', type: 'int', measure: 'additive', time: null },
    ]);
  });

  test('works under every contract, and only for users who are logged in', async () => {
    const query = queryOf({ top: { from: ['allpv'], keep: ['allpv.url'] } }, { use: 'top' });
    expect((await check(query, 'oldest')).body).toMatchObject({
      version: '2025-10-20',
      faults: [],
      columns: [{ name: 'url', type: 'text' }],
    });
    expect((await host.request('POST', '/wp-json/qa-platform-pages/check', { body: query })).status).toBe(
      401,
    );
  });
});

describe('the page', () => {
  test("offers the user's sites, even if their names contain markup", async () => {
    const { status, text } = await ana.get(PAGE);
    expect(status).toBe(200);
    expect(text).toContain(
      '<option value="shop" data-name="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; ü 日本">',
    );
    expect(text).not.toContain('<script>');
    expect(text).not.toContain('blog.example');
    expect(text).not.toContain('<option value="all">');
    expect((await root.get(PAGE)).text).toContain('<option value="all">');
  });

  test('opens under the requested contract', async () => {
    const chosen = async (address: string) =>
      /<option value="([\d-]+)"[^>]* selected>/.exec((await ana.get(address)).text)?.[1];
    expect(await chosen(PAGE)).toBe('2026-05-11');
    expect(await chosen(`${PAGE}?version=oldest`)).toBe('2025-10-20');
    expect((await ana.get(`${PAGE}?version=2020-01-01`)).status).toBe(404);
    expect((await ana.get(`${PAGE}/more`)).status).toBe(404);
    expect((await ana.post(PAGE, { query: '{}' })).status).toBe(400);
  });

  test('shows whether each contract currently supports all sites', async () => {
    const { text } = await root.get(PAGE);
    expect(text).toContain('<option value="2026-05-11" data-all-sites="true"');
    expect(text).toContain('<option value="2025-10-20" data-all-sites="false"');
    const features = host.database.write.withSchema('analytics').from('feature_switch');
    const feature = 'materials_supports_all';
    await features.clone().insert({ feature, enabled: false, changed_at: new Date() });
    try {
      const switched = (await root.get(PAGE)).text;
      expect(switched).not.toContain('data-all-sites="true"');
      expect(switched).not.toContain('<option value="all">');
    } finally {
      await features.clone().where({ feature }).delete();
    }
  });

  test('explains to a user without sites what to do', async () => {
    const { text } = await nobody.get(PAGE);
    expect(text).toContain('Ask an administrator for access to one.');
    expect(text).not.toContain('id="playground"');
  });
});

// Contract 2026-05-11 over HTTP: the exact bodies of query results, errors and the guide.

import type { Knex } from 'knex';
import { programVersion } from '../../../host-shim/extension-api';
import { basicHeader, type TestAnswer, type TestHost } from '../../support/test-host';
import { until } from '../../support/until';
import { bodiesOf, guideOf, QUERY, startContractHost, whileLocked } from './contract-host';

const VERSION = '2026-05-11';

const TOP = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: {
    top: {
      from: ['allpv'],
      keep: ['allpv.url'],
      calc: { views: 'COUNT(allpv.pv_id)' },
      sort: { by: 'views', order: 'desc' },
    },
  },
  result: { use: 'top', limit: 2 },
};

let host: TestHost;

beforeAll(async () => {
  host = await startContractHost();
});
afterAll(() => host.stop());

const query = (body: object | string, address = QUERY, login = 'ann'): Promise<TestAnswer> =>
  host.request('POST', address, { user: host.credentials(login), body });

describe('a table', () => {
  const table = {
    ok: true,
    version: '2026-05-11',
    query_time_ms: expect.any(Number),
    result: {
      view: 'top',
      columns: ['url', 'views'],
      rows: [
        ['/a', 2],
        ['/', 1],
      ],
      row_count: 2,
    },
    meta: { total_count: 5, returned_count: 2, limit: 2, truncated: true, cached: false },
  };

  // conformance: response.b-ok, contracts.success
  test('is the answer to a wrapped query', async () => {
    const answer = await query({ qal: TOP });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=UTF-8');
    expect(answer.body).toEqual(table);
  });

  // conformance: response.b-count-gives
  test('is a number with count_only', async () => {
    const answer = await query({ ...TOP, result: { use: 'top', count_only: true } });
    expect(answer.body).toEqual({
      ok: true,
      version: '2026-05-11',
      query_time_ms: expect.any(Number),
      result: { view: 'top', count: 5 },
      meta: { cached: false },
    });
  });

  // conformance: response.meta-cached-beside
  test('reports whether its rows come from the cache', async () => {
    const { top } = TOP.make;
    const again = { ...TOP, make: { again: top }, result: { use: 'again', limit: 2 } };
    const first = await query(again);
    const second = await query({ qal: again });
    expect([first.body.meta.cached, second.body.meta.cached]).toEqual([false, true]);
    expect(second.body).toEqual({
      ...first.body,
      query_time_ms: expect.any(Number),
      meta: { ...first.body.meta, cached: true },
    });
    const count = { ...again, result: { use: 'again', count_only: true } };
    for (const address of [QUERY, `${QUERY}?envelope=data`]) {
      const answers = [await query(count, address), await query(count, address)];
      expect(answers.map(({ body }) => body.meta.cached)).toEqual([false, true]);
    }
  });

  // conformance: response.later-instructions, contracts.third-envelope-head
  test('has one object per row with envelope=data', async () => {
    const answer = await query(TOP, `${QUERY}?envelope=data`);
    expect(answer.body).toEqual({
      data: [
        { url: '/a', views: 2 },
        { url: '/', views: 1 },
      ],
      meta: { total_count: 5, returned_count: 2, limit: 2, truncated: true, cached: false },
    });
  });

  // conformance: contracts.there-total-count
  test('also includes the total of a truncated list with envelope=data', async () => {
    const rows = { rows: { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.url'] } };
    const answer = await query(
      { ...TOP, make: rows, result: { use: 'rows', limit: 1 } },
      `${QUERY}?envelope=data`,
    );
    expect(answer.body).toEqual({
      data: [{ pv_id: 1, url: '/' }],
      meta: { total_count: 6, returned_count: 1, limit: 1, truncated: true, cached: false },
    });
  });

  // conformance: contracts.there-count-data
  test('has a single row with envelope=data and count_only', async () => {
    const answer = await query(
      { ...TOP, result: { use: 'top', count_only: true, limit: 10 } },
      `${QUERY}?envelope=data`,
    );
    expect(answer.body).toEqual({
      data: [{ count: 5 }],
      meta: { total_count: 1, returned_count: 1, limit: 1000, truncated: false, cached: false },
    });
  });
});

describe('errors', () => {
  // conformance: error.later-shape, contracts.error
  test('contain code, message, location, hint and details', async () => {
    const answer = await query({ ...TOP, tracking_id: 'shopp' });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      ok: false,
      error: {
        code: 'E_UNKNOWN_TRACKING_ID',
        message: 'You have no site "shopp".',
        at: 'tracking_id',
        hint: 'Did you mean "shop"?',
        details: {
          tracking_id: 'shopp',
          available_sites: [
            { tracking_id: 'shop', domain: 'shop.example' },
            { tracking_id: 'blog', domain: 'blog.example' },
            { tracking_id: 'quiet', domain: 'quiet.example' },
          ],
        },
      },
    });
  });

  test('about a join name the side, the column as written, and the expected prefix', async () => {
    const on = [{ left: 'clicks.pv_id', right: 'click_event.pv_id' }];
    const answer = await query({
      ...TOP,
      materials: [{ name: 'allpv' }, { name: 'click_event' }],
      make: { top: { ...TOP.make.top, join: { with: 'click_event', on } } },
    });
    expect(answer.body.error).toMatchObject({
      code: 'E_INVALID_JOIN',
      at: 'make.top.join.on[0].left',
      details: {
        side: 'left',
        received_value: 'clicks.pv_id',
        expected_prefix: 'allpv',
        hint: expect.any(String),
      },
    });
  });

  test('about a feature that is off name the feature', async () => {
    const answer = await query({ ...TOP, result: { use: 'top', sample: 0.1 } });
    expect(answer.body).toMatchObject({
      ok: false,
      error: { code: 'E_FEATURE_DISABLED', at: 'result.sample', details: { feature: 'sample' } },
    });
  });

  test('are returned for an unknown envelope', async () => {
    const answer = await query(TOP, `${QUERY}?envelope=table`);
    expect({ status: answer.status, at: answer.body.error.at }).toEqual({ status: 400, at: 'envelope' });
  });

  // conformance: answer.sum-beyond-2
  test('are returned for a sum that is too large for JSON', async () => {
    const make = { v: { from: ['allpv'], keep: [], calc: { n: 'SUM(allpv.pv_id)' } } };
    await host.database.write.raw(
      'UPDATE analytics.page_view SET pv_id = pv_id + 9007199254740000 WHERE site_id = 2',
    );
    const answer = await query({
      ...TOP,
      tracking_id: 'blog',
      time: { ...TOP.time, end: '2027-01-01T00:00:00' },
      make,
      result: { use: 'v' },
    });
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({
      status: 400,
      code: 'E_CALC_INVALID_EXPRESSION',
    });
  });

  // conformance: host.client-goes-away
  test('do not occur when a client disconnects; its query is canceled', async () => {
    await whileLocked(host.database.write, async () => {
      const client = new AbortController();
      const sent = fetch(`${host.url}${QUERY}`, {
        method: 'POST',
        signal: client.signal,
        headers: { 'Content-Type': 'application/json', Authorization: basicHeader(host.credentials('ann')) },
        body: JSON.stringify({ ...TOP, make: { top: { from: ['allpv'], keep: ['allpv.url'] } } }),
      });
      await until(async () => (await waitingQueries(host.database.write)) === 1);
      client.abort();
      await expect(sent).rejects.toThrow();
      await until(async () => (await waitingQueries(host.database.write)) === 0);
    });
  });
});

describe('the guide', () => {
  const guide = (login: string) => guideOf(host, VERSION, login);

  // conformance: flag.features, guide.called-first-every, guide.answer-version, guide.answer-timestamp
  // conformance: version.caches-keyed-api, contracts.guide-later
  test('has version, time, software and features', async () => {
    const body = await guide('ann');
    expect(body).toMatchObject({
      version: '2026-05-11',
      api_update: '2026-11-24',
      timestamp: '2026-11-21T00:00:00.000Z',
      plugin_version: programVersion(),
      features: { filter: true, join: true, datalayer_observed_events: true, sample: false },
      features_detail: { filter: { enabled: true, since: '2025-10-20' }, sample: { enabled: false } },
      limits: { max_answer_bytes: 33_554_432 },
    });
    expect(Object.keys(body)).toEqual([
      'version',
      'revision',
      'api_update',
      'timestamp',
      'plugin_version',
      'features',
      'features_detail',
      'sites',
      'limits',
      'documentation',
    ]);
    expect(bodiesOf(VERSION).guide.safeParse(body).error).toBeUndefined();
  });

  // conformance: site.domain, site.data-available, site.observed-events-sites, goal.condition
  // conformance: observed.material, observed.names-outside-za, observed.corrupt-entry-omits
  // conformance: guide.answer-sites, contracts.guide-later, goals.observed-events-lists
  // conformance: goals.names-outside-za, goals.corrupt-entry-omits, goals.default-first-then
  test('lists the user\'s sites, with the default first and "all" last', async () => {
    const { sites } = await guide('ann');
    expect(sites.map((site: { tracking_id: string }) => site.tracking_id)).toEqual([
      'shop',
      'blog',
      'quiet',
      'all',
    ]);
    expect(sites[0]).toEqual({
      tracking_id: 'shop',
      domain: 'shop.example',
      name: 'Shop',
      default: true,
      data_available_from: '2026-05-01',
      timezone: 'Asia/Tokyo',
      goals: [
        {
          id: 1,
          name: 'Thanks',
          type: 'gtype_page',
          condition: { url: 'https://shop.example/thanks', match: 'exact' },
        },
        { id: 2, name: 'Buy', type: 'gtype_click', condition: { selector: '#buy' } },
        { id: 3, name: 'Purchase', type: 'gtype_event', condition: { event: 'purchase', plan: 'pro' } },
        { id: 4, name: 'Cart', type: 'gtype_page', condition: { url: '/cart', match: 'contains' } },
        { id: 5, name: 'Call', type: 'gtype_click', condition: { selector: 'a.tel' } },
        { id: 6, name: 'Read', type: 'scroll_depth', condition: { depth: 80 } },
      ],
      observed_events: {
        bare: { material: 'events.bare', columns: {} },
        purchase: {
          material: 'events.purchase',
          columns: { currency: 'string', url: 'string', value: 'number' },
        },
      },
      page_flags: [],
    });
    expect(sites[2].data_available_from).toBeNull();
    expect(sites[3]).toMatchObject({
      tracking_id: 'all',
      default: false,
      data_available_from: '2026-04-30',
      goals: [],
    });
  });

  // conformance: site.observed-events-sites, observed.material, observed.names-outside-za
  // conformance: observed.corrupt-entry-omits, goals.observed-events-lists, goals.names-outside-za
  // conformance: goals.corrupt-entry-omits
  test('merges the events of all sites: a parameter is a number only if it is one on every site', async () => {
    const { sites } = await guide('ann');
    expect(sites[1].observed_events).toEqual({
      purchase: { material: 'events.purchase', columns: { plan: 'number', value: 'string' } },
    });
    expect(sites[2].observed_events).toEqual({});
    expect(sites[3].observed_events).toEqual({
      bare: { material: 'events.bare', columns: {} },
      purchase: {
        material: 'events.purchase',
        columns: { currency: 'string', plan: 'number', url: 'string', value: 'string' },
      },
    });
  });

  test('omits events if the feature is off', async () => {
    const switches = host.database.write.withSchema('analytics').from('feature_switch');
    await switches
      .clone()
      .insert({ feature: 'datalayer_observed_events', enabled: false, changed_at: new Date() });
    const { features, sites } = await guide('ann');
    expect(features.datalayer_observed_events).toBe(false);
    for (const site of sites) expect(site).not.toHaveProperty('observed_events');
    await switches.clone().delete();
  });

  // conformance: site.sites-user-may, auth.user-sees-asks, goals.guide-sites
  test('shows an analyst only the granted sites', async () => {
    const { sites } = await guide('bob');
    expect(sites.map((site: { tracking_id: string }) => site.tracking_id)).toEqual(['shop', 'all']);
    expect((await guide('nil')).sites).toEqual([]);
  });

  // conformance: service.guide-serves-live, guide.answer-documentation-source, guide.sections
  // conformance: guide.later-categories, goals.documentation-source-setting
  test('contains the instructions and both manifests', async () => {
    const { documentation } = await guide('ann');
    expect(documentation.source).toBe('https://docs.example/');
    expect(documentation.format).toBe('mixed');
    const sections = documentation.sections.map(({ content, ...rest }: { content: string }) => ({
      ...rest,
      length: Math.sign(content.length),
    }));
    expect(sections).toEqual([
      {
        category: 'instructions',
        file: 'README.md',
        title: 'Instructions for clients',
        format: 'markdown',
        length: 1,
      },
      { category: 'spec', file: 'materials.yaml', title: 'Materials and columns', format: 'yaml', length: 1 },
      { category: 'spec', file: 'qal-validation.yaml', title: 'Rules of a query', format: 'yaml', length: 1 },
    ]);
  });
});

async function waitingQueries(write: Knex): Promise<number> {
  const rows = await write
    .from('pg_stat_activity')
    .whereRaw("datname = current_database() and wait_event_type = 'Lock' and query like '%page_view%'");
  return rows.length;
}

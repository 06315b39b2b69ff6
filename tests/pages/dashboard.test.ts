// The dashboard over HTTP: its days and filters. Every number on it is the answer to a public query.

import { CARDS } from '../../extension/pages/dashboard/dashboard-figures';
import { PANELS } from '../../extension/pages/dashboard/dashboard-panels';
import type { RequestedFilter, RequestedPart } from '../../extension/pages/shared-types/dashboard-types';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const NOW = new Date('2026-11-20T20:00:00Z');
const HOSTILE = `<script>alert("x")</script>'& Läden 東京`;
const QUERY = '/wp-json/qa-platform/query?version=latest&envelope=result';
const ROUTE = '/wp-json/qa-platform-pages/dashboard';

describe('the page and its route', () => {
  let host: TestHost;
  let ann: PageClient;
  const at = (text: string) => Date.parse(text) / 1000;
  const SHOP = 'https://shop.example';

  /** Three visits on November 1 in Tokyo (Ann views / and /a, Ann views /a again, Bob views /b), and one on the next day. */
  const VIEWS = [
    {
      access_time: at('2026-10-31T15:30:00Z'),
      session_id: 1,
      reader_id: 1,
      pv: 1,
      is_last: 0,
      url: `${SHOP}/`,
    },
    {
      access_time: at('2026-10-31T15:31:00Z'),
      session_id: 1,
      reader_id: 1,
      pv: 2,
      is_last: 1,
      url: `${SHOP}/a`,
    },
    {
      access_time: at('2026-11-01T05:30:00Z'),
      session_id: 2,
      reader_id: 1,
      pv: 1,
      is_last: 1,
      url: `${SHOP}/a`,
    },
    {
      access_time: at('2026-11-01T14:30:00Z'),
      session_id: 3,
      reader_id: 2,
      pv: 1,
      is_last: 1,
      url: `${SHOP}/b`,
    },
    {
      access_time: at('2026-11-01T15:30:00Z'),
      session_id: 4,
      reader_id: 2,
      pv: 1,
      is_last: 1,
      url: `${SHOP}/`,
    },
  ].map((view, index) => ({
    pv_id: index + 1,
    title: HOSTILE,
    speed_msec: 100 * index,
    browse_sec: 30,
    ...view,
    ...(view.reader_id === 1 ? { country_code: 'JP', source_domain: 'a.example' } : { country_code: null }),
  }));

  beforeAll(async () => {
    host = await startTestHost({
      clock: () => NOW,
      sites: [
        {
          tracking_id: 'shop',
          domain: 'shop.example',
          name: HOSTILE,
          timezone: 'Asia/Tokyo',
          default: true,
          goals: [
            { id: 1, name: 'B', type: 'gtype_page', condition: { match: 'exact', url: `${SHOP}/b` } },
            { id: 4, name: 'A', type: 'gtype_page', condition: { match: 'exact', url: `${SHOP}/a` } },
          ],
        },
        { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'Europe/Berlin' },
      ],
      users: [
        { login: 'ann', role: 'administrator' },
        { login: 'bob', role: 'analyst', sites: ['blog'] },
        { login: 'nil', role: 'analyst' },
      ],
    });
    await host.importRows('allpv', 'shop', VIEWS);
    await host.importRows('datalayer_event', 'shop', [
      { pv_id: 2, access_time: at('2026-10-31T15:31:05Z'), event_name: 'play', params: { video: 'x' } },
      { pv_id: 4, access_time: at('2026-11-01T14:30:05Z'), event_name: 'play', params: { video: 'y' } },
      { pv_id: 4, access_time: at('2026-11-01T14:30:09Z'), event_name: 'stop', params: {} },
    ]);
    await host.importRows('gsc', 'shop', [
      {
        date: '2026-11-01',
        url: `${SHOP}/a`,
        keyword: 'tea',
        search_type: 1,
        clicks: 2,
        impressions: 10,
        position: 3,
      },
      {
        date: '2026-11-01',
        url: `${SHOP}/b`,
        keyword: 'cup',
        search_type: 1,
        clicks: 1,
        impressions: 10,
        position: 5,
      },
    ]);
    ann = await logInAs(host, 'ann');
  });
  afterAll(() => host.stop());

  const DAY = {
    site: 'shop',
    period: 'custom',
    from: '2026-11-01',
    to: '2026-11-01',
    compare: 'none',
  } as const;

  async function askAs(who: PageClient, body: object) {
    const headers = { Cookie: who.cookie, 'X-WP-Nonce': who.nonce };
    return host.request('POST', ROUTE, { headers, body });
  }

  /** The rows of the parts, by id. */
  async function rowsOf(filters: readonly RequestedFilter[], ...parts: readonly (RequestedPart | string)[]) {
    const requested = parts.map((part) => (typeof part === 'string' ? { id: part } : part));
    const { text } = await askAs(ann, { ...DAY, filters, parts: requested });
    const [, ...lines] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return Object.fromEntries(lines.map((line) => [line.id, line.rows ?? line.error]));
  }
  const is = (dimension: string, ...values: (string | null)[]) => ({ dimension, not: false, values });
  const isNot = (dimension: string, ...values: (string | null)[]) => ({ dimension, not: true, values });

  const LISTS = PANELS.flatMap(({ tabs }) => tabs).filter(({ kind }) => kind !== 'goals');
  const FIGURES = [...new Set(CARDS.map(({ figure }) => figure))].flatMap((id) => [
    `total ${id}`,
    `series ${id}`,
  ]);

  test('a filter by event parameters selects visits: any of the values of a parameter may match, but every parameter must', async () => {
    const of = (...values: readonly (readonly [string, string, string | null])[]) =>
      is('parameter', ...values.map((value) => JSON.stringify(value)));
    const visits = async (filter: RequestedFilter) =>
      (await rowsOf([filter], 'total visits'))['total visits'][0][1];
    expect(await visits(of(['play', 'video', 'x']))).toBe(1);
    expect(await visits(of(['play', 'video', 'x'], ['play', 'video', 'y']))).toBe(2);
    expect(await visits(of(['play', 'video', 'z']))).toBe(0);
    expect(await visits(of(['play', 'video', null]))).toBe(0);
    const events = await rowsOf([of(['play', 'video', 'y'])], 'event');
    expect(events.event).toEqual([
      ['play', 1, 1],
      ['stop', 1, 1],
    ]);
    for (const filter of [
      is('parameter', 'play'),
      is('parameter', '["play", "video"]'),
      is('parameter', '["a b", "video", "x"]'),
      { ...is('parameter', '["play", "video", "x"]'), op: 'contains' } as const,
    ])
      expect((await askAs(ann, { ...DAY, filters: [filter], parts: [{ id: 'total visits' }] })).status).toBe(
        400,
      );
  });

  test('a filter that excludes events selects the visits without them, including visits without any event', async () => {
    const parameter = (...values: readonly (readonly [string, string, string | null])[]) =>
      isNot('parameter', ...values.map((value) => JSON.stringify(value)));
    const visits = async (...filters: RequestedFilter[]) =>
      (await rowsOf(filters, 'total visits'))['total visits'][0][1];
    expect(await visits(parameter(['play', 'video', 'x']))).toBe(2);
    expect(await visits(parameter(['play', 'video', 'x'], ['play', 'video', 'y']))).toBe(1);
    expect(await visits(parameter(['play', 'video', 'z']))).toBe(3);
    expect(await visits(parameter(['play', 'video', null]))).toBe(3);
    expect(await visits(is('event', 'play'), parameter(['play', 'video', 'x']))).toBe(1);
    expect(await visits(isNot('event', 'stop'))).toBe(2);
    expect(await visits(isNot('event', 'stop'), parameter(['play', 'video', 'x']))).toBe(1);
    const both = is('parameter', '["play", "video", "x"]');
    expect(await visits(both, parameter(['play', 'video', 'x']))).toBe(0);
    const { event } = await rowsOf([parameter(['play', 'video', 'x'])], 'event');
    expect(event).toEqual([
      ['play', 1, 1],
      ['stop', 1, 1],
    ]);
    expect((await rowsOf([parameter(['play', 'video', 'y'])], 'event')).event).toEqual([['play', 1, 1]]);
  });

  test('the query for a part with an exclusion returns the same rows through the public route', async () => {
    const filters = [isNot('parameter', '["play", "video", "x"]'), isNot('event', 'stop')];
    const parts = ['total visits', 'series visits', 'page', 'entry', 'country', 'event'].map((id) => ({
      id,
    }));
    const { text } = await askAs(ann, { ...DAY, filters, parts });
    const [, ...lines] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(parts.length);
    for (const { id, query, rows, unfiltered } of lines) {
      const { body } = await host.request('POST', QUERY, { user: 'ann', body: query });
      expect([id, unfiltered, body.result?.rows]).toEqual([id, [], rows]);
    }
  });

  test('every part is the answer to a public query, with the columns that its panel names', async () => {
    const parts = [...LISTS.map(({ id }) => ({ id })), ...FIGURES.map((id) => ({ id }))];
    const { status, headers, text } = await askAs(ann, { ...DAY, filters: [], parts });
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson']);
    const [head, ...lines] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(head).toMatchObject({
      site: { trackingId: 'shop', name: HOSTILE, timezone: 'Asia/Tokyo' },
      range: { first: '2026-11-01', last: '2026-11-01' },
      before: null,
      unfinished: false,
      step: 'hour',
      missing: null,
      chart: { known: [0, 24] },
      data: { first: '2026-11-01', last: '2026-11-02' },
      goals: [
        { id: 1, name: 'B' },
        { id: 4, name: 'A' },
      ],
      events: { play: { video: 'string' }, stop: {} },
    });
    expect(lines.map(({ id }) => id).sort()).toEqual(parts.map(({ id }) => id).sort());
    for (const { id, query, columns, rows, error } of lines) {
      expect([id, error]).toEqual([id, undefined]);
      const { body } = await host.request('POST', QUERY, { user: 'ann', body: query });
      expect([id, body.result?.columns, body.result?.rows]).toEqual([id, columns, rows]);
      const tab = LISTS.find((one) => one.id === id);
      if (tab !== undefined)
        expect(columns).toEqual([...tab.names, ...tab.measures.map(({ column }) => column)]);
    }
  });

  test("the numbers are for the day in the site's time zone", async () => {
    const rows = await rowsOf([], 'total visitors', 'total visits', 'total entries', 'entry', 'exit');
    expect(rows['total visitors']).toEqual([[2]]);
    expect(rows['total visits']).toEqual([[4, 3, 4 / 3, 40]]);
    // Entries, bounce rate, goals 1 and 4, conversions.
    expect(rows['total entries']).toEqual([[3, 200 / 3, 1, 2, 3]]);
    expect(rows.entry.map(([, url, visits]: unknown[]) => [url, visits])).toEqual([
      [`${SHOP}/`, 1],
      [`${SHOP}/a`, 1],
      [`${SHOP}/b`, 1],
    ]);
    expect(rows.exit.map(([, url, visits]: unknown[]) => [url, visits])).toEqual([
      [`${SHOP}/a`, 2],
      [`${SHOP}/b`, 1],
    ]);
  });

  test.each<[string, RequestedFilter[], number, number, number]>([
    ['a country', [is('country', 'JP')], 1, 3, 2],
    ['a missing country', [is('country', null)], 1, 1, 1],
    ['a country or a missing one', [is('country', 'JP', null)], 2, 4, 3],
    ['all but one country', [isNot('country', 'JP')], 1, 1, 1],
    ['any known country but one', [isNot('country', null, 'DE')], 1, 3, 2],
    ['one page but not another', [is('page', `${SHOP}/a`, `${SHOP}/b`), isNot('page', `${SHOP}/b`)], 1, 2, 2],
    ['a page: only its views', [is('page', `${SHOP}/a`)], 1, 2, 2],
    ['pages that contain a string', [{ ...is('page', 'example/a'), op: 'contains' }], 1, 2, 2],
    ['pages that contain one of two strings', [{ ...is('page', '/a', '/b'), op: 'contains' }], 2, 3, 3],
    ['pages that start with a string', [{ ...is('page', `${SHOP}/b`), op: 'prefix' }], 1, 1, 1],
    [
      'pages that contain one string and start with another',
      [
        { ...is('page', '/a', '/b'), op: 'contains' },
        { ...is('page', `${SHOP}/b`, `${SHOP}/c`), op: 'prefix' },
      ],
      ...([1, 1, 1] as const),
    ],
    [
      'strings in countries and in pages',
      [
        { ...is('country', 'J', 'X'), op: 'contains' },
        { ...is('page', '/a', '/b'), op: 'contains' },
      ],
      ...([1, 2, 2] as const),
    ],
    ['an entry page: whole visits', [is('entry', `${SHOP}/`)], 1, 2, 1],
    ['all but one entry page', [isNot('entry', `${SHOP}/`)], 2, 2, 2],
    ['entry and exit', [is('entry', `${SHOP}/`), is('exit', `${SHOP}/a`)], 1, 2, 1],
    ['a goal', [is('goal', '4')], 1, 3, 2],
    ['one of two goals', [is('goal', '1', '4')], 2, 4, 3],
    ['neither of two goals', [isNot('goal', '1', '4')], 0, 0, 0],
    ['an event', [is('event', 'play')], 2, 3, 2],
    ['an event in Japan', [is('event', 'play'), is('country', 'JP')], 1, 2, 1],
  ])('filtered by %s', async (_title, filters, visitors, views, visits) => {
    const rows = await rowsOf(filters, 'total visitors', 'total visits', 'total entries');
    expect(rows['total visitors']).toEqual([[visitors]]);
    expect(rows['total visits'][0].slice(0, 2)).toEqual([views, visits]);
    // Every visit of that day also began on that day, so the bounce rate and conversions cover the same visits.
    expect(rows['total entries'][0][0]).toBe(visits);
  });

  test('events and searches apply the filters that they support, and report the others', async () => {
    expect((await rowsOf([is('country', 'JP')], 'event')).event).toEqual([['play', 1, 1]]);
    expect((await rowsOf([is('entry', `${SHOP}/b`), isNot('event', 'play')], 'event')).event).toEqual([
      ['stop', 1, 1],
    ]);
    expect((await rowsOf([is('page', `${SHOP}/a`)], 'keyword')).keyword).toEqual([['tea', 2, 10, 3]]);
    expect((await rowsOf([is('keyword', 'cup')], 'found')).found).toEqual([[HOSTILE, `${SHOP}/b`, 1, 10, 5]]);
    const filters = [is('country', 'JP'), isNot('event', 'play'), is('keyword', 'tea')];
    const { text } = await askAs(ann, { ...DAY, filters, parts: [{ id: 'page' }, { id: 'keyword' }] });
    const parts = text.trim().split('\n').slice(1);
    expect(
      Object.fromEntries(parts.map((line) => JSON.parse(line)).map((part) => [part.id, part.unfiltered])),
    ).toEqual({
      page: ['Keyword'],
      keyword: ['Country', 'Event'],
    });
  });

  test('a list still shows its other rows when the dashboard is filtered by one of them, and can be searched by part of a name', async () => {
    const countries = (rows: readonly unknown[][]) => rows.map(([code]) => code);
    const { country } = await rowsOf([is('country', 'JP'), isNot('country', 'DE')], 'country');
    expect(countries(country)).toEqual(['JP', null]);
    const found = await rowsOf(
      [],
      { id: 'page', search: 'EXAMPLE/B' },
      { id: 'country', names: ['JP'] },
      { id: 'source', search: 'läden' },
    );
    expect(found.page.map(([, url]: unknown[]) => url)).toEqual([`${SHOP}/b`]);
    expect(countries(found.country)).toEqual(['JP']);
    expect(found.source).toEqual([]);
  });

  test('parameters of an event are listed with their values; a missing parameter is reported', async () => {
    const one = await rowsOf([], { id: 'parameter', event: 'play', parameter: 'video' });
    expect(one.parameter).toEqual([
      ['x', 1],
      ['y', 1],
    ]);
    const other = await rowsOf([], { id: 'parameter', event: 'play', parameter: 'x") --' });
    expect(other.parameter.code).toBe('not_found');
  });

  test('an incomplete day is compared with the same hours of the previous day', async () => {
    const requested = { site: 'shop', period: 'today', compare: 'before', filters: [] };
    const parts = [{ id: 'total visits' }, { id: 'total visits before' }, { id: 'series visits before' }];
    const { text } = await askAs(ann, { ...requested, parts });
    const [head, ...lines] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    // 20:00 UTC is 5:00 on the next day in Tokyo.
    expect(head).toMatchObject({
      unfinished: true,
      sameHours: true,
      missing: 'after',
      chart: { known: [0, 0], partial: [5] },
      chartBefore: { known: [0, 0] },
    });
    const times = Object.fromEntries(lines.map(({ id, query }) => [id, query.qal.time]));
    expect(times['total visits'].end).toBe('2026-11-22T00:00:00');
    expect(times['total visits before']).toMatchObject({
      start: '2026-11-20T00:00:00',
      end: '2026-11-20T05:01:00',
    });
    expect(times['series visits before'].end).toBe('2026-11-21T00:00:00');
  });

  test('in a range that ends after today, only days that have begun are compared', async () => {
    const days = { period: 'custom', from: '2026-11-20', to: '2026-11-30', compare: 'before' };
    const parts = [{ id: 'total visits before' }, { id: 'series visits before' }];
    const { text } = await askAs(ann, { site: 'shop', ...days, filters: [], parts });
    const [, ...lines] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const times = Object.fromEntries(lines.map(({ id, query }) => [id, query.qal.time]));
    expect(times['total visits before']).toMatchObject({
      start: '2026-11-09T00:00:00',
      end: '2026-11-10T05:01:00',
    });
    expect(times['series visits before'].end).toBe('2026-11-20T00:00:00');
  });

  test('a failed part does not affect the others', async () => {
    const features = host.database.write.withSchema('analytics').from('feature_switch');
    await features.clone().insert({ feature: 'sort', enabled: false, changed_at: new Date() });
    try {
      const rows = await rowsOf([], 'total visitors', 'country', 'nonsense', 'total visits before');
      expect(rows['total visitors']).toEqual([[2]]);
      expect(rows.country).toMatchObject({ code: 'E_FEATURE_DISABLED', feature: 'sort' });
      expect(rows.nonsense).toEqual({ code: 'not_found', message: 'There is no part nonsense.' });
      expect(rows['total visits before'].code).toBe('not_found');
    } finally {
      await features.clone().where({ feature: 'sort' }).delete();
    }
  });

  // conformance: beyond.list-dashboard-read
  test('a list can be read page by page, and the next page is rejected once the data has changed', async () => {
    const ask = async (part: object) => {
      const { text } = await askAs(ann, { ...DAY, filters: [], parts: [{ id: 'page', limit: 2, ...part }] });
      const [head, answer] = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return { head, answer };
    };
    const { head, answer: first } = await ask({ offset: 0 });
    expect([head.canPage, first.total, first.rows.length]).toEqual([true, 3, 2]);
    const { answer: next } = await ask({ offset: 2, version: first.version });
    const urls = [...first.rows, ...next.rows].map(([, url]: unknown[]) => url);
    expect(urls.sort()).toEqual([`${SHOP}/`, `${SHOP}/a`, `${SHOP}/b`]);
    const { answer: changed } = await ask({ offset: 2, version: `${first.version}0` });
    expect(changed.error.code).toBe('E_DATA_CHANGED');
  });

  // conformance: beyond.list-dashboard-read
  test('a whole list is returned as a file, unless files are switched off', async () => {
    const requested = { ...DAY, filters: [], parts: [{ id: 'country', limit: 1 }], file: true };
    const { status, headers, text } = await askAs(ann, requested);
    expect([status, headers['content-disposition']]).toEqual([200, 'attachment; filename="country.csv"']);
    expect(text.replace(/^\uFEFF/, '')).toBe('"country_code","visitors","visits"\r\n"JP",1,2\r\n,1,1\r\n');
    const features = host.database.write.withSchema('analytics').from('feature_switch');
    await features.clone().insert({ feature: 'answer_formats', enabled: false, changed_at: new Date() });
    try {
      const refused = await askAs(ann, requested);
      expect([refused.status, refused.body.code]).toEqual([400, 'E_FEATURE_DISABLED']);
    } finally {
      await features.clone().where({ feature: 'answer_formats' }).delete();
    }
  });

  test.each<[string, object, string]>([
    ['a file with two parts', { parts: [{ id: 'page' }, { id: 'exit' }], file: true }, 'parts'],
    ['a file with an unknown part', { parts: [{ id: 'nonsense' }], file: true }, 'parts.0.id'],
    ['a row before the first', { parts: [{ id: 'page', offset: -1 }] }, 'parts.0.offset'],
    ['a repeated dimension', { filters: [is('country', 'JP'), is('country', 'DE')] }, 'filters'],
    ['an unknown dimension', { filters: [is('color', 'red')] }, 'filters.0.dimension'],
    ['a goal that is not a number', { filters: [is('goal', '1) OR (1=1')] }, 'filters'],
    ['a filter without values', { filters: [is('country')] }, 'filters.0.values'],
    [
      'too many combinations of strings',
      { filters: ['country', 'source'].map((name) => ({ ...is(name, ...'abcdefghijk'), op: 'contains' })) },
      'filters',
    ],
    ['an impossible day', { from: '2026-02-30' }, 'from'],
    ['too many parts', { parts: Array.from({ length: 41 }, () => ({ id: 'page' })) }, 'parts'],
    ['too many rows', { parts: [{ id: 'page', limit: 5001 }] }, 'parts.0.limit'],
    ['an unknown key', { sites: 'all' }, ''],
  ])('%s is rejected, and the error names the position', async (_title, wrong, at) => {
    const { status, body } = await askAs(ann, { ...DAY, filters: [], parts: [], ...wrong });
    expect([status, body.code, body.data.at]).toEqual([400, 'invalid_request', at]);
  });

  test.each([
    ['period', '28', 'A period must be one of today, yesterday, 7d, 28d, 90d, month, year, custom.'],
    ['by', 'decade', 'An interval must be one of hour, day, week, month.'],
  ])('%s=%s is rejected with a message that lists the allowed values', async (name, value, message) => {
    const { status, body } = await askAs(ann, { ...DAY, filters: [], parts: [], [name]: value });
    expect([status, body.message, body.data.at]).toEqual([400, message, name]);
  });

  test('a site that the user may not see is reported as nonexistent, by the page and the route', async () => {
    const bob = await logInAs(host, 'bob');
    const requested = { ...DAY, filters: [], parts: [{ id: 'page' }] };
    expect((await askAs(bob, requested)).status).toBe(404);
    expect((await askAs(bob, { ...requested, site: 'all' })).status).toBe(404);
    expect((await askAs(bob, { ...requested, site: 'blog' })).status).toBe(200);
    const page = await bob.get('/wp-admin/dashboard');
    expect(page.text).toContain('Blog');
    expect(page.text).not.toContain('shop.example');
    expect((await bob.get('/wp-admin/dashboard?site=shop')).status).toBe(404);
    expect((await bob.get('/wp-admin/dashboard?site=nowhere')).status).toBe(404);
  });

  test('site names are shown as text, and the page explains to a user without sites what to do', async () => {
    const page = await ann.get('/wp-admin/dashboard');
    expect(page.text).not.toContain('<script>alert');
    expect(page.text).toContain('Läden 東京');
    const empty = await (await logInAs(host, 'nil')).get('/wp-admin/dashboard');
    expect([empty.status, empty.text]).toEqual([
      200,
      expect.stringContaining('Ask an administrator for access to one.'),
    ]);
  });
});

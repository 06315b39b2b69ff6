// Filters that exclude strings, on the dashboard and on other pages with the same filters.
import type { PartAnswer, RequestedFilter } from '../../extension/pages/shared-types/dashboard-types';
import { FILTER_KINDS, kindOf, kindWithId } from '../../extension/pages/shared-types/filter-kinds';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const PAGES = '/wp-json/qa-platform-pages';
const QUERY = '/wp-json/qa-platform/query?version=latest&envelope=result';
const SHOP = 'https://shop.example';
const RANGE = { site: 'shop', period: 'custom', from: '2026-11-01', to: '2026-11-01', compare: 'none' };

/** Ann views / and /admin/a, and later /admin/a. Bob, whose country and source are unknown, views /b. */
const VIEWS = [
  { session_id: 1, reader_id: 1, pv: 1, is_last: 0, url: `${SHOP}/` },
  { session_id: 1, reader_id: 1, pv: 2, is_last: 1, url: `${SHOP}/admin/a` },
  { session_id: 2, reader_id: 1, pv: 1, is_last: 1, url: `${SHOP}/admin/a` },
  { session_id: 3, reader_id: 2, pv: 1, is_last: 1, url: `${SHOP}/b` },
].map((view, at) => ({
  pv_id: at + 1,
  access_time: `2026-11-01T0${at + 1}:00:00Z`,
  ...view,
  ...(view.reader_id === 1 && { source_domain: 'a.example' }),
}));
const event = (pv_id: number, event_name: string) => ({
  pv_id,
  access_time: `2026-11-01T0${pv_id}:00:01Z`,
  event_name,
  params: {},
});
const search = (path: string, keyword: string) => ({
  date: '2026-11-01',
  url: `${SHOP}${path}`,
  keyword,
  search_type: 1,
  clicks: 1,
  impressions: 5,
  position: 2,
});

let host: TestHost;
let ann: PageClient;
const headers = () => ({ Cookie: ann.cookie, 'X-WP-Nonce': ann.nonce });

beforeAll(async () => {
  host = await startTestHost({
    clock: () => new Date('2026-11-20T12:00:00Z'),
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true }],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  await host.importRows('allpv', 'shop', VIEWS);
  await host.importRows('datalayer_event', 'shop', [event(2, 'play'), event(4, 'play'), event(4, 'stop')]);
  await host.importRows('gsc', 'shop', [search('/admin/a', 'tea'), search('/b', 'cup')]);
  await host.database.write.raw(
    'INSERT INTO analytics.funnel (site_id, name, steps) SELECT site_id, ?, ? FROM analytics.site',
    [
      'To the admin',
      JSON.stringify([
        { kind: 'page', op: 'is', value: '/' },
        { kind: 'page', op: 'contains', value: 'admin' },
      ]),
    ],
  );
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

const filter = (dimension: string, kind: string, ...values: string[]): RequestedFilter => ({
  dimension,
  values,
  ...kindWithId(kind).compared,
});

const post = (page: string, body: object, sent: object = headers()) =>
  host.request('POST', `${PAGES}/${page}`, { headers: { ...sent }, body: { ...RANGE, parts: [], ...body } });

async function ask(
  filters: readonly RequestedFilter[],
  ids: readonly string[],
  page = 'dashboard',
  sent?: object,
) {
  const { status, text } = await post(page, { filters, parts: ids.map((id) => ({ id })) }, sent);
  expect([status, text]).toEqual([200, expect.any(String)]);
  const [, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const parts: readonly PartAnswer[] = lines;
  return Object.fromEntries(parts.map((part) => [part.id, part]));
}

const names = (part: PartAnswer | undefined, column: string) =>
  part?.rows?.map((row) => row[part.columns?.indexOf(column) ?? -1]);

test('every kind has a different id and comparison', () => {
  for (const kind of FILTER_KINDS) expect([kindWithId(kind.id), kindOf(kind.compared)]).toEqual([kind, kind]);
});

test.each<[string, RequestedFilter[], number, number, number]>([
  [
    'a page that does not contain a string: only its views',
    [filter('page', 'not_contains', '/admin')],
    2,
    2,
    2,
  ],
  ['a page that contains neither of two strings', [filter('page', 'not_contains', '/admin', '/b')], 1, 1, 1],
  ['a page that does not start with a string', [filter('page', 'not_prefix', `${SHOP}/b`)], 1, 3, 2],
  [
    'a page that contains one string but not another',
    [filter('page', 'contains', 'shop'), filter('page', 'not_contains', 'admin')],
    2,
    2,
    2,
  ],
  [
    'a page that neither contains nor starts with a string',
    [filter('page', 'not_contains', 'admin'), filter('page', 'not_prefix', `${SHOP}/b`)],
    1,
    1,
    1,
  ],
  [
    'a source that does not contain a string, or no source',
    [filter('source', 'not_contains', 'a.')],
    1,
    1,
    1,
  ],
  [
    'an entry page that does not contain a string: whole visits',
    [filter('entry', 'not_contains', 'admin')],
    2,
    3,
    2,
  ],
  ['no event that contains a string', [filter('event', 'not_contains', 'sto')], 1, 3, 2],
  ['no event that starts with a string', [filter('event', 'not_prefix', 'pl')], 1, 1, 1],
])('filtered by %s', async (_title, filters, visitors, views, visits) => {
  const parts = await ask(filters, ['total visitors', 'total visits', 'total entries']);
  expect(parts['total visitors']?.rows).toEqual([[visitors]]);
  expect(parts['total visits']?.rows?.[0]?.slice(0, 2)).toEqual([views, visits]);
  expect(parts['total entries']?.rows?.[0]?.[0]).toBe(visits);
  for (const { id, query, rows } of Object.values(parts)) {
    const { body } = await host.request('POST', QUERY, { user: 'ann', body: query });
    expect([id, body.result?.rows]).toEqual([id, rows]);
  }
});

test('lists leave out the excluded rows, including those of events and searches', async () => {
  const pages = await ask([filter('page', 'not_contains', '/admin')], ['page', 'keyword']);
  expect(names(pages.page, 'url')?.toSorted()).toEqual([`${SHOP}/`, `${SHOP}/b`]);
  expect(names(pages.keyword, 'keyword')).toEqual(['cup']);
  const events = await ask([filter('event', 'not_contains', 'sto')], ['event']);
  expect(names(events.event, 'event_name')).toEqual(['play']);
  const searches = await ask([filter('keyword', 'not_prefix', 'te')], ['keyword']);
  expect(names(searches.keyword, 'keyword')).toEqual(['cup']);
});

test('a segment can contain an exclusion, and a shared link that is limited to the segment shows nothing else', async () => {
  const filters = [filter('page', 'not_contains', '/admin')];
  const saved = await host.request('POST', `${PAGES}/segments`, {
    headers: headers(),
    body: { tracking_id: 'shop', name: 'Public', filters, shared: false },
  });
  expect([saved.status, saved.body.filters]).toEqual([200, filters]);
  const form = {
    page: 'dashboard',
    name: 'agency',
    site: 'shop',
    expires: '2026-12-31',
    limit: `${saved.body.id}`,
  };
  const { text } = await ann.post('/wp-admin/application-passwords/link', form);
  const [, key = ''] = /\/link\/dashboard#([\w.-]+)</.exec(text) ?? [];
  const sent = { 'X-Link-Key': key };
  for (const visitorFilters of [
    [],
    [filter('page', 'is', `${SHOP}/admin/a`)],
    [filter('exit', 'prefix', `${SHOP}/admin/`)],
  ]) {
    const { page, entry, exit } = await ask(visitorFilters, ['page', 'entry', 'exit'], 'dashboard', sent);
    expect(names(page, 'url')?.toSorted()).toEqual([`${SHOP}/`, `${SHOP}/b`]);
    // The first visit ended on a page that the shared link does not show.
    expect(names(entry, 'url')?.toSorted()).toEqual([`${SHOP}/`, `${SHOP}/b`]);
    expect(names(exit, 'url')).toEqual([`${SHOP}/b`]);
  }
});

test.each([
  ['entry', 1],
  ['exit', 0],
])('a funnel can be limited to visits whose %s page does not contain a string', async (dimension, visits) => {
  const { funnel } = await ask([filter(dimension, 'not_contains', 'admin')], ['funnel'], 'funnels');
  expect(funnel?.rows).toEqual([[visits, visits]]);
});

test('retention can be limited to new visitors whose source does not contain a string', async () => {
  const newVisitors = async (filters: readonly RequestedFilter[]) =>
    (await ask(filters, ['cohorts'], 'retention')).cohorts?.rows?.map(([, , visitors]) => visitors);
  expect(await newVisitors([])).toEqual([2]);
  expect(await newVisitors([filter('source', 'not_contains', 'a.')])).toEqual([1]);
});

test.each([
  ['a goal', { dimension: 'goal', op: 'contains', not: true, values: ['1'] }, 'filters.0'],
  ['a missing value', { dimension: 'page', op: 'contains', not: true, values: [null] }, 'filters.0'],
  ['an event parameter', filter('parameter', 'not_contains', '["play","video","x"]'), 'filters.0'],
])('%s cannot be compared with "does not contain"', async (_title, wrong, at) => {
  const { status, body } = await post('dashboard', { filters: [wrong] });
  expect([status, body.data.at]).toEqual([400, at]);
});

test('many strings can be excluded, because exclusions need no combinations', async () => {
  const many = Array.from({ length: 100 }, (_unused, at) => `text ${at}`);
  const filters = ['page', 'source', 'country'].map((dimension) =>
    filter(dimension, 'not_contains', ...many),
  );
  expect((await ask(filters, ['total visits']))['total visits']?.rows?.[0]?.[0]).toBe(4);
});

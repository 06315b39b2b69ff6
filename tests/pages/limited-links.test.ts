// Shared links that are limited to a segment: its filters apply to every request.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PANELS } from '../../extension/pages/dashboard/dashboard-panels';
import type { PartAnswer, RequestedFilter } from '../../extension/pages/shared-types/dashboard-types';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const PAGES = '/wp-json/qa-platform-pages';
const FORM = '/wp-admin/application-passwords/link';
const SHOP = 'https://shop.example';

let host: TestHost;
let ann: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    clock: () => new Date('2026-11-20T12:00:00Z'),
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  const view = (pv_id: number, path: string, country_code: string, device_type: string) => ({
    pv_id,
    session_id: pv_id,
    reader_id: pv_id,
    url: SHOP + path,
    country_code,
    device_type,
    access_time: '2026-11-10T10:00:00Z',
  });
  await host.importRows('allpv', 'shop', [
    view(1, '/a', 'DE', 'PC'),
    view(2, '/b', 'DE', 'SP'),
    view(3, '/b', 'JP', 'PC'),
    view(4, '/c', 'AT', 'PC'),
  ]);
  await host.importRows('datalayer_event', 'shop', [
    { pv_id: 1, access_time: '2026-11-10T10:00:01Z', event_name: 'play', params: { video: 'x' } },
    { pv_id: 3, access_time: '2026-11-10T10:00:01Z', event_name: 'play', params: { video: 'y' } },
  ]);
  await host.importRows('gsc', 'shop', [
    {
      date: '2026-11-10',
      url: `${SHOP}/a`,
      keyword: 'tea',
      search_type: 1,
      clicks: 2,
      impressions: 10,
      position: 3,
    },
  ]);
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

const is = (dimension: string, ...values: readonly string[]): RequestedFilter => ({
  dimension,
  not: false,
  values,
});

async function addSegment(name: string, filters: readonly RequestedFilter[]): Promise<{ id: number }> {
  const { status, body } = await host.request('POST', `${PAGES}/segments`, {
    headers: { Cookie: ann.cookie, 'X-WP-Nonce': ann.nonce },
    body: { tracking_id: 'shop', name, filters, shared: false },
  });
  expect(status).toBe(200);
  return body;
}

const askForLink = (limit: string, page = 'dashboard', site = 'shop') =>
  ann.post(FORM, { page, name: 'agency', site, expires: '2026-12-31', limit });

async function linkTo(limit: number, page = 'dashboard'): Promise<string> {
  const { status, text } = await askForLink(String(limit), page);
  const key = new RegExp(`/link/${page}#([\\w.-]+)<`).exec(text)?.[1];
  expect([status, typeof key]).toEqual([200, 'string']);
  return key ?? '';
}

const request = { period: 'custom', from: '2026-11-01', to: '2026-11-19', compare: 'none' };

const post = (page: string, key: string, body: object) =>
  host.request('POST', `${PAGES}/${page}`, {
    headers: { 'X-Link-Key': key },
    body: { ...request, filters: [], parts: [], ...body },
  });

async function ask(
  key: string,
  ids: readonly string[],
  filters: readonly RequestedFilter[] = [],
  page = 'dashboard',
  pick: object = {},
) {
  const parts = ids.map((id) => ({
    id,
    ...(id === 'parameter' && { event: 'play', parameter: 'video' }),
    ...pick,
  }));
  const { text } = await post(page, key, { filters, parts });
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { head, parts: new Map<string, PartAnswer>(lines.map((line) => [line.id, line])) };
}

async function fileOf(key: string, part: object) {
  const { status, text } = await post('dashboard', key, { parts: [part], file: true });
  return { status, lines: text.trim().split(/\r?\n/) };
}

const LISTS = PANELS.flatMap(({ tabs }) => tabs).filter(({ kind }) => kind !== 'goals');

const rowsOf = ({ parts }: Awaited<ReturnType<typeof ask>>, id: string) => parts.get(id)?.rows;

test('a link shows only its segment, no matter which filters are sent', async () => {
  const { id } = await addSegment('Germany', [is('country', 'DE')]);
  const key = await linkTo(id);
  const all = await ask(key, ['total visitors', 'country', 'page']);
  expect(all.head.pinned).toEqual({ name: 'Germany', filters: [is('country', 'DE')] });
  expect(rowsOf(all, 'total visitors')).toEqual([[2]]);
  // The list of the filtered dimension does not show more, and neither does a filter by that dimension.
  expect(rowsOf(all, 'country')).toEqual([['DE', 2, 2]]);
  for (const filter of [
    is('country', 'JP'),
    { ...is('country', 'DE'), not: true },
    { ...is('country', 'J'), op: 'prefix' as const },
  ])
    expect(rowsOf(await ask(key, ['total visitors'], [filter]), 'total visitors')).toEqual([[2]]);
  expect(rowsOf(await ask(key, ['total visitors'], [is('device', 'PC')]), 'total visitors')).toEqual([[1]]);
});

test('no list contains rows outside the segment: lists that cannot be filtered by it are rejected, even as files', async () => {
  const { id } = await addSegment('Nobody', [is('country', 'XX')]);
  const key = await linkTo(id);
  const figures = ['visitors', 'visits', 'entries'].flatMap((figure) => [`series ${figure}`]);
  const { parts } = await ask(key, [...LISTS.map((tab) => tab.id), ...figures, 'parameter']);
  const refused = [...parts.values()].filter(({ error }) => error?.code === 'beyond_link');
  expect(refused.map((part) => part.id).toSorted()).toEqual(['found', 'keyword', 'parameter']);
  for (const { id: part, rows, error } of parts.values())
    if (error === undefined) expect([part, rows]).toEqual([part, []]);
  expect((await fileOf(key, { id: 'keyword' })).status).toBe(403);
});

test.each([
  ['one of two values', is('country', 'XX', 'YY'), 'country'],
  ['one of two strings', { ...is('page', '/x', '/y'), op: 'contains' as const }, 'page'],
  ['a string', { ...is('page', '/x'), op: 'contains' as const }, 'page'],
])(
  'a link limited to %s shows no rows outside the segment when rows are selected by name or searched, even in files',
  async (name, filter, tab) => {
    const key = await linkTo((await addSegment(name, [filter])).id);
    const ids = LISTS.map(({ id }) => id);
    const names = ['DE', 'JP', 'AT', 'PC', 'SP', 'play', ...['a', 'b', 'c'].map((path) => `${SHOP}/${path}`)];
    for (const pick of [{ names }, ...['E', 'P', '/', 'shop'].map((search) => ({ search }))]) {
      const { parts } = await ask(key, ids, [], 'dashboard', pick);
      expect([...parts.keys()].toSorted()).toEqual(ids.toSorted());
      for (const [id, { rows = [] }] of parts) expect([id, pick, rows]).toEqual([id, pick, []]);
      const { status, lines } = await fileOf(key, { id: tab, ...pick });
      expect([pick, status, lines.length]).toEqual([pick, 200, 1]);
    }
  },
);

test('the filters of a link and those of its visitor count together toward the limit per request', async () => {
  const values = Array.from({ length: 20 }, (_unused, at) => `/${at}`);
  const key = await linkTo((await addSegment('Many', [{ ...is('page', ...values), op: 'contains' }])).id);
  const sources = { ...is('source', ...values), op: 'contains' as const };
  const { status, body } = await post('dashboard', key, { filters: [sources] });
  expect([status, body.data.at]).toEqual([400, 'filters']);
});

test('a search finds only rows that the filter selects', async () => {
  const { id } = await addSegment('Two countries', [is('country', 'DE', 'JP')]);
  const key = await linkTo(id);
  const found = async (pick: object) =>
    rowsOf(await ask(key, ['country'], [], 'dashboard', pick), 'country')?.map(([name]) => name);
  expect(await found({ search: 'de' })).toEqual([]);
  expect(await found({ search: 'E' })).toEqual(['DE']);
  expect(await found({ names: ['JP', 'AT'] })).toEqual(['JP']);
});

test('event parameters can be listed and filtered by, but columns that identify a visit cannot', async () => {
  const key = await linkTo((await addSegment('Played it', [is('event', 'play')])).id);
  for (const column of ['session_id', 'pv_id', 'access_time', 'constructor']) {
    const listed = await ask(key, ['parameter'], [], 'dashboard', { event: 'play', parameter: column });
    expect([column, listed.parts.get('parameter')?.error?.code]).toEqual([column, 'not_found']);
    const filter = is('parameter', JSON.stringify(['play', column, 1]));
    const { head, parts } = await ask(key, ['total visits', 'page'], [filter]);
    expect(head.site.trackingId).toBe('shop');
    for (const { error } of parts.values())
      expect(error).toEqual({ code: 'refused', message: `The event play has no parameter ${column}.` });
    const body = { filters: [filter], parts: [{ id: 'page' }], file: true };
    expect((await post('dashboard', key, body)).status).toBe(409);
  }
});

test("a segment with an event limits the list of the event's parameters", async () => {
  const { id } = await addSegment('Played', [is('event', 'play')]);
  const key = await linkTo(id);
  const found = await ask(key, ['parameter', 'total visits']);
  expect([rowsOf(found, 'parameter')?.length, rowsOf(found, 'total visits')?.[0]?.[1]]).toEqual([2, 2]);
});

test('a link keeps the filters that the segment had when the link was created', async () => {
  const { id } = await addSegment('Japan', [is('country', 'JP')]);
  const key = await linkTo(id);
  await host.database.write('analytics.segment').where('segment_id', id).delete();
  expect(rowsOf(await ask(key, ['total visitors']), 'total visitors')).toEqual([[1]]);
});

test('a link whose limit cannot be read does not open anything', async () => {
  const key = await linkTo((await addSegment('Austria', [is('country', 'AT')])).id);
  const limit = JSON.stringify({ name: 'Austria', filters: [is('planet', 'Mars')] });
  const [uuid] = key.split('.');
  await host.database.write('host.application_passwords').where({ uuid }).update({ link_limit: limit });
  expect((await post('dashboard', key, { parts: [{ id: 'total visitors' }] })).status).toBe(500);
});

test('links whose filters were stored in a separate table stay limited', async () => {
  const { write } = host.database;
  const filters = [is('country', 'DE')];
  const key = await linkTo((await addSegment('Germany before', filters)).id);
  const [uuid] = key.split('.');
  await write('host.application_passwords').where({ uuid }).update({ link_limit: null });
  expect(rowsOf(await ask(key, ['total visitors']), 'total visitors')).toEqual([[4]]);
  const migrations = join(__dirname, '../../extension/data/storage/migrations');
  await write.raw(await readFile(join(migrations, '0173-link-filters.sql'), 'utf8'));
  await write('analytics.link_filters').insert({
    key_uuid: uuid,
    name: 'Germany',
    filters: JSON.stringify(filters),
  });
  await write.raw(await readFile(join(migrations, '0175-limits-of-links.sql'), 'utf8'));
  expect(rowsOf(await ask(key, ['total visitors']), 'total visitors')).toEqual([[2]]);
});

test('links to funnels and retention are also limited', async () => {
  const { id } = await addSegment('Computers', [is('device', 'PC')]);
  const site = await host.database.write('analytics.site').where('tracking_id', 'shop').first();
  const steps = ['/', '/nowhere'].map((value) => ({ kind: 'page', op: 'prefix', value }));
  await host.database
    .write('analytics.funnel')
    .insert({ site_id: site.site_id, name: 'Any', steps: JSON.stringify(steps) });
  const funnels = await ask(await linkTo(id, 'funnels'), ['funnel'], [], 'funnels');
  expect(rowsOf(funnels, 'funnel')).toEqual([[3, 0]]);
  const retention = await ask(await linkTo(id, 'retention'), ['cohorts', 'recognized'], [], 'retention');
  expect(rowsOf(retention, 'cohorts')).toEqual([['2026-11-09', '2026-11-09', 3]]);
  expect(retention.parts.get('recognized')?.error?.code).toBe('beyond_link');
});

test('the list of links shows which segment a link is limited to', async () => {
  await linkTo((await addSegment('Only <b>these</b>', [is('device', 'PC')])).id);
  expect((await ann.get('/wp-admin/links')).text).toContain('only Only &lt;b&gt;these&lt;/b&gt;');
});

test('the form offers only segments of the selected site', async () => {
  const { id } = await addSegment('Of the shop', [is('device', 'SP')]);
  expect((await ann.get(`${FORM}?page=dashboard&site=shop`)).text).toContain('Of the shop');
  expect((await ann.get(`${FORM}?page=dashboard&site=blog`)).text).not.toContain('name="limit"');
  for (const [limit, site] of [
    [String(id), 'blog'],
    ['999999', 'shop'],
    ['x', 'shop'],
  ] as const) {
    const { status, text } = await askForLink(limit, 'dashboard', site);
    expect([limit, status, text.includes('This does not belong to the chosen site.')]).toEqual([
      limit,
      400,
      true,
    ]);
  }
});

// The dashboard compared with a range that the user enters, which may be longer or shorter than the range shown.
import type { DashboardHead, PartAnswer } from '../../extension/pages/shared-types/dashboard-types';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const NOW = new Date('2026-11-20T20:00:00Z');
const ROUTE = '/wp-json/qa-platform-pages/dashboard';
const QUERY = '/wp-json/qa-platform/query?version=latest&envelope=result';
const DAY_MS = 86_400_000;

/** Each day in September has one page view, each day in October has two, and each day in November has three. */
function views(): readonly object[] {
  const first = Date.parse('2026-09-01T10:00:00Z');
  const days = Math.floor((NOW.getTime() - first) / DAY_MS) + 1;
  return Array.from({ length: days }, (_unused, at) => new Date(first + at * DAY_MS)).flatMap((day) =>
    Array.from({ length: day.getUTCMonth() - 7 }, (_unused, minute) => ({
      access_time: new Date(day.getTime() + minute * 60_000).toISOString(),
      url: 'https://shop.example/',
    })),
  );
}

let host: TestHost;
let ann: PageClient;
let now = NOW;

beforeAll(async () => {
  host = await startTestHost({
    clock: () => now,
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true }],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  await host.importRows('allpv', 'shop', views());
  ann = await logInAs(host, 'ann');
});
afterAll(() => host.stop());

const WEEK = { period: 'custom', from: '2026-11-01', to: '2026-11-07' };
const comparedWith = (compare_from: string, compare_to: string) => ({
  compare: 'custom',
  compare_from,
  compare_to,
  filters: [],
});
const IDS = ['total visits', 'total visits before', 'series visits before'];

interface DashboardAnswer {
  readonly head: DashboardHead;
  readonly parts: Readonly<Record<string, PartAnswer & { query: { qal: { time: object } } }>>;
}

const read = (text: string): DashboardAnswer => {
  const [head, ...lines] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { head, parts: Object.fromEntries(lines.map((line) => [line.id, line])) };
};

const post = (body: object, path = ROUTE) =>
  host.request('POST', path, {
    headers: { Cookie: ann.cookie, 'X-WP-Nonce': ann.nonce },
    body: { site: 'shop', parts: [], ...body },
  });

async function ask(body: object): Promise<DashboardAnswer> {
  const { status, text } = await post({ parts: IDS.map((id) => ({ id })), ...body });
  expect(status).toBe(200);
  return read(text);
}

const rowsOf = ({ parts }: DashboardAnswer, id: string) => parts[id]?.rows ?? [];

test('figures compare the totals of both ranges, and the chart has as many points as the range', async () => {
  const longer = await ask({ ...WEEK, ...comparedWith('2026-10-01', '2026-10-10') });
  expect(longer.head).toMatchObject({
    before: { first: '2026-10-01', last: '2026-10-10' },
    chartBefore: { days: { first: '2026-10-01', last: '2026-10-07' }, known: [0, 7], partial: [] },
    missing: null,
  });
  expect(rowsOf(longer, 'total visits')[0]?.[0]).toBe(21);
  expect(rowsOf(longer, 'total visits before')[0]?.[0]).toBe(20);
  expect(rowsOf(longer, 'series visits before').map(([day, count]) => [day, count])).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((day) => [`2026-10-0${day}`, 2]),
  );
  for (const { id, query, rows } of Object.values(longer.parts)) {
    const { body } = await host.request('POST', QUERY, { user: 'ann', body: query });
    expect([id, body.result?.rows]).toEqual([id, rows]);
  }

  const shorter = await ask({ ...WEEK, ...comparedWith('2026-09-05', '2026-09-06') });
  expect(shorter.head.chartBefore?.points).toEqual(['2026-09-05', '2026-09-06']);
  expect(rowsOf(shorter, 'total visits before')[0]?.[0]).toBe(2);
});

test('if a day is compared with years, the chart shows only the first 24 points of the comparison', async () => {
  const { head } = await ask({ period: 'yesterday', ...comparedWith('2017-01-01', '2026-11-19') });
  expect([head.step, head.chartBefore?.points.length, head.chartBefore?.days]).toEqual([
    'hour',
    24,
    { first: '2017-01-01', last: '2017-01-01' },
  ]);
  expect(head.missing).toBe('before');
});

test('today is compared with the same hours of a single day, or with all hours of several days', async () => {
  const day = await ask({ period: 'today', ...comparedWith('2026-10-06', '2026-10-06') });
  expect(day.head).toMatchObject({ unfinished: true, sameHours: true });
  expect(day.parts['total visits before']?.query.qal.time).toMatchObject({
    start: '2026-10-06T00:00:00',
    end: '2026-10-06T20:01:00',
  });
  const two = await ask({ period: 'today', ...comparedWith('2026-10-06', '2026-10-07') });
  expect(two.head).toMatchObject({ unfinished: true, sameHours: false });
  expect(two.parts['total visits before']?.query.qal.time).toMatchObject({
    start: '2026-10-06T00:00:00',
    end: '2026-10-08T00:00:00',
  });
});

test.each([
  ['2026-11-20T23:59:30Z', '2026-11-19', '2026-11-20T00:00:00'],
  ['2026-11-21T00:00:30Z', '2026-11-20', '2026-11-20T00:01:00'],
])('at %s, today is compared with %s until %s', async (instant, day, end) => {
  now = new Date(instant);
  const { parts } = await ask({ period: 'today', compare: 'before', filters: [] });
  now = NOW;
  const { error, query } = parts['total visits before'] ?? {};
  expect([error, query?.qal.time]).toEqual([undefined, { start: `${day}T00:00:00`, end, tz: 'UTC' }]);
});

test.each([
  ['no days', {}, 'compare_from'],
  ['an impossible day', comparedWith('2026-10-01', '2026-10-32'), 'compare_to'],
  ['days in the wrong order', comparedWith('2026-10-02', '2026-10-01'), 'compare_to'],
  ['days after the range', comparedWith('2026-11-01', '2026-11-08'), 'compare_to'],
])('a comparison with %s is rejected, and the error names the field', async (_title, days, at) => {
  const { status, body } = await post({ ...WEEK, compare: 'custom', filters: [], ...days });
  expect([status, body.code, body.data.at]).toEqual([400, 'invalid_request', at]);
});

test('a shared link supports a custom comparison, and its lists can still be downloaded', async () => {
  const form = { page: 'dashboard', name: 'Shop', site: 'shop', expires: '2026-12-31' };
  const { text } = await ann.post('/wp-admin/application-passwords/link', form);
  const [, key = ''] = /\/link\/dashboard#([\w.-]+)</.exec(text) ?? [];
  const headers = { 'X-Link-Key': key };
  const days = { ...WEEK, ...comparedWith('2026-10-01', '2026-10-10') };
  const parts = IDS.map((id) => ({ id }));
  const linked = await host.request('POST', ROUTE, { headers, body: { ...days, parts } });
  expect(linked.status).toBe(200);
  expect(rowsOf(read(linked.text), 'total visits before')[0]?.[0]).toBe(20);
  const file = await host.request('POST', ROUTE, {
    headers,
    body: { ...days, parts: [{ id: 'page' }], file: true },
  });
  expect([file.status, file.text]).toEqual([200, expect.stringContaining('https://shop.example/')]);
});

test.each(['funnels', 'retention'])('the %s page ignores a custom comparison', async (page) => {
  const days = { ...WEEK, ...comparedWith('2026-10-01', 'never'), compare: 'none' };
  expect((await post(days, `/wp-json/qa-platform-pages/${page}`)).status).toBe(200);
});

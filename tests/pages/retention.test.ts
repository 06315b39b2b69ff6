// Retention over HTTP: cohorts, incomplete periods, and whether visitors can be recognized.
import type { PartAnswer } from '../../extension/pages/shared-types/dashboard-types';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const ROUTE = '/wp-json/qa-platform-pages/retention';

let host: TestHost;
let ann: PageClient;
let vic: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    // A Wednesday.
    clock: () => new Date('2026-11-18T12:00:00Z'),
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'vic', role: 'viewer', sites: ['blog'] },
      { login: 'nil', role: 'viewer' },
    ],
  });
  const view = (reader: string, day: string, country_code = 'DE') => ({
    original_id: reader,
    access_time: `${day}T10:00:00Z`,
    url: 'https://shop.example/',
    country_code,
  });
  await host.importRows('allpv', 'shop', [
    // The weeks begin on October 26 and on November 2, 9 and 16.
    view('early', '2026-10-20'),
    view('early', '2026-11-03'),
    view('a', '2026-10-27', 'JP'),
    view('a', '2026-10-28'),
    view('a', '2026-11-12'),
    view('b', '2026-10-28'),
    view('b', '2026-11-04'),
    view('b', '2026-11-17'),
    view('c', '2026-11-10'),
    // One visit that spans the midnight between two weeks.
    { ...view('d', '2026-11-08'), access_time: '2026-11-08T23:50:00Z' },
    { ...view('d', '2026-11-09'), access_time: '2026-11-09T00:05:00Z' },
  ]);
  await host.importRows('allpv', 'blog', [view('x', '2026-11-03'), view('y', '2026-11-04')]);
  ann = await logInAs(host, 'ann');
  vic = await logInAs(host, 'vic');
});
afterAll(() => host.stop());

const request = { period: 'custom', from: '2026-10-26', to: '2026-11-18', compare: 'none', filters: [] };

async function ask(who: PageClient, body: object) {
  const { status, text } = await host.request('POST', ROUTE, {
    headers: { Cookie: who.cookie, 'X-WP-Nonce': who.nonce },
    body: { ...request, parts: [{ id: 'cohorts' }, { id: 'recognized' }], ...body },
  });
  const [head, ...parts] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { status, head, parts: new Map<string, PartAnswer>(parts.map((part) => [part.id, part])) };
}

test("counts each week's new visitors, and how many of them came back in each later week", async () => {
  const { head, parts } = await ask(ann, { site: 'shop' });
  expect(parts.get('cohorts')?.columns).toEqual(['cohort', 'access_week', 'visitors']);
  // "early" first visited before the range.
  expect(parts.get('cohorts')?.rows).toEqual([
    ['2026-10-26', '2026-10-26', 2],
    ['2026-10-26', '2026-11-02', 1],
    ['2026-10-26', '2026-11-09', 1],
    ['2026-10-26', '2026-11-16', 1],
    ['2026-11-02', '2026-11-02', 1],
    ['2026-11-09', '2026-11-09', 1],
  ]);
  expect(head.cohorts).toEqual({
    step: 'week',
    steps: ['week', 'month'],
    points: {
      points: ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16'],
      // The current week.
      partial: [3],
      known: [0, 4],
    },
  });
});

test('can be shown by month, and for long ranges only by month', async () => {
  const { head, parts } = await ask(ann, { site: 'shop', by: 'month' });
  expect(parts.get('cohorts')?.rows).toEqual([
    ['2026-10', '2026-10', 2],
    ['2026-10', '2026-11', 2],
    ['2026-11', '2026-11', 2],
  ]);
  expect(head.cohorts.points.partial).toEqual([0, 1]);
  const long = await ask(ann, { site: 'shop', from: '2024-01-01', by: 'week' });
  expect([long.head.cohorts.step, long.head.cohorts.steps]).toEqual(['month', ['month']]);
});

test('filters select new visitors by their first visit', async () => {
  const filters = [{ dimension: 'country', not: false, values: ['JP'] }];
  const { parts } = await ask(ann, { site: 'shop', filters });
  expect(parts.get('cohorts')?.rows).toEqual([
    ['2026-10-26', '2026-10-26', 1],
    ['2026-10-26', '2026-11-09', 1],
  ]);
});

test('reports how many visitors were seen for longer than a day', async () => {
  expect((await ask(ann, { site: 'shop' })).parts.get('recognized')?.rows).toEqual([[5, 2]]);
  expect((await ask(ann, { site: 'blog' })).parts.get('recognized')?.rows).toEqual([[2, 0]]);
});

test('the numbers match the answers to public queries', async () => {
  const { parts } = await ask(ann, { site: 'shop' });
  for (const { query, columns, rows } of parts.values()) {
    const { body } = await host.request('POST', '/wp-json/qa-platform/query?version=latest&envelope=result', {
      user: 'ann',
      body: query,
    });
    expect(rows).not.toHaveLength(0);
    expect([body.result.columns, body.result.rows]).toEqual([columns, rows]);
  }
});

test('users who can see a site can see its retention, and so can anyone with a link', async () => {
  expect((await vic.get('/wp-admin/retention')).text).toContain('data-site="blog"');
  expect((await ask(vic, { site: 'blog' })).parts.get('cohorts')?.rows).toHaveLength(1);
  expect((await ask(vic, { site: 'shop' })).status).toBe(404);
  const { text } = await ann.post('/wp-admin/application-passwords/link', {
    page: 'retention',
    name: 'agency',
    site: 'shop',
    expires: '2026-12-31',
  });
  const key = /\/link\/retention#([\w.-]+)</.exec(text)?.[1] ?? '';
  const askWith = (route: string) =>
    host.request('POST', `/wp-json/qa-platform-pages/${route}`, {
      headers: { 'X-Link-Key': key },
      body: { ...request, parts: [{ id: 'cohorts' }] },
    });
  expect((await askWith('retention')).text).toContain('"2026-10-26","2026-11-16",1');
  expect((await askWith('funnels')).status).toBe(403);
});

test.each(['funnels', 'retention'])('%s shows a notice to an account without sites', async (slug) => {
  const nil = await logInAs(host, 'nil');
  const { status, text } = await nil.get(`/wp-admin/${slug}`);
  expect([status, text.includes('You have no sites yet.')]).toEqual([200, true]);
});

// Funnels over HTTP: who may see and change them, their limits, and their numbers.
import { MAX_FUNNELS } from '../../extension/pages/funnels/saved-funnels';
import { logInAs, markIn, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const ROUTE = '/wp-json/qa-platform-pages/funnels';
const HOSTILE = `<script>alert("x")</script>'&`;
const SHOP = 'https://shop.example';

let host: TestHost;
let ann: PageClient;
let vic: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    clock: () => new Date('2026-11-20T12:00:00Z'),
    sites: [
      {
        tracking_id: 'shop',
        domain: 'shop.example',
        name: 'Shop',
        timezone: 'UTC',
        default: true,
        goals: [
          { id: 3, name: HOSTILE, type: 'gtype_page', condition: { match: 'exact', url: `${SHOP}/done` } },
        ],
      },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['shop'] },
      { login: 'vic', role: 'viewer', sites: ['blog'] },
    ],
  });
  const day = (clock: string) => `2026-11-10T${clock}Z`;
  const view = (pv_id: number, session_id: number, clock: string, path: string) => ({
    pv_id,
    session_id,
    reader_id: session_id,
    access_time: day(clock),
    url: SHOP + path,
    country_code: session_id === 1 ? 'JP' : 'DE',
  });
  await host.importRows('allpv', 'shop', [
    // Visit 1: all views are in the same second. By id, the cart comes after the page.
    view(1, 1, '10:00:00', '/a'),
    view(2, 1, '10:00:00', '/cart?step=1'),
    view(3, 1, '10:00:00', '/done'),
    // Visit 2: the same pages in the opposite order.
    view(11, 2, '10:00:00', '/cart'),
    view(12, 2, '10:00:00', '/a'),
    // Visit 3: a single view matches two steps.
    view(21, 3, '10:00:00', '/a/cart'),
    view(31, 4, '10:00:00', '/a'),
    view(32, 4, '10:05:00', '/b'),
    view(33, 4, '10:06:00', '/cart'),
  ]);
  await host.importRows('datalayer_event', 'shop', [
    { pv_id: 32, access_time: day('10:05:30'), event_name: 'play', params: {} },
  ]);
  ann = await logInAs(host, 'ann');
  vic = await logInAs(host, 'vic');
});
afterAll(() => host.stop());

type Steps = readonly (readonly [kind: string, value?: string])[];

const fieldsOf = (name: string, steps: Steps) => ({
  name,
  ...Object.fromEntries(
    steps.flatMap(([kind, value = ''], at) => [
      [`kind_${at + 1}`, kind],
      [`value_${at + 1}`, value],
    ]),
  ),
});

const CART: Steps = [
  ['page prefix', '/a'],
  ['page contains', 'cart'],
];

/** Adds a funnel through the form. Returns its id. */
async function add(name: string, steps: Steps = CART, who = ann, site = 'shop'): Promise<number> {
  const { status, headers } = await who.post(`/wp-admin/funnels/${site}/add`, fieldsOf(name, steps));
  const [, id] = /funnel=(\d+)$/.exec(headers.location ?? '') ?? [];
  expect([status, typeof id]).toEqual([303, 'string']);
  return Number(id);
}

const stored = () => host.database.write('analytics.funnel').orderBy('funnel_id');

const request = { period: 'custom', from: '2026-11-01', to: '2026-11-19', compare: 'none', filters: [] };

const ask = ({ cookie, nonce }: PageClient, body: object) =>
  host.request('POST', ROUTE, { headers: { Cookie: cookie, 'X-WP-Nonce': nonce }, body });

const linesOf = ({ text }: { readonly text: string }) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function visits(id: number, filters: readonly object[] = []) {
  const response = await ask(ann, { ...request, site: 'shop', filters, parts: [{ id: `funnel ${id}` }] });
  const [, part] = linesOf(response);
  return part.rows?.[0] ?? part.error;
}

test('counts the visits that complete the steps in order, with one view per step; views in the same second are ordered by id', async () => {
  const id = await add('Cart');
  // Visits 1 and 4. In visit 2, the cart comes first. The only view of visit 3 matches both steps.
  expect(await visits(id)).toEqual([4, 2]);
});

test('a step can also be an event or a goal, which counts at the view where it happened', async () => {
  const id = await add('Events and goals', [
    ['page is', '/a'],
    ['event', 'play'],
    ['page is', `${SHOP}/cart`],
  ]);
  expect(await visits(id)).toEqual([3, 1, 1]);
  const goal = await add('Goal', [['page is', '/cart'], ['goal 3']]);
  expect(await visits(goal)).toEqual([3, 1]);
});

test('filters select whole visits', async () => {
  const id = await add('Filtered');
  const of = (dimension: string, value: string, not = false) => ({ dimension, not, values: [value] });
  expect(await visits(id, [of('country', 'JP')])).toEqual([1, 1]);
  expect(await visits(id, [of('country', 'JP', true)])).toEqual([3, 1]);
  expect(await visits(id, [of('page', `${SHOP}/b`)])).toEqual([1, 1]);
  expect(await visits(id, [of('event', 'play'), of('country', 'DE')])).toEqual([1, 1]);
});

test('a filter that cannot be applied to visits is reported', async () => {
  const id = await add('Unfiltered');
  const filters = [{ dimension: 'keyword', not: false, values: ['tea'] }];
  const [, part] = linesOf(
    await ask(ann, { ...request, site: 'shop', filters, parts: [{ id: `funnel ${id}` }] }),
  );
  expect([part.rows, part.unfiltered]).toEqual([[[4, 2]], ['Keyword']]);
});

test('the numbers are the answer to a public query', async () => {
  const id = await add('Public');
  const response = await ask(ann, { ...request, site: 'shop', parts: [{ id: `funnel ${id}` }] });
  const [, { query, columns, rows }] = linesOf(response);
  const { body } = await host.request('POST', '/wp-json/qa-platform/query?version=latest&envelope=result', {
    user: 'ann',
    body: query,
  });
  expect([body.result.columns, body.result.rows]).toEqual([columns, rows]);
});

test('an invalid form is shown again with errors, and nothing is saved', async () => {
  const before = await stored();
  const post = async (name: string, steps: Steps) => {
    const { status, text } = await ann.post('/wp-admin/funnels/shop/add', fieldsOf(name, steps));
    return [status, text] as const;
  };
  await add('Taken');
  for (const [name, steps, fault] of [
    ['', CART, 'must not be empty'],
    ['x'.repeat(101), CART, 'must be at most 100 characters long'],
    ['taken', CART, 'is the name of another funnel'],
    ['One', [['page is', '/a']], 'A funnel has 2 to 8 steps.'],
    ['Empty', [['page is', '/a'], ['event']], 'must not be empty'],
    [
      'Query',
      [
        ['page is', '/a?b'],
        ['event', 'x'],
      ],
      'is a path',
    ],
    [
      'Kind',
      [
        ['page is', '/a'],
        ['page like', 'x'],
      ],
      'must be one of is, contains, prefix',
    ],
    ['Goal', [['page is', '/a'], ['goal 11']], 'must be at most 10'],
    [
      'Long',
      [
        ['page is', '/a'],
        ['event', 'x'.repeat(2_001)],
      ],
      'must be at most 2000',
    ],
  ] as const) {
    const [status, text] = await post(name, steps);
    expect({ name, status, has: text.includes(fault) }).toEqual({ name, status: 400, has: true });
    expect(text).toContain('Nothing was saved. See the fields below.');
    expect(text).toContain('aria-invalid="true"');
  }
  expect(await stored()).toHaveLength(before.length + 1);
});

test('names and steps are shown as text', async () => {
  const id = await add(HOSTILE, [['page is', `/${'<b>'}`], ['goal 3']]);
  for (const path of [`funnels/shop/${id}`, `funnels/shop/${id}/delete`, `funnels/shop/add?copy=${id}`]) {
    const { status, text } = await ann.get(`/wp-admin/${path}`);
    expect([status, text.includes('<script>alert'), text.includes('<b>')]).toEqual([200, false, false]);
  }
});

test('a funnel can be copied, changed and deleted, and changes by another user are not overwritten', async () => {
  const id = await add('Original');
  const copy = await ann.get(`/wp-admin/funnels/shop/add?copy=${id}`);
  expect(copy.text).toContain('value="Original (copy)"');
  const long = await add(`${'字'.repeat(99)}x`);
  expect((await ann.get(`/wp-admin/funnels/shop/add?copy=${long}`)).text).toContain(
    `value="${'字'.repeat(93)} (copy)"`,
  );
  const form = await ann.get(`/wp-admin/funnels/shop/${id}`);
  const mark = markIn(form);
  const post = (name: string) => ann.post(`/wp-admin/funnels/shop/${id}`, { mark, ...fieldsOf(name, CART) });
  expect((await post('Second')).status).toBe(303);
  const late = await post('Third');
  expect([late.status, late.text.includes('Second')]).toEqual([409, true]);
  expect((await stored()).find((one) => one.funnel_id === id)?.name).toBe('Second');
  expect((await ann.post(`/wp-admin/funnels/shop/${id}/delete`, { mark })).status).toBe(409);
  const confirmation = await ann.get(`/wp-admin/funnels/shop/${id}/delete`);
  const current = markIn(confirmation);
  expect((await ann.post(`/wp-admin/funnels/shop/${id}/delete`, { mark: current })).status).toBe(303);
  expect((await stored()).some((one) => one.funnel_id === id)).toBe(false);
  expect((await ann.get(`/wp-admin/funnels/shop/${id}`)).status).toBe(404);
});

test('users who can see a site can see its funnels, and users who may save its goals can change them', async () => {
  const id = await add('Seen');
  const bob = await logInAs(host, 'bob');
  const [head, part] = linesOf(await ask(bob, { ...request, site: 'shop', parts: [{ id: `funnel ${id}` }] }));
  expect([head.funnels.some((one: { id: number }) => one.id === id), part.rows]).toEqual([true, [[4, 2]]]);
  expect((await bob.get('/wp-admin/funnels')).status).toBe(200);
  for (const path of ['add', id, `${id}/delete`]) {
    expect((await bob.get(`/wp-admin/funnels/shop/${path}`)).status).toBe(403);
    expect((await bob.post(`/wp-admin/funnels/shop/${path}`, fieldsOf('Mine', CART))).status).toBe(403);
  }
  expect((await vic.get('/wp-admin/funnels')).text).toContain('data-site="blog"');
  expect((await ask(vic, { ...request, site: 'shop', parts: [] })).status).toBe(404);
  // A funnel can be changed only under its own site.
  expect((await ann.get(`/wp-admin/funnels/blog/${id}`)).status).toBe(404);
  const [, other] = linesOf(await ask(vic, { ...request, site: 'blog', parts: [{ id: `funnel ${id}` }] }));
  expect(other.error.code).toBe('not_found');
});

test('a shared link to the page shows the funnels of its site, and nothing else', async () => {
  const id = await add('Linked');
  const { text } = await ann.post('/wp-admin/application-passwords/link', {
    page: 'funnels',
    name: 'agency',
    site: 'shop',
    expires: '2026-12-31',
  });
  const key = /\/link\/funnels#([\w.-]+)</.exec(text)?.[1] ?? '';
  const page = await host.request('GET', '/link/funnels');
  expect([page.status, page.text.includes('Linked'), page.text.includes('Shop')]).toEqual([
    200,
    false,
    false,
  ]);
  const askWith = (path: string, body: object) =>
    host.request('POST', path, { headers: { 'X-Link-Key': key }, body });
  const [head, part] = linesOf(await askWith(ROUTE, { ...request, parts: [{ id: `funnel ${id}` }] }));
  expect([head.site.trackingId, part.rows]).toEqual(['shop', [[4, 2]]]);
  expect((await askWith(ROUTE, { ...request, site: 'blog', parts: [] })).status).toBe(404);
  const dashboard = '/wp-json/qa-platform-pages/dashboard';
  expect((await askWith(dashboard, { ...request, parts: [] })).status).toBe(403);
});

test('a removed goal is reported in the response', async () => {
  await ann.post('/wp-admin/goals/shop/add', {
    action: 'save',
    id: '5',
    name: 'Short',
    type: 'url_match',
    url_match: '/b',
  });
  const id = await add('Without its goal', [['page is', '/a'], ['goal 5']]);
  await host.database.write('analytics.goal').where('goal_no', 5).delete();
  expect((await visits(id)).message).toContain('A goal of this funnel was removed.');
  const [head] = linesOf(await ask(ann, { ...request, site: 'shop', parts: [] }));
  const funnel = head.funnels.find((one: { id: number }) => one.id === id);
  expect(funnel.words).toEqual(['Page is /a', 'Goal 5 (removed)']);
  expect((await ann.get(`/wp-admin/funnels/shop/${id}`)).text).toContain('Removed goal');
});

test('the number of funnels per site is limited, and they are deleted with the site', async () => {
  const site = await host.database.write('analytics.site').where('tracking_id', 'blog').first();
  const steps = JSON.stringify([
    { kind: 'event', value: 'a' },
    { kind: 'event', value: 'b' },
  ]);
  await host.database.write('analytics.funnel').insert(
    Array.from({ length: MAX_FUNNELS - 1 }, (_unused, at) => ({
      site_id: site.site_id,
      name: `Funnel ${at}`,
      steps,
    })),
  );
  const added = await Promise.all(
    ['x', 'y', 'z'].map((name) => ann.post('/wp-admin/funnels/blog/add', fieldsOf(name, CART))),
  );
  expect(added.map(({ status }) => status).toSorted()).toEqual([303, 400, 400]);
  const full = added.find(({ status }) => status === 400)?.text ?? '';
  expect(full).toContain('<p class="fault" role="alert">The site has 100 funnels, which is the limit.');
  // The name is not the reason.
  expect(full).not.toContain('aria-invalid');
  expect((await ann.get('/wp-admin/funnels/blog/add')).status).toBe(409);
  await host.database.write('analytics.site').where('tracking_id', 'blog').delete();
  expect((await stored()).some(({ site_id }) => site_id === site.site_id)).toBe(false);
});

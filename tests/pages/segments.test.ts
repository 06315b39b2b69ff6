// Saved segments over HTTP: who may see and change them, their limits, and their deletion.
import { MAX_SEGMENTS } from '../../extension/pages/segments/saved-segments';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const ROUTE = '/wp-json/qa-platform-pages/segments';
const GERMANY = [{ dimension: 'country', not: false, values: ['DE'] }];
const HOSTILE = '<script>alert("x")</script>';

let host: TestHost;
let ann: PageClient;
let bob: PageClient;
let vic: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC', default: true },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['shop', 'blog'] },
      { login: 'vic', role: 'viewer', sites: ['blog'] },
    ],
  });
  ann = await logInAs(host, 'ann');
  bob = await logInAs(host, 'bob');
  vic = await logInAs(host, 'vic');
});
afterAll(() => host.stop());

const call = ({ cookie, nonce }: PageClient, method: 'GET' | 'POST' | 'DELETE', path = '', body?: object) =>
  host.request(method, ROUTE + path, {
    headers: { Cookie: cookie, 'X-WP-Nonce': nonce },
    ...(body !== undefined && { body }),
  });

const add = (who: PageClient, name: string, more: object = {}) =>
  call(who, 'POST', '', { tracking_id: 'shop', name, filters: GERMANY, shared: false, ...more });

const namesFor = async (who: PageClient, site = 'shop'): Promise<readonly string[]> =>
  (await call(who, 'GET', `?tracking_id=${site}`)).body.segments.map(({ name }: { name: string }) => name);

test('users who can only view dashboards cannot share segments', async () => {
  const { status } = await add(vic, 'Shared by a viewer', { tracking_id: 'blog', shared: true });
  expect(status).toBe(403);
  const { body } = await add(vic, 'Of a viewer', { tracking_id: 'blog' });
  const change = (more: object) => call(vic, 'POST', `/${body.id}`, { revision: 1, ...more });
  expect((await change({ shared: true })).status).toBe(403);
  expect((await change({ name: 'Of the viewer' })).status).toBe(200);
  await call(vic, 'DELETE', `/${body.id}?revision=2`);
});

test('a personal segment is visible only to its owner, and a shared one to everyone who can see the site', async () => {
  const { status, body } = await add(bob, HOSTILE);
  expect([status, body]).toEqual([
    200,
    {
      id: expect.any(Number),
      name: HOSTILE,
      owner: 'bob',
      filters: GERMANY,
      shared: false,
      revision: 1,
      isOwn: true,
      mayChange: true,
    },
  ]);
  await add(ann, 'For all of the shop', { shared: true });
  expect(await namesFor(bob)).toEqual([HOSTILE, 'For all of the shop']);
  expect(await namesFor(ann)).toEqual(['For all of the shop']);
  expect(await namesFor(bob, 'blog')).toEqual([]);
  expect((await call(vic, 'GET', '?tracking_id=shop')).status).toBe(404);
  await add(ann, 'For the blog', { shared: true, tracking_id: 'blog' });
  // Viewers can have their own segments, too.
  expect((await add(vic, 'Mine', { tracking_id: 'blog' })).status).toBe(200);
  expect(await namesFor(vic, 'blog')).toEqual(['Mine', 'For the blog']);
  expect((await add(vic, 'Not mine')).status).toBe(404);
});

test('the owner and administrators can change and delete a segment, unless it was changed in the meantime', async () => {
  const { body: stored } = await add(bob, 'Changing', { shared: true });
  const path = `/${stored.id}`;
  const renamed = await call(bob, 'POST', path, { name: 'Changed', revision: 1 });
  expect([renamed.status, renamed.body.name, renamed.body.filters, renamed.body.revision]).toEqual([
    200,
    'Changed',
    GERMANY,
    2,
  ]);
  expect((await call(bob, 'POST', path, { name: 'Late', revision: 1 })).status).toBe(409);
  const filters = [{ dimension: 'device', not: true, values: ['SP', null] }];
  expect((await call(ann, 'POST', path, { filters, revision: 2 })).body.filters).toEqual(filters);
  const { body: other } = await add(ann, 'Of ann', { shared: true });
  expect((await call(bob, 'POST', `/${other.id}`, { name: 'Mine', revision: 1 })).status).toBe(403);
  expect((await call(bob, 'DELETE', `/${other.id}?revision=1`)).status).toBe(403);
  expect((await call(bob, 'DELETE', `${path}?revision=2`)).status).toBe(409);
  expect((await call(bob, 'DELETE', `${path}?revision=3`)).status).toBe(200);
  expect((await call(bob, 'DELETE', `${path}?revision=3`)).status).toBe(404);
  // The response does not reveal whether the segment exists.
  const { body: hidden } = await add(ann, 'Personal');
  expect((await call(bob, 'POST', `/${hidden.id}`, { name: 'Mine', revision: 1 })).status).toBe(404);
  const { body: shared } = await add(ann, 'Of the shop', { shared: true });
  expect((await call(vic, 'POST', `/${shared.id}`, { name: 'Mine', revision: 1 })).status).toBe(404);
  for (const id of ['0', '999999999', '9999999999', 'x', '1.5'])
    expect((await call(ann, 'DELETE', `/${id}?revision=1`)).status).toBe(404);
});

test.each([
  ['a missing name', { name: '' }, 'The field "name" must not be empty.'],
  [
    'a name that is too long',
    { name: 'x'.repeat(101) },
    'The field "name" must be at most 100 characters long.',
  ],
  ['an invisible name', { name: '\u200b' }, 'The field "name"'],
  ['an empty list of filters', { filters: [] }, 'The field "filters" must not be empty.'],
  ['an unknown dimension', { filters: [{ dimension: 'x', not: false, values: ['a'] }] }, 'Dimensions are'],
  [
    'U+0000 in a value',
    { filters: [{ dimension: 'page', not: false, values: ['a\0b'] }] },
    'contains the character U+0000',
  ],
  [
    'a lone surrogate in a value',
    { filters: [{ dimension: 'page', not: false, values: ['a\ud800'] }] },
    'contains a lone surrogate',
  ],
  ['a repeated dimension', { filters: [...GERMANY, ...GERMANY] }, 'Name each dimension at most once'],
  [
    'filters that are too long',
    {
      filters: [
        {
          dimension: 'page',
          not: false,
          values: Array.from({ length: 11 }, (_u, at) => `${at}`.padEnd(2_000)),
        },
      ],
    },
    'at most 6000 characters',
  ],
  ['an unknown key', { color: 'red' }, 'color is not a valid key'],
  ['a site that does not exist', { tracking_id: 'nowhere' }, 'There is no site nowhere.'],
])('%s is rejected, and nothing is saved', async (_title, more, message) => {
  const before = await host.database.write('analytics.segment').count();
  const { status, body } = await add(bob, 'Refused', more);
  expect([status, body.message]).toEqual([expect.any(Number), expect.stringContaining(message)]);
  expect([400, 404]).toContain(status);
  expect(await host.database.write('analytics.segment').count()).toEqual(before);
});

test('names are unique per owner and site, and the number of segments is limited', async () => {
  await add(bob, 'Unique');
  expect((await add(bob, 'unique')).body.code).toBe('conflict');
  expect((await add(ann, 'Unique')).status).toBe(200);
  expect((await add(bob, 'Unique', { tracking_id: 'blog' })).status).toBe(200);
  const site = await host.database.write('analytics.site').where('tracking_id', 'blog').first();
  const bobId = (await host.database.write('host.users').where('login', 'bob').first()).user_id;
  await host.database.write('analytics.segment').insert(
    Array.from({ length: MAX_SEGMENTS - 2 }, (_unused, at) => ({
      site_id: site.site_id,
      user_id: bobId,
      login: 'bob',
      name: `S ${at}`,
      shared: false,
      filters: JSON.stringify(GERMANY),
    })),
  );
  const added = await Promise.all(['x', 'y', 'z'].map((name) => add(bob, name, { tracking_id: 'blog' })));
  expect(added.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
});

test("segments are passed to another account when their owner's account is deleted, and are deleted with their site", async () => {
  const of = (login: string) =>
    host.database.write('analytics.segment').where({ login }).orderBy('segment_id');
  for (const login of ['eve', 'max'])
    await host.createUser({ login, role: 'analyst', sites: ['shop', 'blog'] });
  const [eve, max] = [await logInAs(host, 'eve'), await logInAs(host, 'max')];
  const idOf = async (login: string) =>
    (await host.database.write('host.users').where({ login }).first()).user_id;
  await add(eve, 'Same');
  await add(eve, 'Other', { shared: true });
  await add(eve, 'Same', { tracking_id: 'blog' });
  await add(max, 'same');
  await ann.post(`/wp-admin/users/${await idOf('eve')}/delete`, { heir: String(await idOf('max')) });
  expect((await of('max')).map(({ name }) => name).toSorted()).toEqual([
    'Other',
    'Same',
    expect.stringMatching(/^Same \(eve \d+\)$/),
    'same',
  ]);
  await ann.post(`/wp-admin/users/${await idOf('max')}/delete`, { heir: '' });
  expect(await of('max')).toEqual([]);
  await host.database.write('analytics.site').where('tracking_id', 'blog').delete();
  expect(await namesFor(bob, 'shop')).toContain('Unique');
  const left = await host.database
    .write('analytics.segment as g')
    .leftJoin('analytics.site as s', 's.site_id', 'g.site_id')
    .whereNull('s.site_id');
  expect(left).toEqual([]);
});

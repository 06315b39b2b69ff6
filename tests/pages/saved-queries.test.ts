// Saved queries over HTTP: who may see and change them, and which are rejected.
import { MAX_SAVED_QUERIES } from '../../extension/pages/saved/saved-queries';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

let host: TestHost;
let ana: PageClient;
let root: PageClient;
let ben: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ana', role: 'analyst', sites: [] },
      { login: 'ben', role: 'analyst', sites: [] },
    ],
  });
  ana = await logInAs(host, 'ana');
  root = await logInAs(host, 'root');
  ben = await logInAs(host, 'ben');
});
afterAll(() => host.stop());

const inSession = ({ cookie, nonce }: PageClient) => ({ headers: { Cookie: cookie, 'X-WP-Nonce': nonce } });
const ROUTE = '/wp-json/qa-platform-pages/saved-queries';
const TEXT = '{ "not": "finished", ';
const send = (by: PageClient, method: 'GET' | 'POST' | 'DELETE', path = '', body?: object) =>
  host.request(method, ROUTE + path, { ...inSession(by), ...(body !== undefined && { body }) });
const save = (by: PageClient, name: string, more: object = {}) =>
  send(by, 'POST', '', { name, text: TEXT, version: '2026-05-11', shared: false, ...more });
const namesOf = async (by: PageClient) =>
  (await send(by, 'GET')).body.queries.map(({ name }: { name: string }) => name);

beforeEach(() => host.database.write('analytics.saved_query').delete());

// conformance: beyond.queries-saved-shared
test('saved queries are stored as typed, and only their owner can open them until they are shared', async () => {
  const { status, body } = await save(ana, ' Pages ');
  expect([status, body]).toMatchObject([
    200,
    { name: 'Pages', owner: 'ana', shared: false, revision: 1, isOwn: true, mayChange: true },
  ]);
  const path = `/${body.id}`;
  expect((await send(ana, 'GET', path)).body).toMatchObject({ text: TEXT, version: '2026-05-11' });
  for (const other of [root, ben]) {
    expect(await namesOf(other)).toEqual([]);
    expect(await send(other, 'GET', path)).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining('its owner does not share it') },
    });
  }
  expect((await send(ana, 'POST', path, { shared: true, revision: 1 })).body).toMatchObject({
    revision: 2,
  });
  expect((await send(ben, 'GET', path)).body).toMatchObject({
    owner: 'ana',
    isOwn: false,
    mayChange: false,
  });
  expect((await send(ben, 'GET')).text).not.toContain('finished');
});

// conformance: beyond.queries-saved-shared
test('only the owner and administrators can change and delete shared queries', async () => {
  const { id } = (await save(ana, 'Pages', { shared: true })).body;
  for (const refused of [
    await send(ben, 'POST', `/${id}`, { name: 'Mine', revision: 1 }),
    await send(ben, 'DELETE', `/${id}?revision=1`),
  ])
    expect(refused).toMatchObject({ status: 403, body: { code: 'rest_forbidden' } });
  expect((await send(root, 'POST', `/${id}`, { name: 'Pages of May', revision: 1 })).body).toMatchObject({
    name: 'Pages of May',
    owner: 'ana',
    isOwn: false,
    mayChange: true,
  });
  expect((await send(root, 'DELETE', `/${id}?revision=2`)).status).toBe(200);
  expect((await send(ana, 'GET', `/${id}`)).status).toBe(404);
});

// conformance: beyond.queries-saved-shared
test('a user who saw an older revision cannot overwrite or delete a saved query', async () => {
  const { id } = (await save(ana, 'Pages')).body;
  await send(ana, 'POST', `/${id}`, { text: '{}', revision: 1 });
  for (const late of [
    await send(ana, 'POST', `/${id}`, { text: '[]', revision: 1 }),
    await send(ana, 'DELETE', `/${id}?revision=1`),
  ])
    expect(late).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('nothing was done') },
    });
  expect((await send(ana, 'GET', `/${id}`)).body).toMatchObject({ text: '{}', revision: 2 });
});

test("the names of a user's saved queries must differ in more than letter case; other users may use the same names", async () => {
  await save(ana, 'Pages');
  const taken = { status: 409, body: { message: expect.stringContaining('with this name') } };
  expect(await save(ana, 'PAGES')).toMatchObject(taken);
  expect((await save(root, 'Pages')).status).toBe(200);
  const { id } = (await save(ana, 'Other')).body;
  expect(await send(ana, 'POST', `/${id}`, { name: 'pages', revision: 1 })).toMatchObject(taken);
  expect(await namesOf(ana)).toEqual(['Other', 'Pages']);
});

test('the limit on saved queries per user also applies to concurrent requests', async () => {
  const stored = { user_id: 2, login: 'ana', body: '{}', version: '2026-05-11', shared: false };
  const full = Array.from({ length: MAX_SAVED_QUERIES - 1 }, (_unused, at) => ({
    ...stored,
    name: `${at}`,
  }));
  await host.database
    .write('analytics.saved_query')
    .insert(full.map((row) => ({ ...row, changed_at: new Date() })));
  const responses = await Promise.all(['a', 'b', 'c'].map((name) => save(ana, name)));
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(responses.find(({ status }) => status === 409)?.body.message).toContain('Delete one first');
  expect((await save(root, 'a')).status).toBe(200);
});

test.each([
  ['an empty name', { name: '  ' }, 'The field "name" must not be empty.'],
  [
    'an invisible character in the name',
    { name: 'a\u200b' },
    'The field "name" contains the invisible character U+200B',
  ],
  ['empty text', { text: '' }, 'The field "text" must not be empty.'],
  [
    'text that is too long',
    { text: 'x'.repeat(100_001) },
    'The field "text" must be at most 100000 characters long.',
  ],
  ['an unknown API version', { version: '2020-01-01' }, 'There is no API version 2020-01-01.'],
  ['an unknown field', { owner: 'root' }, 'owner is not a valid key'],
  ['no value for `shared`', { shared: null }, 'The field "shared" is required.'],
])('a saved query with %s is rejected', async (_what, more, message) => {
  expect(await save(ana, 'Pages', more)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(message) },
  });
  expect(await namesOf(ana)).toEqual([]);
});

test.each(['99999999999999999999', '2147483648', '0'])(
  'there is no saved query with the id %s',
  async (id) => {
    expect((await send(ana, 'GET', `/${id}`)).status).toBe(404);
  },
);

// Notes on days over HTTP: who can see and change them, their limits, and when they are deleted.
import { MAX_NOTES } from '../../extension/pages/notes/site-notes';
import { MAX_NOTE_LENGTH } from '../../extension/pages/shared-types/dashboard-types';
import { logInAs, type PageClient } from '../support/page-client';
import { startTestHost, type TestHost } from '../support/test-host';

const PAGES = '/wp-json/qa-platform-pages';
const DAY = '2026-05-10';
const HOSTILE = '<script>alert("x")</script>';

let host: TestHost;
let ann: PageClient;
let bob: PageClient;
let vic: PageClient;

beforeAll(async () => {
  host = await startTestHost({
    sites: [
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'Asia/Tokyo', default: true },
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'UTC' },
    ],
    users: [
      { login: 'ann', role: 'administrator' },
      { login: 'bob', role: 'analyst', sites: ['shop'] },
      { login: 'vic', role: 'viewer', sites: ['shop'] },
    ],
  });
  [ann, bob, vic] = await Promise.all([logInAs(host, 'ann'), logInAs(host, 'bob'), logInAs(host, 'vic')]);
});
afterAll(() => host.stop());
beforeEach(() => host.database.write('analytics.note').delete());

const call = ({ cookie, nonce }: PageClient, method: 'POST' | 'DELETE', path: string, body?: object) =>
  host.request(method, PAGES + path, {
    headers: { Cookie: cookie, 'X-WP-Nonce': nonce },
    ...(body !== undefined && { body }),
  });
const add = (who: PageClient, more: object = {}) =>
  call(who, 'POST', '/notes', { tracking_id: 'shop', day: DAY, text: 'Relaunch', ...more });

const dashboardBody = (more: object = {}) => ({
  period: 'custom',
  from: '2026-05-01',
  to: '2026-05-31',
  compare: 'none',
  filters: [],
  parts: [],
  ...more,
});
const headOf = (text: string) => JSON.parse(text.split('\n')[0] ?? '');

async function seenBy(who: PageClient, more: object = {}) {
  const { text } = await call(who, 'POST', '/dashboard', dashboardBody({ site: 'shop', ...more }));
  return headOf(text).notes.map(({ day, text: words }: { day: string; text: string }) => [day, words]);
}

test('everyone who can see the site sees its notes for the days shown, in order', async () => {
  const { status, body } = await add(bob, { day: '2026-05-31', text: ` ${HOSTILE} ` });
  expect([status, body]).toEqual([
    200,
    { id: expect.any(Number), day: '2026-05-31', text: HOSTILE, revision: 1 },
  ]);
  await add(ann, { day: '2026-05-01' });
  await add(ann, { day: '2026-05-01', text: 'Second of the day' });
  for (const day of ['2026-04-30', '2026-06-01']) await add(ann, { day });
  await add(ann, { tracking_id: 'blog' });
  for (const who of [ann, bob, vic])
    expect(await seenBy(who)).toEqual([
      ['2026-05-01', 'Relaunch'],
      ['2026-05-01', 'Second of the day'],
      ['2026-05-31', HOSTILE],
    ]);
  expect(await seenBy(ann, { site: 'blog' })).toEqual([[DAY, 'Relaunch']]);
  expect(await seenBy(ann, { from: '2026-06-02', to: '2026-06-03' })).toEqual([]);
});

test('shared links do not show notes', async () => {
  await add(ann);
  const fields = { page: 'dashboard', name: 'Partner', site: 'shop', expires: '2030-01-01' };
  const { text } = await ann.post('/wp-admin/application-passwords/link', fields);
  const key = /link\/dashboard#([\w.-]+)</.exec(text)?.[1] ?? '';
  const shown = await host.request('POST', `${PAGES}/dashboard`, {
    headers: { 'X-Link-Key': key },
    body: dashboardBody(),
  });
  expect([shown.status, headOf(shown.text).site.trackingId, shown.text.includes('Relaunch')]).toEqual([
    200,
    'shop',
    false,
  ]);
  const changing = await host.request('POST', `${PAGES}/notes`, {
    headers: { 'X-Link-Key': key },
    body: { tracking_id: 'shop', day: DAY, text: 'Via a link' },
  });
  expect(changing.status).toBe(403);
});

test('administrators and analysts can change the notes of their sites, and viewers cannot', async () => {
  const { body: note } = await add(ann);
  const path = `/notes/${note.id}`;
  const change = (who: PageClient, more: object = {}) =>
    call(who, 'POST', path, { day: '2026-05-11', text: 'Relaunch of the shop', revision: 1, ...more });
  expect((await add(vic)).status).toBe(403);
  expect((await change(vic)).status).toBe(403);
  expect((await call(vic, 'DELETE', `${path}?revision=1`)).status).toBe(403);
  expect((await change(bob)).body).toEqual({
    id: note.id,
    day: '2026-05-11',
    text: 'Relaunch of the shop',
    revision: 2,
  });
  expect((await change(ann)).status).toBe(409);
  expect((await call(bob, 'DELETE', `${path}?revision=1`)).status).toBe(409);
  expect((await call(bob, 'DELETE', path)).status).toBe(400);
  expect(await seenBy(vic)).toEqual([['2026-05-11', 'Relaunch of the shop']]);
  expect((await call(bob, 'DELETE', `${path}?revision=2`)).status).toBe(200);
  expect((await call(bob, 'DELETE', `${path}?revision=2`)).status).toBe(404);
  const { body: other } = await add(ann, { tracking_id: 'blog' });
  expect((await call(bob, 'DELETE', `/notes/${other.id}?revision=1`)).status).toBe(404);
  expect((await add(bob, { tracking_id: 'blog' })).status).toBe(404);
  for (const id of ['0', '999999999', '9999999999', 'x', '1.5'])
    expect((await call(ann, 'DELETE', `/notes/${id}?revision=1`)).status).toBe(404);
});

test.each([
  ['empty text', { text: ' ' }, 'The field "text" must not be empty.'],
  [
    'text that is too long',
    { text: 'x'.repeat(MAX_NOTE_LENGTH + 1) },
    `at most ${MAX_NOTE_LENGTH} characters`,
  ],
  ['text without visible characters', { text: '\u200b' }, 'The field "text"'],
  [
    'a day that does not exist',
    { day: '2026-02-30' },
    'The field "day" must be a date from 0002-01-01 to 9998-12-31.',
  ],
  ['a day that is too early', { day: '0001-12-31' }, 'The field "day" must be a date'],
  ['an unknown key', { color: 'red' }, 'color is not a valid key'],
  ['a site that does not exist', { tracking_id: 'nowhere' }, 'There is no site nowhere.'],
])('%s is rejected, and nothing is saved', async (_title, more, message) => {
  const { status, body } = await add(bob, more);
  expect([400, 404]).toContain(status);
  expect(body.message).toContain(message);
  expect(await seenBy(ann)).toEqual([]);
});

test('the number of notes is limited, even with concurrent requests', async () => {
  const { site_id } = await host.database.write('analytics.site').where('tracking_id', 'shop').first();
  await host.database
    .write('analytics.note')
    .insert(Array.from({ length: MAX_NOTES - 1 }, () => ({ site_id, day: DAY, text: 'x' })));
  const added = await Promise.all([add(ann), add(bob), add(ann)]);
  expect(added.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  expect((await add(ann, { tracking_id: 'blog' })).status).toBe(200);
});

test('notes are kept when an account is deleted, and are deleted with their site', async () => {
  await host.createUser({ login: 'eve', role: 'analyst', sites: ['shop', 'blog'] });
  const eve = await logInAs(host, 'eve');
  await add(eve);
  await add(eve, { tracking_id: 'blog' });
  const { user_id } = await host.database.write('host.users').where({ login: 'eve' }).first();
  await ann.post(`/wp-admin/users/${user_id}/delete`, { heir: '' });
  expect(await seenBy(ann)).toEqual([[DAY, 'Relaunch']]);
  await host.database.write('analytics.site').where('tracking_id', 'blog').delete();
  expect(await host.database.write('analytics.note').pluck('text')).toEqual(['Relaunch']);
});

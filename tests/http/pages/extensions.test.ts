// The page "Extensions", and what turning the analytics extension off and on does to routes and pages over HTTP.
import { analyticsExtension } from '../../../extension/index';
import type { Extension } from '../../../host-shim/extension-api';
import { logInAs, type PageClient } from '../../support/page-client';
import { SETTINGS, startTestHost, type TestHost } from '../../support/test-host';

const analytics = analyticsExtension({ ...SETTINGS, docsUrl: '' });

const bare = { version: '1.0.0', requires: { hostApi: 1 }, commands: [] } as const;
const installed: readonly Extension[] = [
  analytics,
  {
    ...bare,
    name: 'leaning',
    description: 'Needs <b>analytics</b>.',
    requires: { hostApi: 1, extensions: ['qal-analytics'] },
    register: async () => {},
  },
  {
    ...bare,
    name: 'broken',
    description: 'Never starts.',
    register: async () => {
      throw new Error('The <i>disk</i> is full.');
    },
  },
];

let host: TestHost;
let page: PageClient;
beforeEach(async () => {
  host = await startTestHost({
    extensions: installed,
    sites: [{ tracking_id: 'demo', domain: 'demo.example', name: 'Demo', timezone: 'UTC' }],
    features: { join: false },
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ann', role: 'analyst', sites: ['demo'] },
    ],
  });
  page = await logInAs(host, 'root');
});
afterEach(() => host.stop());

/** What the button of the list, or of the question, does. */
const change = (action: string, name: string) =>
  action === 'activate'
    ? page.post('/wp-admin/extensions', { action, name })
    : page.post(`/wp-admin/extensions/${action}/${encodeURIComponent(name)}`, {});

test('lists each with its state, and why one that failed did, as text', async () => {
  const { status, text } = await page.get('/wp-admin/extensions');
  expect(status).toBe(200);
  expect(text).toContain('A read-only query service over web-site measurement data.');
  expect(text).toContain('needed by leaning');
  expect(text).toContain('Needs &lt;b&gt;analytics&lt;/b&gt;.');
  expect(text).toContain('The &lt;i&gt;disk&lt;/i&gt; is full.');
  expect(text).not.toContain('<i>disk');
});

test('turned off, its routes and filters are gone at once; turned on, they are back', async () => {
  const { headers } = await change('deactivate', 'leaning');
  expect(headers.location).toBe('/wp-admin/extensions');
  const answer = await change('deactivate', 'qal-analytics');
  expect((await page.follow(answer)).text).toContain('qal-analytics is off. Its settings are kept.');
  const gone = await host.request('GET', '/wp-json/qa-platform/guide', { user: 'ann' });
  expect([gone.status, gone.body.code]).toEqual([404, 'rest_no_route']);
  expect((await host.request('GET', '/wp-json/')).body.namespaces).not.toContain('qa-platform');
  expect((await page.get('/wp-admin/goals')).status).toBe(404);
  expect((await page.get('/wp-admin/system')).text).not.toContain('Analytics version');

  await change('activate', 'qal-analytics');
  expect((await host.request('GET', '/wp-json/qa-platform/guide', { user: 'ann' })).status).toBe(200);
  expect((await page.get('/wp-admin/system')).text).toContain('Analytics version');
});

test.each([
  ['one that others need', 'deactivate', 'qal-analytics', 'leaning could not run: it needs qal-analytics'],
  [
    'one that fails again',
    'activate',
    'broken',
    'broken could not run: The &lt;i&gt;disk&lt;/i&gt; is full.',
  ],
  ['one that is on', 'uninstall', 'qal-analytics', 'turn it off first'],
  ['one that there is not', 'activate', '<b>', 'There is no extension &lt;b&gt;.'],
])('says why nothing was changed: %s', async (_what, action, name, sentence) => {
  const { status, text } = await change(action, name);
  expect(status).toBe(409);
  expect(text).toContain(sentence);
  expect((await host.request('GET', '/wp-json/qa-platform/guide', { user: 'ann' })).status).toBe(200);
});

test('uninstalling asks first, takes the switches and the record of queries, and leaves what was measured', async () => {
  const { write } = host.database;
  await write('analytics.query_record').insert({
    asked_at: new Date(),
    user_id: 1,
    login: 'root',
    version: 'any',
    body: '{}',
    milliseconds: 1,
    status: 200,
  });
  await change('deactivate', 'leaning');
  await change('deactivate', 'qal-analytics');
  const question = await page.get('/wp-admin/extensions/uninstall/qal-analytics');
  expect(question.text).toContain('this cannot be undone. What was measured stays.');
  expect(await write('analytics.feature_switch').pluck('feature')).toEqual(['join']);

  await change('uninstall', 'qal-analytics');
  expect(await write('analytics.feature_switch').pluck('feature')).toEqual([]);
  expect(await write('analytics.query_record').pluck('query_id')).toEqual([]);
  expect(await write('analytics.site').pluck('tracking_id')).toEqual(['demo']);
  expect((await page.get('/wp-admin/extensions')).text).toContain('uninstalled');
});

test('turning one off is asked about on a page of its own, and asking changes nothing', async () => {
  const address = '/wp-admin/extensions/deactivate/leaning';
  expect((await page.get('/wp-admin/extensions')).text).toContain(`href="${address}"`);
  const { status, text } = await page.get(address);
  expect(status).toBe(200);
  expect(text).toContain('<button class="danger">Deactivate leaning</button>');
  expect((await page.get('/wp-admin/system')).status).toBe(200);
  expect(await host.database.write('host.extension').where('state', 'active').pluck('name')).toContain(
    'leaning',
  );
});

test('a change that there is not is refused', async () => {
  expect((await change('remove', 'leaning')).status).toBe(404);
  expect((await page.post('/wp-admin/extensions', { action: 'deactivate', name: 'leaning' })).status).toBe(
    400,
  );
  expect((await page.get('/wp-admin/extensions/deactivate')).status).toBe(404);
  expect((await page.get('/wp-admin/extensions/deactivate/nobody')).status).toBe(404);
});

test('an analyst neither sees nor changes anything', async () => {
  const ann = await logInAs(host, 'ann');
  expect((await ann.get('/wp-admin/extensions')).status).toBe(403);
  const answer = await ann.post('/wp-admin/extensions/deactivate/leaning', {});
  expect(answer.status).toBe(403);
  expect(await host.database.write('host.extension').where('state', 'active').pluck('name')).toContain(
    'leaning',
  );
});

// The "Extensions" page over HTTP: when extensions are turned off, they lose their routes and pages. Analytics always stays on.
import { analyticsExtension } from '../../extension/index';
import type { Extension } from '../../host-shim/extension-api';
import { notesExtension } from '../support/notes-extension';
import { logInAs, type PageClient } from '../support/page-client';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';

const analytics = analyticsExtension({ ...SETTINGS, docsUrl: '' });

const bare = { version: '1.0.0', requires: { hostApi: 1 }, commands: [] } as const;
const uninstalled: string[] = [];

const installed: readonly Extension[] = [
  analytics,
  notesExtension({ uninstall: async () => void uninstalled.push('notes') }),
  {
    ...bare,
    name: 'leaning',
    description: 'Needs <b>notes</b>.',
    requires: { hostApi: 1, extensions: ['notes'] },
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
async function start(): Promise<void> {
  host = await startTestHost({
    extensions: installed,
    sites: [{ tracking_id: 'demo', domain: 'demo.example', name: 'Demo', timezone: 'UTC' }],
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ann', role: 'analyst', sites: ['demo'] },
    ],
  });
  page = await logInAs(host, 'root');
}

/** Presses the button in the list or on the confirmation page. */
const change = (action: string, name: string) =>
  action === 'activate'
    ? page.post('/wp-admin/extensions', { action, name })
    : page.post(`/wp-admin/extensions/${action}/${encodeURIComponent(name)}`, {});

describe('while every extension stays as it is', () => {
  beforeAll(start);
  afterAll(() => host.stop());

  test('lists each extension with its state and, if it failed, the reason, as text', async () => {
    const { status, text } = await page.get('/wp-admin/extensions');
    expect(status).toBe(200);
    expect(text).toContain('A read-only query service for website analytics.');
    expect(text).toContain('needed by leaning');
    expect(text).toContain('Needs &lt;b&gt;notes&lt;/b&gt;.');
    expect(text).toContain('The &lt;i&gt;disk&lt;/i&gt; is full.');
    expect(text).not.toContain('<i>disk');
  });

  describe('analytics, which the program needs', () => {
    const REFUSED = 'qal-analytics cannot be turned off: this program needs it.';
    const PLUGINS = '/wp-json/wp/v2/plugins';

    test('has no button to turn it off, and the page explains why', async () => {
      const { text } = await page.get('/wp-admin/extensions');
      expect(text).toContain('this program needs it, so it stays on');
      expect(text).toContain('/wp-admin/extensions/deactivate/notes');
      expect(text).not.toContain('/wp-admin/extensions/deactivate/qal-analytics');
    });

    test.each(['deactivate', 'uninstall'])('stays on after an attempt to %s it', async (action) => {
      const question = await page.get(`/wp-admin/extensions/${action}/qal-analytics`);
      expect([question.status, question.text.includes(REFUSED)]).toEqual([409, true]);
      const done = await change(action, 'qal-analytics');
      expect([done.status, done.text.includes(REFUSED)]).toEqual([409, true]);
      expect((await host.request('GET', '/wp-json/qa-platform/guide', { user: 'ann' })).status).toBe(200);
      expect((await page.get('/wp-admin/sites')).status).toBe(200);
    });

    test('is hidden from the plugin routes, like a must-use plugin in WordPress', async () => {
      const { body } = await host.request('GET', PLUGINS, { user: 'root' });
      expect(body.map(({ plugin }: { plugin: string }) => plugin)).toEqual(['notes', 'leaning', 'broken']);
      for (const method of ['GET', 'PUT'] as const) {
        const body = method === 'PUT' ? { body: { status: 'inactive' } } : {};
        const one = await host.request(method, `${PLUGINS}/qal-analytics`, { user: 'root', ...body });
        expect([one.status, one.body.code]).toEqual([404, 'rest_plugin_not_found']);
      }
      expect((await host.request('GET', '/wp-json/qa-platform/guide', { user: 'ann' })).status).toBe(200);
    });
  });

  test.each([
    ['an extension that others need', 'deactivate', 'notes', 'leaning could not run: it needs notes'],
    [
      'an extension that fails again',
      'activate',
      'broken',
      'broken could not run: The &lt;i&gt;disk&lt;/i&gt; is full.',
    ],
    ['an extension that is on', 'uninstall', 'notes', 'turn it off first'],
    ['an extension that does not exist', 'activate', '<b>', 'There is no extension &lt;b&gt;.'],
  ])('explains why nothing was changed: %s', async (_what, action, name, sentence) => {
    const { status, text } = await change(action, name);
    expect(status).toBe(409);
    expect(text).toContain(sentence);
    expect((await host.request('GET', '/wp-json/qa-platform/guide', { user: 'ann' })).status).toBe(200);
  });

  test('deactivation must be confirmed on a separate page, and opening that page changes nothing', async () => {
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

  test('an unknown action is rejected', async () => {
    expect((await change('remove', 'leaning')).status).toBe(404);
    expect((await page.post('/wp-admin/extensions', { action: 'deactivate', name: 'leaning' })).status).toBe(
      400,
    );
    expect((await page.get('/wp-admin/extensions/deactivate')).status).toBe(404);
    expect((await page.get('/wp-admin/extensions/deactivate/nobody')).status).toBe(404);
  });

  test('an analyst cannot see or change anything', async () => {
    const ann = await logInAs(host, 'ann');
    expect((await ann.get('/wp-admin/extensions')).status).toBe(403);
    const response = await ann.post('/wp-admin/extensions/deactivate/leaning', {});
    expect(response.status).toBe(403);
    expect(await host.database.write('host.extension').where('state', 'active').pluck('name')).toContain(
      'leaning',
    );
  });
});

describe('when extensions are turned off', () => {
  beforeEach(start);
  afterEach(() => host.stop());

  test('routes and filters disappear as soon as an extension is turned off, and return when it is turned on', async () => {
    const notes = () => host.request('GET', '/wp-json/notes/v1/all', { user: 'ann' });
    expect((await notes()).status).toBe(200);
    const { headers } = await change('deactivate', 'leaning');
    expect(headers.location).toBe('/wp-admin/extensions');
    const response = await change('deactivate', 'notes');
    expect((await page.follow(response)).text).toContain('notes is off. Its settings are kept.');
    const afterward = await notes();
    expect([afterward.status, afterward.body.code]).toEqual([404, 'rest_no_route']);
    expect((await host.request('GET', '/wp-json/')).body.namespaces).not.toContain('notes/v1');
    expect((await page.get('/wp-admin/notes')).status).toBe(404);
    expect((await page.get('/wp-admin/system')).text).not.toContain('Number of notes');

    await change('activate', 'notes');
    expect((await notes()).status).toBe(200);
    expect((await page.get('/wp-admin/system')).text).toContain('Number of notes');
  });

  test('uninstalling must be confirmed', async () => {
    uninstalled.length = 0;
    await change('deactivate', 'leaning');
    await change('deactivate', 'notes');
    const question = await page.get('/wp-admin/extensions/uninstall/notes');
    expect(question.text).toContain('this cannot be undone.');
    expect(uninstalled).toEqual([]);

    await change('uninstall', 'notes');
    expect(uninstalled).toEqual(['notes']);
    expect((await page.get('/wp-admin/extensions')).text).toContain('uninstalled');
  });
});

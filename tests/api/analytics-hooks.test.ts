// How the analytics extension responds to the host's hooks: sites, facts, and examples that work.

import { execFileSync } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { analyticsExtension } from '../../extension/index';
import { type HostUser, NO_TELEMETRY, type UsageExample } from '../../host-shim/extension-api';
import { loadExtensions } from '../../host-shim/extensions/extensions';
import { createLog } from '../../host-shim/server/logging';
import { logInAs } from '../support/page-client';
import { memoryLedger } from '../support/removal-host';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';

const settings = { ...SETTINGS, defaultVersion: 'oldest', queryTimeoutSeconds: 45, docsUrl: '' };

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    settings,
    sites: [
      { tracking_id: 'blog', domain: 'blog.example', name: 'Blog', timezone: 'Europe/Berlin' },
      { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'Asia/Tokyo', default: true },
    ],
    users: [{ login: 'ann', role: 'analyst', sites: ['blog'] }],
  });
  await host.importRows('allpv', 'blog', [
    { pv_id: 1, reader_id: 1, access_time: '2026-05-03T10:00:00Z', url: 'https://blog.example/a' },
  ]);
});
afterAll(() => host.stop());
beforeEach(() => host.database.write('analytics.feature_switch').delete());

async function hooks() {
  const extensions = await loadExtensions({
    clock: () => new Date('2026-05-04T10:00:00Z'),
    log: createLog('fatal'),
    database: host.database,
    dataDir: '',
    telemetry: NO_TELEMETRY,
    openLedger: memoryLedger,
    messages: {},
    installed: [analyticsExtension(settings)],
  });
  return extensions.current().hooks;
}

async function examples(
  login: string,
  secret: string,
  sites: HostUser['sites'] = 'all',
): Promise<readonly UsageExample[]> {
  return (await hooks()).applyFilters('application_password_examples', [], {
    login,
    secret,
    sites,
    restRoot: `${host.url}/wp-json/`,
  });
}

/** The arguments that a shell passes to curl or to claude. */
const wordsOf = (command: string): string[] =>
  execFileSync(
    'sh',
    ['-c', `curl() { for word; do printf '%s\\0' "$word"; done; }; claude() { curl "$@"; }; ${command}`],
    {
      encoding: 'utf8',
    },
  )
    .split('\0')
    .slice(0, -1);

/** Sends the request that the displayed curl command would send. */
function run(command: string) {
  const words = wordsOf(command);
  const [login = '', secret = ''] = (words[words.indexOf('-u') + 1] ?? '').split(':');
  const url = new URL(words.at(-1) ?? '');
  const data = words.indexOf('-d');
  return host.request(data < 0 ? 'GET' : 'POST', url.pathname + url.search, {
    user: { login, secret },
    ...(data >= 0 && { body: words[data + 1] ?? '' }),
  });
}

test('lists the sites, with the default one first', async () => {
  expect(await (await hooks()).applyFilters('known_sites', [], undefined)).toEqual([
    { trackingId: 'shop', name: 'Shop', domain: 'shop.example', timezone: 'Asia/Tokyo' },
    { trackingId: 'blog', name: 'Blog', domain: 'blog.example', timezone: 'Europe/Berlin' },
  ]);
});

test('the facts include the API versions, the settings, and which features are off', async () => {
  await host.database.write('analytics.feature_switch').insert({
    feature: 'join',
    enabled: false,
    changed_at: new Date(),
  });
  const sections = await (await hooks()).applyFilters('system_sections', [], undefined);
  const facts = new Map(sections.find(({ title }) => title === 'Analytics')?.lines);
  expect(facts.get('API versions')).toMatch(/^2025-10-20, .*; default: oldest$/);
  expect(facts.get('Features switched off')).toBe('join');
  expect(facts.get('Time limit for a query')).toBe('45 s');
  expect(facts.get('Limits of API version 2025-10-20')).toMatch(/at most 50,000 rows/);
});

describe('the examples for a new application password', () => {
  test('the guide command works', async () => {
    const { login, secret } = host.credentials('ann');
    const [guide] = await examples(login, secret);
    const { status, body } = await run(guide?.text ?? '');
    expect(status).toBe(200);
    expect(body.sites.map(({ tracking_id }: { tracking_id: string }) => tracking_id)).toContain('blog');
  });

  test.each([
    ['everything on', {}],
    ['no calc', { calc: false }],
    ['no sort', { sort: false }],
  ])('the query in the example returns the rows that the user may see: %s', async (_what, features) => {
    for (const [feature, enabled] of Object.entries(features))
      await host.database
        .write('analytics.feature_switch')
        .insert({ feature, enabled, changed_at: new Date() });
    const { login, secret } = host.credentials('ann');
    const query = (await examples(login, secret))[1];
    const { status, body } = await run(query?.text ?? '');
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain('https://blog.example/a');
  });

  test('the query names a single site if queries over all sites are switched off', async () => {
    await host.database.write('analytics.feature_switch').insert({
      feature: 'materials_supports_all',
      enabled: false,
      changed_at: new Date(),
    });
    const exampleQuery = async (sites: HostUser['sites']) => {
      const words = wordsOf((await examples('ann', 'secret', sites))[1]?.text ?? '');
      return JSON.parse(words[words.indexOf('-d') + 1] ?? '').qal;
    };
    expect(await exampleQuery('all')).toMatchObject({ tracking_id: 'shop', time: { tz: 'Asia/Tokyo' } });
    expect(await exampleQuery(['blog'])).toMatchObject({
      tracking_id: 'blog',
      time: { tz: 'Europe/Berlin' },
    });
    expect(await exampleQuery([])).toMatchObject({ tracking_id: 'SITE', time: { tz: 'UTC' } });
  });

  test('do not mention sites that the application password cannot see', async () => {
    const ann = await logInAs(host, 'ann');
    const { status, text } = await ann.post('/wp-admin/application-passwords', {
      action: 'create',
      name: 'report',
    });
    expect(status).toBe(200);
    expect(text).toContain('Europe/Berlin');
    expect(text).not.toContain('Asia/Tokyo');
  });

  test('the entries for MCP clients have a working URL and the password', async () => {
    const { login, secret } = host.credentials('ann');
    const shown = new Map((await examples(login, secret)).map(({ title, text }) => [title, text]));
    const entryOf = (title: string) => JSON.parse(shown.get(title) ?? '{}');
    const { url, headers } = entryOf('MCP client').mcpServers.qal;
    const { command, args, env } = entryOf('MCP client that starts programs').mcpServers.qal;
    expect(isAbsolute(command)).toBe(true);
    expect(entryOf('VS Code')).toEqual({ servers: { qal: { type: 'http', url, headers } } });
    expect(wordsOf(shown.get('Claude Code') ?? '')).toEqual([
      'mcp',
      'add',
      '--transport',
      'http',
      'qal',
      url,
      '--header',
      `Authorization: ${headers.Authorization}`,
    ]);
    const answer = await host.request('POST', new URL(url).pathname, {
      headers: { ...headers, Accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    });
    expect([answer.status, answer.body]).toEqual([200, { jsonrpc: '2.0', id: 1, result: {} }]);
    expect(args).toEqual(['mcp', '--url', url]);
    expect(env).toEqual({ QAL_USER: login, QAL_APPLICATION_PASSWORD: secret });
  });

  test('the configuration is JSON with the URLs of the guide, the query and OpenAPI', async () => {
    const text = (await examples('ann', 'abcd efgh')).at(-1)?.text ?? '';
    const { env, instructions } = JSON.parse(text);
    expect(env).toEqual({
      QAL_BASE_URL: `${host.url}/wp-json/qa-platform`,
      QAL_OPENAPI_URL: `${host.url}/wp-json/qa-platform-docs/openapi`,
      QAL_USER: 'ann',
      QAL_APPLICATION_PASSWORD: 'abcd efgh',
    });
    expect(instructions).toMatch(/First GET QAL_BASE_URL\/guide.*Then POST QAL_BASE_URL\/query/s);
    const openapi = await host.request('GET', new URL(env.QAL_OPENAPI_URL).pathname);
    expect(openapi.status).toBe(200);
  });

  test('user input cannot break out of the shell quotes', async () => {
    const words = wordsOf((await examples("o'neil", 'x'))[0]?.text ?? '');
    expect(words[words.indexOf('-u') + 1]).toBe("o'neil:x");
  });
});

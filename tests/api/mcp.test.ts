// MCP as the SDK's client sees it: over HTTP, through a relay, and from the standalone program.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ProgressNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { setSwitch } from '../../extension/api/features/feature-switches';
import { relayOnStdio } from '../../extension/api/mcp/relay';
import { removeGoal, saveGoal } from '../../extension/data/storage/goals/save-goal';
import { RUN_TYPESCRIPT } from '../support/program-process';
import { runCommand } from '../support/run-command';
import { basicHeader, type Credentials, type TestHost } from '../support/test-host';
import { until } from '../support/until';
import { ROWS, startContractHost, whileLocked } from './contracts/contract-host';
import { connectMcp, connectOverHttp } from './mcp-client';

const PROGRAM = join(__dirname, '../../host-shim/cli/qal.ts');
const MCP = '/wp-json/qa-platform/mcp';

let host: TestHost;
const clients: Client[] = [];
beforeAll(async () => {
  host = await startContractHost();
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await host.stop();
});

const anyNote = { message: expect.any(String), hint: expect.any(String) };

const overHttp = (login: string) => connectOverHttp(host, login, clients);

const overProgram = (args: readonly string[], env: Record<string, string>) =>
  connectMcp(
    new StdioClientTransport({
      command: process.execPath,
      args: [RUN_TYPESCRIPT, PROGRAM, 'mcp', ...args],
      env,
    }),
    clients,
  );

const named = ({ login, secret }: Credentials) => ({ QAL_USER: login, QAL_APPLICATION_PASSWORD: secret });

/** Sends a message without the SDK's client. */
const post = (body: unknown, headers: Record<string, string> = {}) =>
  host.request('POST', MCP, {
    user: host.credentials('ann'),
    headers: { Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });

const TOOLS = ['qa_get_guide', 'qa_describe_dataset', 'qa_check_query', 'qa_execute_query'];

describe.each([
  ['over HTTP', false, () => overHttp('bob')],
  [
    'through a relay',
    false,
    () => overProgram(['--url', `${host.url}${MCP}`], named(host.credentials('bob'))),
  ],
  [
    'from the standalone program',
    true,
    () => overProgram([], { DATABASE_URL: host.database.url, QAL_COLUMNS: 'off' }),
  ],
] as const)('%s', (_way, pushes, open) => {
  let opened: Awaited<ReturnType<typeof connectMcp>>;
  beforeAll(async () => {
    opened = await open();
  });

  // conformance: beyond.mcp
  test('there are four tools, all of them read-only', () => {
    const { tools, client } = opened;
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { annotations, inputSchema, description } of tools) {
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      expect(inputSchema.type).toBe('object');
      expect(description).not.toBe('');
    }
    expect(client.getServerVersion()?.name).toBe('qal-analytics');
    expect(client.getInstructions()).toContain('qa_get_guide');
  });

  test('a query returns its rows as text and as data', async () => {
    const { text, data, isError } = await opened.call('qa_execute_query', { query: ROWS });
    expect(isError).toBe(false);
    expect(data).toMatchObject({ view: 'rows', columns: ['pv_id', 'url'], truncated: true });
    expect(z.object({ rows: z.array(z.array(z.unknown())) }).parse(data).rows).toHaveLength(2);
    expect(text).toMatch(/^2 rows of rows, cut off at the limit of 2: there are .*\npv_id,url\n1,\/\n/);
    const one = { ...ROWS, result: { use: 'rows', limit: 1 } };
    expect((await opened.call('qa_execute_query', { query: one })).text).toMatch(/^1 row of rows, cut off/);
  });

  test('progress is reported on request where the server can push messages', async () => {
    const { client } = opened;
    const received: unknown[] = [];
    // With `onprogress`, the SDK's client drops progress that arrives together with the result.
    client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
      received.push(params);
    });
    const _meta = { progressToken: 'for this call' };
    await client.callTool({ name: 'qa_execute_query', arguments: { query: ROWS }, _meta });
    const steps = [{ ..._meta, progress: 0, total: 1, message: 'Running the query.' }];
    expect(received).toEqual(pushes ? steps : []);
  });

  test('a query passed in the wrong argument gets an error that names the right one', async () => {
    const { text, isError } = await opened.call('qa_execute_query', { qal: ROWS });
    expect(isError).toBe(true);
    expect(text).toContain('The argument "query" takes the whole query');
  });

  // conformance: beyond.mcp
  test('an error is returned as a result that contains the corrected query', async () => {
    const wrong = { ...ROWS, make: { rows: { from: 'allpv', keep: ['allpv.url'] } } };
    const { text, isError } = await opened.call('qa_execute_query', { query: wrong });
    expect(isError).toBe(true);
    expect(text).toContain('E_INVALID_FROM at make.rows.from');
    expect(text).toContain('"from":["allpv"]');
  });
});

describe('the tools', () => {
  let bob: Awaited<ReturnType<typeof connectMcp>>;
  beforeAll(async () => {
    bob = await overHttp('bob');
  });

  test('qa_get_guide returns the compact guide for the caller, and parts on demand', async () => {
    const compact = await bob.call('qa_get_guide');
    expect(compact.text).toContain('# How to query this server');
    expect(compact.text).toContain('- `shop`');
    expect(compact.text).not.toContain('- `blog`');
    const parts = await bob.call('qa_get_guide', { parts: ['examples', 'sites'] });
    expect(parts.text).toContain('# Worked examples');
    expect(parts.text).toContain('"tracking_id":"shop"');
    expect((await bob.call('qa_get_guide', { parts: ['nothing'] })).isError).toBe(true);
  });

  // conformance: beyond.mcp
  test('qa_describe_dataset returns columns, with samples and row counts from visible sites only', async () => {
    const { data, text } = await bob.call('qa_describe_dataset', { dataset: 'allpv' });
    expect(data).toMatchObject({ dataset: 'allpv', row: 'one page view', sampled_from: 'shop' });
    expect(data?.sites).toEqual([
      { tracking_id: 'shop', rows: expect.any(Number), first_day: '2026-05-01', last_day: '2026-06-01' },
    ]);
    expect(data?.columns).toContainEqual({
      name: 'url',
      type: 'text',
      nullable: false,
      about: 'URL of the page.',
      samples: ['/'],
    });
    expect(text).toContain('- url (text): URL of the page. ["/"]');
    // The site has goals 1 to 6.
    expect(text.match(/is_goal_\d+/g)?.length).toBe(6);
  });

  test.each([
    ['goal_1', 'one visit that converted on goal 1, at its first view that triggers the goal'],
    ['events.purchase', 'one push of that event'],
    ['summary_allpage', 'one page, device class and source over the queried period'],
    ['gsc', 'one page, keyword and search type on one day'],
    ['page_version', 'one version of a page for one device class'],
  ])('qa_describe_dataset describes %s', async (dataset, row) => {
    const { data, isError } = await bob.call('qa_describe_dataset', { dataset });
    expect([isError, data?.row]).toEqual([false, row]);
  });

  test.each([
    ['allpvs', {}, 'E_UNKNOWN_MATERIAL at dataset'],
    ['purchase', {}, 'Did you mean "events.purchase"?'],
    ['gsc', { tracking_id: 'all' }, 'The material "gsc" needs one site'],
    ['allpv', { tracking_id: 'blog' }, 'E_UNKNOWN_TRACKING_ID at tracking_id'],
  ])('qa_describe_dataset rejects %s %j', async (dataset, more, error) => {
    const { text, isError } = await bob.call('qa_describe_dataset', { dataset, ...more });
    expect(isError).toBe(true);
    expect(text).toContain(error);
    expect(text).not.toContain('blog.example');
  });

  // conformance: response.notes
  test('notes come before the table, and a check includes them', async () => {
    const query = { ...ROWS, make: { rows: { ...ROWS.make.rows, filter: { country_code: 'jp' } } } };
    const note =
      'Note at make.rows.filter.country_code: country_code contains two capital letters (ISO 3166-1 alpha-2), so no row has "jp". Write "JP".';
    const answer = await bob.call('qa_execute_query', { query });
    expect(answer.text).toMatch(/^Note at .* Write "JP"\.\n0 rows of rows/);
    expect(answer.text).toContain(note);
    expect(answer.data?.notes).toEqual([{ at: 'make.rows.filter.country_code', ...anyNote }]);
    const check = await bob.call('qa_check_query', { query });
    expect(check.text).toContain(note);
    expect(check.data?.notes).toEqual(answer.data?.notes);
  });

  test('qa_describe_dataset takes samples from a site without the goals of another site', async () => {
    const ann = await overHttp('ann');
    const goal = { id: 10, name: 'Of one site', type: 'url_match', condition: '/' };
    expect(await saveGoal(host.database.write, 'blog', goal, 'add')).toEqual([]);
    const { data, text } = await ann.call('qa_describe_dataset', { dataset: 'allpv', tracking_id: 'all' });
    await removeGoal(host.database.write, 'blog', goal.id);
    expect(data).toMatchObject({ sampled_from: 'shop' });
    expect(text).toContain('- url (text): URL of the page. ["/"]');
    expect(text).toMatch(/^- is_goal_10 .* \[\]$/m);
  });

  // In UTC, these bounds would be in the years -1 and 10000.
  test.each([
    ['0000-01-01T00:00:00', '2026-06-01T00:00:00', 'Asia/Tokyo', '0000-01-01T00:00:00.000Z', 'start'],
    ['2026-05-01T00:00:00', '9999-12-31T23:59:59', 'America/New_York', '9999-12-31T23:59:59.000Z', 'end'],
  ])('qa_check_query checks a query from %s to %s in %s', async (start, end, tz, instant, bound) => {
    const { data, isError } = await bob.call('qa_check_query', {
      query: { ...ROWS, time: { start, end, tz } },
    });
    expect(isError).toBe(false);
    expect(data).toMatchObject({ valid: true, bounds: { tz, [bound]: instant } });
  });

  test('qa_check_query reports all errors at once without running the query', async () => {
    const wrong = { ...ROWS, make: { rows: { from: 'allpv', keep: ['allpv.nothing', 'allpv.never'] } } };
    const { data, text, isError } = await bob.call('qa_check_query', { query: JSON.stringify(wrong) });
    expect(isError).toBe(false);
    expect(data).toMatchObject({ valid: false, faults: [{ code: 'E_INVALID_FROM' }, {}, {}] });
    expect(text).toContain('E_UNKNOWN_COLUMN at make.rows.keep[1]');
    const right = await bob.call('qa_check_query', { query: ROWS });
    expect(right.data).toMatchObject({
      valid: true,
      bounds: { tz: 'Asia/Tokyo' },
      reads: [{ material: 'allpv' }],
    });
    expect(right.text).toContain('The query is valid. It reads 2026-04-30T15:00:00.000Z to');
  });

  test('a count is returned without rows', async () => {
    const { data, text } = await bob.call('qa_execute_query', {
      query: { ...ROWS, result: { use: 'rows', count_only: true } },
    });
    expect(data).toEqual({ view: 'rows', count: expect.any(Number), cached: expect.any(Boolean) });
    expect(text).toMatch(/^rows has \d+ rows\.$/);
  });

  test('a page of rows contains the fields needed to request the next page', async () => {
    const page = (offset: number, data_version?: string) =>
      bob.call('qa_execute_query', {
        query: { ...ROWS, result: { use: 'rows', limit: 1, offset, ...(data_version && { data_version }) } },
      });
    const first = await page(0);
    const { data_version } = z.object({ data_version: z.string() }).parse(first.data);
    expect(first.text).toContain(` after row 0, data version ${data_version}, cut off at the limit`);
    expect((await page(1, data_version)).data).toMatchObject({ offset: 1, data_version });
    expect((await page(1, 'older')).text).toContain('E_DATA_CHANGED at result.data_version');
  });

  // conformance: beyond.mcp
  test('null is null in the table, and the text "null" is quoted', async () => {
    const { write } = host.database;
    const query = { ...ROWS, make: { rows: { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.title'] } } };
    await write.raw(`UPDATE analytics.page SET title = 'null' WHERE site_id = 1 AND url = '/'`);
    const { text, data } = await bob.call('qa_execute_query', {
      query: { ...query, result: { use: 'rows' } },
    });
    expect(data?.rows).toContainEqual([1, 'null']);
    expect(text).toContain('\n1,"null"\n');
    expect(text).toMatch(/\n\d+,null(\n|$)/);
    expect(text).not.toMatch(/,(\n|$)/);
  });

  // conformance: beyond.mcp
  test('the tools reflect the feature switches immediately', async () => {
    const { write } = host.database;
    const off = { enabled: false, changedAt: new Date(0) };
    await Promise.all(
      ['guide_parts', 'query_check', 'filter'].map((feature) => setSwitch(write, { ...off, feature })),
    );
    const filtered = { ...ROWS, make: { rows: { ...ROWS.make.rows, filter: { pv: 1 } } } };
    const answers = [
      await bob.call('qa_get_guide'),
      await bob.call('qa_check_query', { query: ROWS }),
      await bob.call('qa_execute_query', { query: filtered }),
    ];
    await write('analytics.feature_switch').delete();
    for (const { isError, text } of answers)
      expect([isError, text]).toEqual([true, expect.stringContaining('E_FEATURE_DISABLED')]);
  });

  // conformance: beyond.mcp
  test('a query is recorded as it would be over REST, with its application password', async () => {
    const marked = { ...ROWS, make: { by_mcp: ROWS.make.rows }, result: { use: 'by_mcp' } };
    await bob.call('qa_execute_query', { query: marked });
    await host.rest.settle();
    const records = await host.database.write('analytics.query_record').where({ view: 'by_mcp' });
    expect(records).toMatchObject([
      { login: 'bob', status: 200, row_count: 6, key_name: expect.any(String) },
    ]);
  });

  // conformance: beyond.mcp
  test('a canceled call is canceled in the database', async () => {
    const { write } = host.database;
    const cancel = new AbortController();
    const outcome = whileLocked(write, async () => {
      const fresh = { ...ROWS, result: { use: 'rows', limit: 3 } };
      const waiting = bob.call('qa_execute_query', { query: fresh }, { signal: cancel.signal });
      const refused = waiting.catch((error: unknown) => error);
      await until(async () => (await waitingQueries()) > 0);
      cancel.abort('enough');
      await until(async () => (await waitingQueries()) === 0);
      return refused;
    });
    expect(await outcome).toBeInstanceOf(Error);
  });
});

describe('over HTTP', () => {
  // conformance: beyond.mcp
  test('a message from a web page is rejected', async () => {
    const { status, body } = await post(
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { Origin: host.url },
    );
    expect([status, body]).toMatchObject([403, { jsonrpc: '2.0', error: { code: -32000 }, id: null }]);
  });

  test.each([
    ['several messages at once', [{ jsonrpc: '2.0', id: 1, method: 'ping' }], -32600],
    ['values that are not messages', { hello: 'world' }, -32700],
  ])('%s are rejected', async (_what, message, code) => {
    const { status, body } = await post(message);
    expect([status, body.error.code]).toEqual([400, code]);
  });

  test.each(['GET', 'DELETE'] as const)(
    '%s is rejected, because the server pushes nothing and keeps no sessions',
    async (method) => {
      const { status, headers } = await host.request(method, MCP, { user: host.credentials('ann') });
      expect([status, headers.allow]).toEqual([405, 'POST']);
    },
  );

  test('anonymous callers are rejected', async () => {
    const { status, headers } = await host.request('POST', MCP, {
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    });
    expect([status, headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Basic /)]);
  });

  test('a notification gets an empty response without rate limit headers', async () => {
    const { status, text, headers } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([status, text]).toEqual([202, '']);
    expect(headers).not.toHaveProperty('x-ratelimit-limit');
  });
});

test.each([
  ['a wrong password', () => host.url, 'refuses this user and application password.'],
  ['an address without a server', () => 'http://127.0.0.1:1', 'cannot be reached.'],
  ['the address of a different service', () => `${host.url}/nothing`, 'answered with status 404.'],
])('the relay reports %s in one sentence', async (_what, origin, words) => {
  const stdin = new PassThrough();
  const out: string[] = [];
  const url = new URL(`${origin()}${MCP}`);
  const relayed = relayOnStdio(url, basicHeader({ login: 'bob', secret: 'wrong' }), {
    stdin,
    signal: new AbortController().signal,
    out: (text) => void out.push(text),
  });
  stdin.end(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })}\n`);
  await relayed;
  const error = { code: -32_000, message: `${url.origin} ${words}` };
  expect(out.map((line) => JSON.parse(line))).toEqual([{ jsonrpc: '2.0', id: 7, error }]);
});

test('the program exits when a line on standard input is too long', async () => {
  const stdin = new PassThrough();
  const relayed = relayOnStdio(new URL(`${host.url}${MCP}`), 'Basic x', {
    stdin,
    signal: new AbortController().signal,
    out: () => undefined,
  });
  stdin.write('x'.repeat(2 ** 20 + 1));
  await expect(relayed).rejects.toThrow('A line on standard input is longer than 1048576 bytes.');
});

// attack: server-behind-qal-mcp
test('the relay returns exactly one response to each request, no matter what the server sends', async () => {
  const page = `<html>${'secret '.repeat(10_000)}</html>`;
  const serverRequest = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: { messages: [] } };
  const pong = (id: number) => ({ jsonrpc: '2.0', id, result: {} });
  const tooMuch = ' '.repeat(2 ** 20);
  const [OTHER, LARGE] = ['answered with something other than MCP.', 'answered with more than 128 MB.'];
  const cases: readonly (readonly [
    status: number,
    type: string,
    texts: readonly string[],
    words?: string,
  ])[] = [
    [502, 'text/html', [page], 'answered with status 502.'],
    [302, 'text/html', [page], 'answered with status 302.'],
    [200, 'text/html', [page], OTHER],
    [200, 'application/json', [JSON.stringify(serverRequest)], OTHER],
    [200, 'application/json', [JSON.stringify([serverRequest, pong(4)])], OTHER],
    [200, 'application/json', [JSON.stringify(pong(99))], OTHER],
    [200, 'application/json', ['{"jsonrpc":'], OTHER],
    [200, 'text/event-stream', [`data: ${JSON.stringify(serverRequest)}\n\n`], OTHER],
    [202, 'application/json', [], OTHER],
    [200, 'application/json', new Array(130).fill(tooMuch), LARGE],
    [200, 'application/json', [JSON.stringify(pong(10))]],
  ];
  const idSchema = z.object({ id: z.number() });
  const other = createServer(async (request, response) => {
    const [status, type, texts] = cases[idSchema.parse(await json(request)).id] ?? [404, '', []];
    response.writeHead(status, { 'Content-Type': type });
    // Some of the clients disconnect early.
    await pipeline(Readable.from(texts), response).catch(() => undefined);
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const stdin = new PassThrough();
  const out: string[] = [];
  const relayed = relayOnStdio(new URL(`http://127.0.0.1:${port}/`), 'Basic x', {
    stdin,
    signal: new AbortController().signal,
    out: (text) => void out.push(text),
  });
  for (const id of cases.keys()) stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`);
  stdin.end();
  await relayed;
  other.close();
  other.closeAllConnections();
  const expected = cases.map(([, , , words], id) =>
    words === undefined
      ? pong(id)
      : {
          jsonrpc: '2.0',
          id,
          error: { code: -32_000, message: `http://127.0.0.1:${port} ${words}` },
        },
  );
  expect(out.map((line) => JSON.parse(line)).sort((one, two) => one.id - two.id)).toEqual(expected);
});

test.each([
  ['a login in its address', 'http://ann:pass-word@127.0.0.1:1/', '--url must not contain a login'],
  [
    'a different scheme',
    'htp://ann:pass-word@127.0.0.1:1/',
    '--url must be an address that begins with http:// or https://.',
  ],
  // attack: password-url-qal-mcp
])('the relay rejects %s, and does not repeat it', async (_what, url, words) => {
  const { code, err, out } = await runCommand({ database: { ...host.database, readerRole: '' } }, [
    'mcp',
    '--url',
    url,
  ]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(words);
  expect(err).not.toContain('pass-word');
});

test('calls with the same id are canceled together, even after another message with that id was answered', async () => {
  const { write } = host.database;
  const session = { 'Mcp-Session-Id': 'two' };
  const query = (limit: number) => ({
    jsonrpc: '2.0',
    id: 5,
    method: 'tools/call',
    params: { name: 'qa_execute_query', arguments: { query: { ...ROWS, result: { use: 'rows', limit } } } },
  });
  await whileLocked(write, async () => {
    const waiting = [post(query(11), session), post(query(12), session)];
    await until(async () => (await waitingQueries()) === 2);
    await post({ jsonrpc: '2.0', id: 5, method: 'ping' }, session);
    await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } }, session);
    await until(async () => (await waitingQueries()) === 0);
    await Promise.all(waiting);
  });
});

async function waitingQueries(): Promise<number> {
  const rows = await host.database.write
    .from('pg_stat_activity')
    .whereRaw("datname = current_database() and wait_event_type = 'Lock' and query like '%page_view%'");
  return rows.length;
}

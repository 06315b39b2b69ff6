// While the database is down, every response reports the outage in the format of its interface and does not blame the client. The
// host recovers without a restart.
import { createTestDatabase } from '../support/database';
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy';
import { logInAs, type PageClient } from '../support/page-client';
import { startOn, type TestHost } from '../support/test-host';

let proxy: DatabaseProxy;
let host: TestHost;
let page: PageClient;

beforeAll(async () => {
  proxy = await openDatabaseProxy();
  host = await startOn(await createTestDatabase(undefined, proxy), {
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  page = await logInAs(host, 'ann');
});
afterAll(async () => {
  await host.stop();
  await proxy.close();
});
afterEach(() => proxy.recover());

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
  result: { use: 'v' },
};
const ask = (method: 'GET' | 'POST', path: string, body?: object) =>
  host.request(method, `/wp-json${path}`, { user: 'ann', ...(body && { body }) });

const OUTAGE = {
  code: 'E_UNAVAILABLE',
  message: 'The database is not responding; the request is not the cause.',
};
const HINT = 'Send the same request again in 5 seconds.';

test.each([
  ['POST', '/qa-platform/query?version=2026-05-11', QUERY],
  ['GET', '/qa-platform/guide?version=2026-05-11', undefined],
] as const)("%s %s reports the outage in the newest contract's format", async (method, path, body) => {
  proxy.refuse();
  const answer = await ask(method, path, body);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
  expect(answer.body).toEqual({
    ok: false,
    error: { ...OUTAGE, hint: HINT, details: { retry_after_seconds: 5 } },
  });
});

test.each([
  ['POST', '/qa-platform/query?version=2025-10-20', QUERY],
  ['GET', '/qa-platform/guide?version=2025-10-20', undefined],
] as const)("%s %s reports the outage in the initial contract's format", async (method, path, body) => {
  proxy.refuse();
  const answer = await ask(method, path, body);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
  expect(answer.body).toEqual({ ...OUTAGE, data: { status: 503, hint: HINT, retry_after_seconds: 5 } });
});

// conformance: code.e-unavailable-503
test.each(['qa_execute_query', 'qa_check_query', 'qa_get_guide', 'qa_describe_dataset'])(
  'the %s tool reports that the database became unreachable after authentication',
  async (name) => {
    const user = await host.createUser({ login: name, role: 'administrator' });
    const params = { name, arguments: { query: QUERY, dataset: 'allpv' } };
    proxy.refuse();
    const { status, body } = await host.rest.dispatch({
      method: 'POST',
      address: '/qa-platform/mcp',
      user,
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    expect([status, body]).toEqual([
      200,
      {
        jsonrpc: '2.0',
        id: 1,
        result: { isError: true, content: [{ type: 'text', text: expect.stringContaining(OUTAGE.message) }] },
      },
    ]);
    expect(JSON.stringify(body)).toContain('E_UNAVAILABLE: ');
    expect(JSON.stringify(body)).toContain(HINT);
    expect(host.logged).toContainEqual(
      expect.objectContaining({ msg: 'The database was unavailable during a tool call.' }),
    );
  },
);

test("the host's routes report the outage in their own format", async () => {
  proxy.refuse();
  const answer = await ask('GET', '/wp/v2/users/me');
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
  expect(answer.body).toMatchObject({ code: 'rest_unavailable', data: { status: 503 } });
});

test.each([
  ['GET', '/wp-admin/profile', undefined],
  ['POST', '/wp-login.php', 'log=ann&pwd=x'],
] as const)('%s %s reports the outage as a page', async (method, path, form) => {
  proxy.refuse();
  const answer = await host.request(method, path, {
    headers: { Cookie: page.cookie, 'Content-Type': 'application/x-www-form-urlencoded' },
    ...(form && { body: form }),
  });
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
  expect(answer.headers['content-type']).toMatch(/^text\/html/);
  expect(answer.text).toContain('The database is unavailable at the moment.');
});

test('a database that accepts connections but never responds is treated as down until it responds again', async () => {
  proxy.fallSilent();
  const answers = await Promise.all([
    ask('POST', '/qa-platform/query', QUERY),
    ask('GET', '/qa-platform/guide'),
    host.request('GET', '/readyz'),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503]);
  proxy.recover();
  expect((await ask('POST', '/qa-platform/query', QUERY)).status).toBe(200);
});

// conformance: code.e-unavailable-503
test('an outage is logged as a warning, and the host recovers without a restart', async () => {
  proxy.refuse();
  expect((await ask('POST', '/qa-platform/query', QUERY)).status).toBe(503);
  expect((await host.request('GET', '/readyz')).status).toBe(503);
  expect((await host.request('GET', '/healthz')).status).toBe(200);
  proxy.recover();
  expect((await ask('POST', '/qa-platform/query', QUERY)).status).toBe(200);
  expect((await host.request('GET', '/readyz')).status).toBe(200);
  expect(host.logged).toContainEqual(
    expect.objectContaining({ msg: 'The database did not respond during a request.' }),
  );
});

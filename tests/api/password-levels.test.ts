// Which routes an administrator's application password may call, by its level.
import type { KeyLevel } from '../../host-shim/extension-api';
import { type Credentials, startTestHost, type TestHost } from '../support/test-host';

let host: TestHost;
let keys: Readonly<Record<KeyLevel, Credentials>>;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [
      { login: 'root', role: 'administrator' },
      { login: 'ann', role: 'analyst', sites: ['shop'] },
    ],
  });
  const key = (level: KeyLevel) => host.createApplicationPassword('root', level, { level });
  keys = {
    read: await key('read'),
    import: await key('import'),
    manage: await key('manage'),
    all: await key('all'),
  };
});
afterAll(() => host.stop());

const ROW = '{"url": "https://shop.example/", "access_time": "2026-05-01T10:00:00Z"}\n';
const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
  result: { use: 'v' },
};
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
/** MCP requires both content types. */
const HEADERS = { Accept: 'application/json, text/event-stream' };
const ME = '/wp/v2/users/me';

type Statuses = readonly [read: number, imports: number, manage: number, all: number];

test.each<[string, 'DELETE' | 'GET' | 'POST', string, object | string | undefined, Statuses]>([
  ['guide', 'GET', '/qa-platform/guide?parts=sites', undefined, [200, 200, 200, 200]],
  ['query', 'POST', '/qa-platform/query', QUERY, [200, 200, 200, 200]],
  ['MCP', 'POST', '/qa-platform/mcp', INITIALIZE, [200, 200, 200, 200]],
  ["the owner's account", 'GET', ME, undefined, [200, 200, 200, 200]],
  ['import', 'POST', '/qal-data/v1/import/allpv?site=shop', ROW, [403, 200, 403, 200]],
  ['list of imports', 'GET', '/qal-data/v1/imports', undefined, [403, 200, 403, 200]],
  ['all accounts', 'GET', '/wp/v2/users', undefined, [403, 403, 200, 200]],
  ['extensions', 'GET', '/wp/v2/plugins', undefined, [403, 403, 200, 200]],
  ['a new password', 'POST', `${ME}/application-passwords`, { name: 'new' }, [403, 403, 201, 201]],
  [
    "another user's passwords",
    'GET',
    '/wp/v2/users/2/application-passwords',
    undefined,
    [403, 403, 200, 200],
  ],
  [
    'a new password for another user',
    'POST',
    '/wp/v2/users/2/application-passwords',
    { name: 'new' },
    [403, 403, 201, 201],
  ],
  [
    "revoking another user's passwords",
    'DELETE',
    '/wp/v2/users/2/application-passwords',
    undefined,
    [403, 403, 200, 200],
  ],
])('%s', async (_what, method, path, body, statuses) => {
  const found: number[] = [];
  for (const user of [keys.read, keys.import, keys.manage, keys.all])
    found.push(
      (
        await host.request(method, `/wp-json${path}`, {
          user,
          headers: HEADERS,
          ...(body !== undefined && { body }),
        })
      ).status,
    );
  expect(found).toEqual(statuses);
});

test.each(['read', 'import', 'manage', 'all'] as const)('%s cannot open any page', async (level) => {
  const { status } = await host.request('GET', '/wp-admin/users', { user: keys[level] });
  expect(status).toBe(303);
});

// Calls every route, page and command of the extension once; none may fail. Other tests check what they answer;
// this one also runs on a Citus cluster (`make test-citus`), which rejects statements that a single PostgreSQL
// runs.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyticsCommands } from '../../extension/commands/commands';
import { logInAs, type PageClient } from '../support/page-client';
import { runCommand } from '../support/run-command';
import { SETTINGS, startTestHost, type TestHost } from '../support/test-host';

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Europe/Berlin' },
  make: {
    pages: { from: ['allpv'], keep: ['allpv.url', 'allpv.browser'], calc: { views: 'COUNT(allpv.pv_id)' } },
  },
  result: { use: 'pages' },
};
const GOALS = {
  ...QUERY,
  materials: [{ name: 'goal_1' }],
  make: { pages: { from: ['goal_1'], keep: ['goal_1.url'] } },
};
const RANGE = {
  site: 'shop',
  period: 'custom',
  from: '2026-05-01',
  to: '2026-05-31',
  compare: 'before',
  filters: [],
};
const GOAL_FORM = { id: '2', name: 'Cart', type: 'gtype_page', page_match: 'prefix', page_url: '/cart' };
const ROW =
  '{"pv_id":99,"access_time":"2026-05-09T10:00:00Z","url":"https://shop.example/late","user_agent":"Opera"}\n';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'sweep', version: '1' } },
};

const FUNNEL = {
  name: 'Cart',
  kind_1: 'page prefix',
  value_1: '/tea',
  kind_2: 'page contains',
  value_2: 'cart',
};

type Method = 'GET' | 'POST' | 'DELETE';
type Asked = readonly [method: Method, path: string, body?: object | string | undefined, status?: number];

/** In this order. `{name}` in a path is the id of what an earlier request created. */
const ROUTES: readonly Asked[] = [
  ['GET', '/qa-platform'],
  ['GET', '/qa-platform/guide'],
  ['GET', '/qa-platform/guide?version=2025-10-20'],
  ['POST', '/qa-platform/query', QUERY],
  ['POST', '/qa-platform/query', { ...QUERY, tracking_id: 'all' }],
  ['POST', '/qa-platform/query', GOALS],
  ['POST', '/qa-platform/query?check=1', QUERY],
  ['POST', '/qa-platform/query?format=csv', QUERY],
  ['POST', '/qa-platform/query?format=ndjson', QUERY],
  ['POST', '/qa-platform/query?format=parquet', QUERY],
  ['POST', '/qa-platform/mcp', INITIALIZE],
  ['GET', '/qa-platform/mcp', undefined, 405],
  ['DELETE', '/qa-platform/mcp', undefined, 405],
  ['GET', '/qa-platform-docs'],
  ['GET', '/qa-platform-docs/query-schema'],
  ['GET', '/qa-platform-docs/openapi'],
  ['GET', '/qal-data/v1'],
  ['POST', '/qal-data/v1/import/allpv?site=shop&dry_run=1', ROW],
  ['POST', '/qal-data/v1/import/allpv?site=shop', ROW],
  ['GET', '/qal-data/v1/imports'],
  ['GET', '/qal-data/v1/imports/{import}'],
  ['POST', '/qal-data/v1/imports/{import}/undo'],
  ['GET', '/qal-data/v1/openapi'],
  ['GET', '/qa-platform-pages'],
  ['GET', '/qa-platform-pages/catalogue?tracking_id=shop'],
  [
    'POST',
    '/qa-platform-pages/dashboard',
    { ...RANGE, parts: [{ id: 'totals' }, { id: 'page' }, { id: 'goals' }] },
  ],
  ['POST', '/qa-platform-pages/funnels', { ...RANGE, compare: 'none', parts: [{ id: 'funnel 1' }] }],
  [
    'POST',
    '/qa-platform-pages/retention',
    { ...RANGE, compare: 'none', parts: [{ id: 'cohorts' }, { id: 'recognized' }] },
  ],
  ['POST', '/qa-platform-pages/check', QUERY],
  ['POST', '/qa-platform-pages/explain', QUERY],
  ['GET', '/qa-platform-pages/query-record?id=1'],
  [
    'POST',
    '/qa-platform-pages/goal-count',
    { tracking_id: 'shop', fields: { ...GOAL_FORM, action: 'count' } },
  ],
  ['GET', '/qa-platform-pages/row-counts?tracking_id=shop'],
  [
    'POST',
    '/qa-platform-pages/import-columns',
    { site: 'shop', dataset: 'allpv', file: 'a.ndjson', start: ROW, isWhole: true },
  ],
  ['GET', '/qa-platform-pages/saved-queries'],
  [
    'POST',
    '/qa-platform-pages/saved-queries',
    { name: 'One', text: '{}', version: '2026-05-11', shared: false },
  ],
  ['GET', '/qa-platform-pages/saved-queries/{saved-queries}'],
  ['POST', '/qa-platform-pages/saved-queries/{saved-queries}', { name: 'Two', revision: 1 }],
  ['DELETE', '/qa-platform-pages/saved-queries/{saved-queries}?revision=2'],
  ['GET', '/qa-platform-pages/segments?tracking_id=shop'],
  [
    'POST',
    '/qa-platform-pages/segments',
    {
      tracking_id: 'shop',
      name: 'One',
      shared: true,
      filters: [{ dimension: 'country', not: false, values: ['DE'] }],
    },
  ],
  ['POST', '/qa-platform-pages/segments/{segments}', { name: 'Two', revision: 1 }],
  ['DELETE', '/qa-platform-pages/segments/{segments}?revision=2'],
  ['POST', '/qa-platform-pages/geoip', {}, 422],
];

/** Pages to open, and forms to send, below /wp-admin. */
const PAGES: readonly (readonly [
  path: string,
  fields?: Readonly<Record<string, string>>,
  status?: number,
])[] = [
  ['dashboard?site=shop&period=custom&from=2026-05-01&to=2026-05-31'],
  ['funnels?site=shop'],
  ['funnels/shop/add'],
  ['funnels/shop/add', { ...FUNNEL, name: 'Second' }, 303],
  ['funnels/shop/1'],
  ['funnels/shop/1/delete'],
  ['retention?site=shop'],
  ['playground'],
  ['queries'],
  ['sites'],
  ['sites/add'],
  ['sites/add', { tracking_id: 'third', domain: 'third.example', name: 'Third', timezone: 'UTC' }, 303],
  ['sites/edit/third'],
  ['sites/rows/shop'],
  ['sites/visitor/shop'],
  ['sites/remove/shop'],
  ['sites/remove/third', { what: 'site' }, 303],
  ['sites/removed'],
  ['storage'],
  ['goals/shop'],
  ['goals/shop/add'],
  ['goals/shop/add', { ...GOAL_FORM, action: 'save' }, 303],
  ['goals/shop/2'],
  ['goals/shop/2/remove', {}, 303],
  ['imports'],
  ['imports/1'],
  ['imports/3/undo'],
  ['imports/upload'],
  ['imports/geoip'],
  ['features'],
  ['health'],
  ['system'],
];

const SITES = `sites:
  - { tracking_id: blog, domain: blog.example, name: Weblog, timezone: UTC }
  - { tracking_id: fourth, domain: fourth.example, name: Fourth, timezone: UTC }
`;

/** The arguments of each command, and what it reads from standard input. */
const COMMANDS: Readonly<Record<string, readonly [args: readonly string[], input?: string, code?: number]>> =
  {
    query: [['-'], JSON.stringify(QUERY)],
    explain: [['-', '--analyze'], JSON.stringify(QUERY)],
    import: [['allpv', '--site', 'shop', '-'], ROW],
    'imports list': [[]],
    'imports show': [['1']],
    'imports undo': [['3', '--yes']],
    'imports gaps': [[]],
    'imports close-gap': [['1'], '', 1],
    export: [['FOLDER/export', '--site', 'blog']],
    'sites apply': [['-'], SITES],
    'sites list': [[]],
    'sites remove': [['fourth', '--yes']],
    'data delete': [['--site', 'blog', '--from', '2026-05-03', '--to', '2026-05-03', '--yes']],
    'visitors export': [['--site', 'shop', '--reader-id', '1']],
    'visitors erase': [['--site', 'shop', '--reader-id', '1', '--yes']],
    audit: [[]],
    'features list': [[]],
    'features set': [['join', 'on']],
    'columns status': [[], '', 1],
    'columns rebuild': [[]],
    'columns drop': [[]],
    'database distribute': [['--check']],
    demo: [['--views', '1000']],
    mcp: [[]],
  };

let host: TestHost;
let ann: PageClient;
beforeAll(async () => {
  const goals = [{ id: 1, name: 'Thanks', type: 'url_match', condition: 'thanks' }];
  const site = (tracking_id: string) => ({
    tracking_id,
    domain: `${tracking_id}.example`,
    name: tracking_id,
    timezone: 'Europe/Berlin',
    goals,
  });
  host = await startTestHost({
    sites: [site('shop'), site('blog')],
    users: [{ login: 'ann', role: 'administrator' }],
  });
  for (const name of ['shop', 'blog']) {
    const view = (id: number, path: string) => ({
      pv_id: id,
      session_id: 1,
      reader_id: 1,
      access_time: `2026-05-03T10:0${id}:00Z`,
      url: `https://${name}.example/${path}`,
      browser: 'Firefox',
      country_code: 'DE',
    });
    await host.importRows('allpv', name, [view(1, 'tea'), view(2, 'cart'), view(3, 'thanks')]);
  }
  await host.importRows('click_event', 'shop', [{ pv_id: 1, event_sec: 1, selector: '#buy' }]);
  await host.importRows('datalayer_event', 'shop', [
    { pv_id: 3, access_time: '2026-05-03T10:03:01Z', event_name: 'purchase', params: { value: 10 } },
  ]);
  ann = await logInAs(host, 'ann');
  await ann.post('/wp-admin/funnels/shop/add', FUNNEL);
});
afterAll(() => host.stop());

const OWN = /^\/(qa-platform|qal-data)/;

test('every route answers', async () => {
  const inSession = { headers: { Cookie: ann.cookie, 'X-WP-Nonce': ann.nonce } };
  const ids = new Map<string, number>();
  for (const [method, path, body, expected = 200] of ROUTES) {
    const filled = path.replace(/\{([\w-]+)\}/g, (_all, name: string) => String(ids.get(name)));
    const how = path.startsWith('/qa-platform-pages') ? inSession : { user: 'ann', headers: headersOf(path) };
    const { status, text } = await host.request(method, `/wp-json${filled}`, {
      ...how,
      ...(body && { body }),
    });
    expect([method, filled, status === expected ? status : `${status}: ${text}`]).toEqual([
      method,
      filled,
      expected,
    ]);
    const created = /^\{"(?:import_)?id":(\d+)/.exec(text)?.[1];
    const name = KINDS.find((kind) => path.includes(kind));
    if (created !== undefined && name !== undefined) ids.set(name, Number(created));
  }
  const { body: index } = await host.request('GET', '/wp-json/', { user: 'ann' });
  const asked = (method: string, pattern: string) =>
    ROUTES.some(([one, path]) => one === method && new RegExp(`^${pattern}$`).test(pathOf(path)));
  const published = Object.entries<{ methods: readonly string[] }>(index.routes).flatMap(
    ([path, { methods }]) =>
      OWN.test(path) ? methods.map((method) => [method, path.replaceAll('(?P<', '(?<')] as const) : [],
  );
  expect(published.filter(([method, pattern]) => !asked(method, pattern))).toEqual([]);
});

/** Requests that create something with an id. */
const KINDS = ['import', 'saved-queries', 'segments'];
const pathOf = (path: string): string => path.replace(/\?.*/, '').replace(/\{.*\}/, '1');
const headersOf = (path: string) => ({
  'Content-Type': path.includes('/import/') ? 'application/x-ndjson' : 'application/json',
  ...(path.endsWith('/mcp') && { Accept: 'application/json, text/event-stream' }),
});

test('every page opens, and its forms work', async () => {
  const failed: unknown[] = [];
  for (const [path, fields, expected = 200] of PAGES) {
    const address = `/wp-admin/${path}`;
    const { status, text } = await (fields === undefined ? ann.get(address) : ann.post(address, fields));
    if (status !== expected) failed.push([path, status, /<p class="fault"[^>]*>([^<]*)/.exec(text)?.[1]]);
  }
  expect(failed).toEqual([]);
  const { text } = await ann.get('/wp-admin/health');
  const listed = [...text.matchAll(/<a href="\/wp-admin\/([\w-]+)"/g)].map(([, slug]) => slug ?? '');
  const opened = PAGES.map(([path]) => path.replace(/\W.*/, ''));
  expect(listed.filter((slug) => !opened.includes(slug) && !OF_HOST.includes(slug))).toEqual([]);
});

/** Their data is not measurements. */
const OF_HOST = [
  'users',
  'extensions',
  'profile',
  'application-passwords',
  'links',
  'connection',
  'authorize-application',
];

test('every command runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'qal-sweep-'));
  const readerRole = '';
  const dataDir = join(folder, 'data');
  const outcomes: unknown[] = [];
  for (const [name, [args, input = '', expected = 0]] of Object.entries(COMMANDS)) {
    const filled = args.map((arg) => arg.replace('FOLDER', folder));
    const parts = { database: { ...host.database, readerRole }, dataDir };
    const { code, err } = await runCommand(parts, [...name.split(' '), ...filled], input);
    if (code !== expected) outcomes.push([name, code, err]);
  }
  await rm(folder, { recursive: true });
  expect(outcomes).toEqual([]);
  expect(Object.keys(COMMANDS)).toEqual(analyticsCommands(SETTINGS).map(({ name }) => name));
});

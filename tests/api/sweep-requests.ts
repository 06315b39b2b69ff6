// Requests for every route, page and command of the extension, on the sites `shop` and `blog`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageClient } from '../support/page-client';
import { runCommand } from '../support/run-command';
import type { TestHost } from '../support/test-host';

export const QUERY = {
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
export const ROW =
  '{"pv_id":99,"access_time":"2026-05-09T10:00:00Z","url":"https://shop.example/late","user_agent":"Opera"}\n';
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'sweep', version: '1' } },
};

export const FUNNEL = {
  name: 'Cart',
  kind_1: 'page prefix',
  value_1: '/tea',
  kind_2: 'page contains',
  value_2: 'cart',
};

type Method = 'GET' | 'POST' | 'DELETE';
/** `whileAway` is the status expected while a worker with other sites is down. Default: `status`. */
type RouteRequest = readonly [
  method: Method,
  path: string,
  body?: object | string | undefined,
  status?: number,
  whileAway?: number,
];

/** Sent in this order. `{name}` in a path is replaced with the id that an earlier request returned. */
export const ROUTES: readonly RouteRequest[] = [
  ['GET', '/qa-platform'],
  ['GET', '/qa-platform/guide'],
  ['GET', '/qa-platform/guide?version=2025-10-20'],
  ['POST', '/qa-platform/query', QUERY],
  ['POST', '/qa-platform/query', { ...QUERY, tracking_id: 'all' }, 200, 503],
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
  ['POST', '/qa-platform-pages/notes', { tracking_id: 'shop', day: '2026-05-02', text: 'One' }],
  ['POST', '/qa-platform-pages/notes/{notes}', { day: '2026-05-03', text: 'Two', revision: 1 }],
  ['DELETE', '/qa-platform-pages/notes/{notes}?revision=2'],
  ['POST', '/qa-platform-pages/geoip', {}, 422],
];

/** Pages to open, and forms to submit, under /wp-admin. */
export const PAGES: readonly (readonly [
  path: string,
  fields?: Readonly<Record<string, string>> | undefined,
  status?: number,
  whileAway?: number,
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
  ['sites/add', { tracking_id: 'third', domain: 'third.example', name: 'Third', timezone: 'UTC' }, 303, 503],
  ['sites/edit/third', undefined, 200, 404],
  ['sites/visitor/shop'],
  ['sites/remove/shop'],
  ['sites/remove/third?what=site', {}, 303],
  ['sites/removed'],
  ['storage'],
  ['reports'],
  ['goals/shop'],
  ['goals/shop/add'],
  ['goals/shop/add', { ...GOAL_FORM, action: 'count' }],
  ['goals/shop/add', { ...GOAL_FORM, action: 'save' }, 303],
  ['goals/shop/2'],
  ['goals/shop/2/remove', {}, 303],
  ['imports'],
  ['imports/1'],
  ['imports/1/rejected'],
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

/** Each command's arguments, its standard input, and its expected exit codes: normally, and while a worker is down. */
export const COMMANDS: Readonly<
  Record<string, readonly [args: readonly string[], input?: string, code?: number, whileAway?: number]>
> = {
  query: [['-'], JSON.stringify(QUERY)],
  explain: [['-', '--analyze'], JSON.stringify(QUERY)],
  import: [['allpv', '--site', 'shop', '-'], ROW],
  'imports list': [[]],
  'imports show': [['1']],
  'imports undo': [['3', '--yes']],
  'imports gaps': [[]],
  'imports close-gap': [['1'], '', 1],
  export: [['FOLDER/export', '--site', 'blog']],
  'sites apply': [['-'], SITES, 0, 1],
  'sites list': [[]],
  'sites remove': [['fourth', '--yes'], '', 0, 1],
  'data delete': [['--site', 'blog', '--from', '2026-05-03', '--to', '2026-05-03', '--yes']],
  'visitors export': [['--site', 'shop', '--reader-id', '1']],
  'visitors erase': [['--site', 'shop', '--reader-id', '1', '--yes']],
  audit: [[]],
  'features list': [[]],
  'features set': [['join', 'on']],
  'columns status': [[], '', 1],
  'columns rebuild': [[]],
  'columns drop': [[]],
  'database distribute': [['--check'], '', 1],
  demo: [['--views', '1000'], '', 0, 1],
  mcp: [[]],
};

export const sweepSite = (tracking_id: string) => ({
  tracking_id,
  domain: `${tracking_id}.example`,
  name: tracking_id,
  timezone: 'Europe/Berlin',
  goals: [{ id: 1, name: 'Thanks', type: 'url_match', condition: 'thanks' }],
});

/** Imports the data that the requests refer to. */
export async function fillSites(host: TestHost): Promise<void> {
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
}

type When = 'normally' | 'whileAway';

/** Returns the requests with an unexpected status. */
export async function askRoutes(
  { request }: Pick<TestHost, 'request'>,
  { cookie, nonce }: PageClient,
  when: When = 'normally',
): Promise<readonly unknown[]> {
  const failed: unknown[] = [];
  const ids = new Map<string, number>();
  for (const [method, path, body, normal = 200, whileAway = normal] of ROUTES) {
    const filled = path.replace(/\{([\w-]+)\}/g, (_all, name: string) => String(ids.get(name)));
    const how = path.startsWith('/qa-platform-pages')
      ? { headers: { Cookie: cookie, 'X-WP-Nonce': nonce } }
      : { user: 'ann', headers: headersOf(path) };
    const { status, text } = await request(method, `/wp-json${filled}`, { ...how, ...(body && { body }) });
    if (status !== (when === 'normally' ? normal : whileAway)) failed.push([method, filled, status, text]);
    const created = /^\{"(?:import_)?id":(\d+)/.exec(text)?.[1];
    const name = KINDS.find((kind) => path.includes(kind));
    if (created !== undefined && name !== undefined) ids.set(name, Number(created));
  }
  return failed;
}

/** Paths of requests that create something with an id contain one of these. */
const KINDS = ['import', 'saved-queries', 'segments', 'notes'];
const headersOf = (path: string) => ({
  'Content-Type': path.includes('/import/') ? 'application/x-ndjson' : 'application/json',
  ...(path.endsWith('/mcp') && { Accept: 'application/json, text/event-stream' }),
});

/** Returns the pages and forms with an unexpected status. */
export async function openPages(client: PageClient, when: When = 'normally'): Promise<readonly unknown[]> {
  const failed: unknown[] = [];
  for (const [path, fields, normal = 200, whileAway = normal] of PAGES) {
    const address = `/wp-admin/${path}`;
    const { status, text } = await (fields === undefined
      ? client.get(address)
      : client.post(address, fields));
    if (status !== (when === 'normally' ? normal : whileAway))
      failed.push([path, status, /<p class="fault"[^>]*>([^<]*)/.exec(text)?.[1]]);
  }
  return failed;
}

/** Returns the commands with an unexpected exit code. */
export async function runCommands(
  database: TestHost['database'],
  when: When = 'normally',
): Promise<readonly unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), 'qal-sweep-'));
  const parts = { database: { ...database, readerRole: '' }, dataDir: join(folder, 'data') };
  const failed: unknown[] = [];
  for (const [name, [args, input = '', normal = 0, whileAway = normal]] of Object.entries(COMMANDS)) {
    const filled = args.map((arg) => arg.replace('FOLDER', folder));
    const { code, err } = await runCommand(parts, [...name.split(' '), ...filled], input);
    if (code !== (when === 'normally' ? normal : whileAway)) failed.push([name, code, err]);
  }
  await rm(folder, { recursive: true });
  return failed;
}

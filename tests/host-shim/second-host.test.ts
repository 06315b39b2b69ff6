// The extension in a different host: a small object that stores registrations. Only the extension API of our host is loaded.
import { analytics } from '../../extension/index';
import {
  type ActionCallback,
  type Actions,
  type CommandDefinition,
  type CommandInput,
  type FilterCallback,
  type Filters,
  type Host,
  type HostRequest,
  type HostResponse,
  type HostUser,
  type NamespaceDefinition,
  NO_TELEMETRY,
} from '../../host-shim/extension-api';
import { wholeJson } from '../support/check-answers';
import { applyTestSites, importTestRows } from '../support/host-data';
import { memoryLedger } from '../support/removal-host';
import { SETTINGS } from '../support/test-host';
import { useTestDatabase } from '../support/use-database';

const NOW = new Date('2026-05-01T10:00:00Z');
const ann: HostUser = {
  id: 1,
  login: 'ann',
  displayName: 'Ann',
  role: 'analyst',
  capabilities: ['read'],
  sites: ['shop'],
  timezone: 'UTC',
  key: null,
};

const actions: { [Name in keyof Actions]?: ActionCallback<Name> } = {};
const filters: { [Name in keyof Filters]?: FilterCallback<Name> } = {};
const commands: CommandDefinition[] = [];
const namespaces: NamespaceDefinition[] = [];
const database = useTestDatabase();

beforeAll(async () => {
  await applyTestSites(database.write, [
    { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' },
  ]);
  const rows = [
    { url: 'https://shop.example/', access_time: '2026-04-30T12:00:00Z' },
    { url: 'https://shop.example/about', access_time: '2026-04-30T12:01:00Z' },
  ];
  await importTestRows(database.write, { material: 'allpv', site: 'shop', rows, clock: () => NOW });

  const ignore = () => undefined;
  const host: Host = {
    clock: () => NOW,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    database,
    dataDir: '',
    telemetry: NO_TELEMETRY,
    addAction: (name, callback) => Object.assign(actions, { [name]: callback }),
    addFilter: (name, callback) => Object.assign(filters, { [name]: callback }),
    registerCommand: (command) => commands.push(command),
    registerHealthCheck: ignore,
    openLedger: memoryLedger,
    callerRecords: { find: async () => [], erase: async () => undefined },
    withdrawSite: async () => async () => undefined,
    accounts: { find: async () => ann, hold: async () => true },
    messages: {},
  };
  await analytics.create(SETTINGS).register(host);
  await actions.rest_api_init?.({ registerNamespace: (namespace) => void namespaces.push(namespace) });
});

const REQUEST: HostRequest = {
  id: 'x',
  method: 'GET',
  path: '/',
  params: {},
  query: {},
  search: '',
  headers: {},
  callerAddress: '',
  accepts: () => undefined,
  home: 'https://elsewhere.example',
  restRoot: 'https://elsewhere.example/rest/',
  credentialsAllowed: true,
  body: '',
  user: ann,
  signal: new AbortController().signal,
  onClose: () => undefined,
};

const service = () => namespaces.find(({ name }) => name === SETTINGS.namespace);

/** Calls the handler of a route, as a host does after authentication. */
async function call(path: string, request: Partial<HostRequest> = {}): Promise<HostResponse> {
  const route = service()?.routes.find((one) => one.path === path);
  if (route?.checkedBy !== 'route') throw new Error(`There is no route ${path}.`);
  return route.handle({ ...REQUEST, path, ...request });
}

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-04-30T00:00:00', end: '2026-05-01T00:00:00', tz: 'UTC' },
  make: { pages: { from: ['allpv'], keep: ['allpv.url'], sort: { by: 'url', order: 'asc' } } },
  result: { use: 'pages' },
};

test("the guide lists the user's sites", async () => {
  const { status, body } = await call('/guide');
  expect(status).toBe(200);
  expect(JSON.stringify(body)).toContain('"shop.example"');
});

test('a query is answered', async () => {
  const { status, body } = await call('/query', { method: 'POST', body: JSON.stringify({ qal: QUERY }) });
  expect(status).toBe(200);
  expect(JSON.stringify(await wholeJson(body))).toMatch(/shop\.example\/".*shop\.example\/about"/);
});

test("the extension formats the host's errors", () => {
  expect(service()?.answerFailure?.({ kind: 'unauthorized', reason: 'No.' }, REQUEST)).toMatchObject({
    status: 401,
  });
});

test('commands and filters work with this host', async () => {
  const printed: string[] = [];
  const input: CommandInput = {
    args: [],
    options: {},
    user: ann,
    signal: new AbortController().signal,
    readText: async () => '',
    openFile: () => Promise.reject(new Error('This host has no files.')),
    sizeOf: () => Promise.reject(new Error('This host has no files.')),
    out: (text) => void printed.push(text),
    write: async (piece) => void printed.push(String(piece)),
    err: (text) => void printed.push(text),
    table: (rows) => void printed.push(...rows.map((row) => row.join('|'))),
    openProgress: () => ({ show: () => undefined, close: () => undefined }),
    confirm: async () => true,
  };
  await commands.find(({ name }) => name === 'sites list')?.run(input);
  expect(printed.at(-1)).toBe('shop|shop.example|Shop|UTC||0|2');
  const restRoot = 'https://elsewhere.example/rest/';
  const lines = await filters.welcome_lines?.([], { login: 'ann', secret: 's', restRoot });
  expect(lines?.at(-1)).toMatch(
    /^curl -s -u 'ann:s' .* 'https:\/\/elsewhere\.example\/rest\/qa-platform\/query\?version=2026-05-11'$/,
  );
});

// Sends the requests in host-cases.ts to real hosts over HTTP, and tests what those cases cannot express.
import { type Extension, HOST_API, type HostUser } from '../../host-shim/extension-api';
import { logInAs } from '../support/page-client';
import { basicHeader, type Credentials, startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';
import { CLAUSES, type HostCase } from './host-case';
import { hostCases } from './host-cases';

/** The current time on the hosts. */
const NOW = new Date('2026-06-01T12:00:00Z');
const LOGINS = ['ann', 'bea', 'dan', 'eve', 'root'] as const;

/** Registers the sites. */
const atlas: Extension = {
  name: 'atlas',
  version: '0.9.0',
  description: 'Sites & <places>.',
  requires: { hostApi: HOST_API },
  commands: [],
  register: async (host) =>
    host.addFilter('known_sites', (sites) => [
      ...sites,
      { trackingId: 'demo', name: 'Demo', domain: 'demo.example', timezone: 'UTC' },
    ]),
};

interface RunningHost {
  readonly host: TestHost;
  readonly narrow: Credentials;
  /** Placeholder -> its value. */
  readonly known: ReadonlyMap<string, string>;
}

async function start(environment: 'local' | 'production'): Promise<RunningHost> {
  const host = await startTestHost({
    extensions: [createToy().extension, atlas],
    sites: [{ tracking_id: 'demo', domain: 'demo.example', name: 'Demo', timezone: 'UTC' }],
    clock: () => NOW,
    environment,
    ...(environment === 'production' && { trustProxy: ['loopback'] }),
  });
  const known = new Map([
    ['{home}', host.url],
    ['{root}', `${host.url}/wp-json/`],
  ]);
  for (const login of LOGINS) {
    const user = await host.createUser({
      login,
      role: login === 'root' ? 'administrator' : 'analyst',
      email: `${login}@people.example`,
      ...(login !== 'root' && { sites: ['demo'] }),
    });
    const { uuid } = await host.createApplicationPassword(login, 'A program');
    known.set(`{id:${login}}`, String(user.id)).set(`{key:${login}}`, uuid);
  }
  const narrow = await host.createApplicationPassword('ann', 'Narrow', { rateShare: 50 });
  const { cookie, nonce } = await logInAs(host, 'ann');
  known.set('{cookie}', cookie).set('{nonce}', nonce).set('{key:narrow}', narrow.uuid);
  return { host, narrow, known };
}

let local: RunningHost;
let production: RunningHost;
beforeAll(async () => {
  [local, production] = await Promise.all([start('local'), start('production')]);
});
afterAll(() => Promise.all([local?.host.stop(), production?.host.stop()]));

const PLACEHOLDER = /\{[a-z]+(:[a-z]+)?\}/g;

const fillText = (text: string, { known }: RunningHost): string =>
  text.replace(PLACEHOLDER, (name) => known.get(name) ?? name);

/** Replaces the placeholders in all strings of a value. A string that consists of a numeric placeholder becomes a number. */
function fill(value: unknown, running: RunningHost): unknown {
  if (typeof value === 'string') {
    const text = fillText(value, running);
    return /^\{id:[a-z]+\}$/.test(value) ? Number(text) : text;
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, running));
  if (typeof value !== 'object' || value === null || '$$typeof' in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inside]) => [fillText(name, running), fill(inside, running)]),
  );
}

function expectText(actual: string | undefined, expected: string | RegExp | null, running: RunningHost) {
  if (expected === null) expect(actual).toBeUndefined();
  else if (typeof expected === 'string') expect(actual).toBe(fillText(expected, running));
  else expect(actual).toMatch(new RegExp(fillText(expected.source, running), expected.flags));
}

function authorizationOf({ as, authorization }: HostCase, { host, narrow }: RunningHost) {
  if (authorization !== undefined) return authorization(host.credentials('ann'));
  if (as === undefined) return undefined;
  return basicHeader(as === 'narrow' ? narrow : host.credentials(as));
}

test.each(hostCases.map((one): [string, HostCase] => [`${one.line}: ${one.label}`, one]))(
  '%s',
  async (_label, one) => {
    const running = one.on === 'production' ? production : local;
    const authorization = authorizationOf(one, running);
    const headers = Object.entries(one.headers ?? {}).map(([name, value]) => [
      name,
      fillText(value, running),
    ]);
    const response = await running.host.request(one.method ?? 'GET', fillText(one.path, running), {
      headers: {
        ...(authorization !== undefined && { Authorization: authorization }),
        ...Object.fromEntries(headers),
      },
      ...(one.body !== undefined && { body: one.body }),
    });
    expect({ status: response.status, body: response.status === one.status || response.text }).toEqual({
      status: one.status,
      body: true,
    });
    for (const [name, expected] of Object.entries(one.answerHeaders ?? {}))
      expectText(response.headers[name], expected, running);
    if (one.json !== undefined) expect(response.body).toMatchObject(fill(one.json, running) as object);
    if (one.whole !== undefined) expect(response.body).toEqual(fill(one.whole, running));
    if (one.text !== undefined) expectText(response.text, one.text, running);
  },
);

test('there is a case for every guarantee in the design', () => {
  const shown = hostCases.flatMap(({ clauses = [] }) => clauses);
  expect(CLAUSES.filter((clause) => !shown.includes(clause))).toEqual([]);
  const lines = new Set(hostCases.map(({ line }) => line));
  const all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 'authorize', 'challenge', 'shape', 'page'];
  expect(all.filter((line) => !lines.has(line as HostCase['line']))).toEqual([]);
  const labels = hostCases.map(({ line, label }) => `${line}: ${label}`);
  expect(labels.filter((label, index) => labels.indexOf(label) !== index)).toEqual([]);
});

test('only routes with parameters have no link', async () => {
  const { body } = await local.host.request('GET', '/wp-json/');
  const linkless = Object.entries<object>(body.routes).filter(([, route]) => !('_links' in route));
  expect(linkless.length).toBeGreaterThan(3);
  expect(linkless.filter(([address]) => !address.includes('(?P<'))).toEqual([]);
});

test('an invalid Host header is not echoed', async () => {
  const { body } = await local.host.request('GET', '/wp-json/', { headers: { Host: '"><script>' } });
  expect(body.home).toBe('http://localhost');
});

test('an internal error returns only a request id; the details are in the log', async () => {
  const { host } = local;
  const response = await host.request('GET', '/wp-json/toy/v1/broken', { user: host.credentials('ann') });
  const requestId = response.headers['x-request-id'];
  expect(response.status).toBe(500);
  expect(response.body).toEqual({ toy: { kind: 'internal', requestId }, path: '/broken' });
  const line = host.logged.find((entry) => entry.requestId === requestId);
  expect(line).toMatchObject({ msg: 'A request failed.', err: { message: 'secret detail' } });
});

test('the log contains one line with the id of each request, without headers or query strings', async () => {
  const { host } = local;
  const { headers } = await host.request('GET', '/wp-json/toy/v1/open?token=t0psecret', {
    user: host.credentials('ann'),
  });
  const line = host.logged.find(({ requestId }) => requestId === headers['x-request-id']);
  expect(line).toMatchObject({ req: { method: 'GET', path: '/wp-json/toy/v1/open' }, res: { status: 200 } });
  expect(JSON.stringify(host.logged)).not.toMatch(/authorization|t0psecret/i);
});

test('a rejection over plain HTTP is logged with its reason', async () => {
  const { host } = production;
  const { headers } = await host.request('GET', '/wp-json/toy/v1/open', {
    user: host.credentials('ann'),
    headers: { 'X-Forwarded-For': '203.0.113.9' },
  });
  const line = host.logged.find(
    (entry) => entry.requestId === headers['x-request-id'] && /plain HTTP/.test(String(entry.msg)),
  );
  expect(line).toBeDefined();
});

test('calls within the process are handled in the same way', async () => {
  const { host } = local;
  const user: HostUser = {
    id: 1,
    login: 'ann',
    displayName: 'Ann',
    role: 'analyst',
    capabilities: ['read'],
    sites: ['demo'],
    timezone: 'UTC',
    key: null,
  };
  const response = await host.rest.dispatch({
    method: 'POST',
    address: '/toy/v1/echo?version=x',
    user,
    body: '{}',
  });
  expect(response).toMatchObject({
    status: 200,
    body: { method: 'POST', path: '/echo', query: { version: 'x' }, text: '{}', user },
  });
  expect(await host.rest.dispatch({ method: 'GET', address: '/toy/v1/echo', user: null })).toMatchObject({
    status: 401,
  });
});

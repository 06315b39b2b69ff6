// Runs the table of host-cases.ts against a real host.
import { startTestHost, type TestHost } from '../support/test-host';
import { createToy } from '../support/toy-extension';
import { type HostCase, hostCases } from './host-cases';

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    extensions: [createToy().extension],
    sites: [{ tracking_id: 'demo', domain: 'demo.example', name: 'Demo', timezone: 'UTC' }],
    users: [{ login: 'ann', role: 'analyst', sites: ['demo'] }],
  });
});
afterAll(() => host.stop());

/** Puts the address of this host where the table says {root}. */
function settle(expected: string | RegExp): string | RegExp {
  const root = `${host.url}/wp-json/`;
  return typeof expected === 'string'
    ? expected.replace('{root}', root)
    : new RegExp(expected.source.replace('{root}', root), expected.flags);
}

function expectText(actual: string | undefined, expected: string | RegExp | null): void {
  if (expected === null) expect(actual).toBeUndefined();
  else if (typeof expected === 'string') expect(actual).toBe(settle(expected));
  else expect(actual).toMatch(settle(expected));
}

test.each(hostCases.map((one): [string, HostCase] => [one.label, one]))('%s', async (_label, one) => {
  const answer = await host.request(one.method ?? 'GET', one.path, {
    ...(one.loggedIn && { user: host.credentials('ann') }),
    ...(one.headers && { headers: one.headers }),
    ...(one.body !== undefined && { body: one.body }),
  });
  expect(answer.status).toBe(one.status);
  for (const [name, expected] of Object.entries(one.answerHeaders ?? {}))
    expectText(answer.headers[name], expected);
  if (one.json !== undefined) expect(answer.body).toMatchObject(one.json as object);
  if (one.text !== undefined) expectText(answer.text, one.text);
});

test('the index describes the installation and every route', async () => {
  const { body } = await host.request('GET', '/wp-json/');
  expect(body).toMatchObject({
    name: 'Test host',
    description: 'A host for tests.',
    url: host.url,
    home: host.url,
    namespaces: ['toy/v1'],
    authentication: {
      'application-passwords': {
        endpoints: { authorization: `${host.url}/wp-admin/authorize-application.php` },
      },
    },
  });
  expect(Object.keys(body.routes).slice(0, 3)).toEqual(['/', '/toy/v1', '/toy/v1/echo']);
  expect(body.routes['/toy/v1/echo']).toEqual({
    namespace: 'toy/v1',
    methods: ['GET', 'POST'],
    endpoints: [
      {
        methods: ['GET', 'POST'],
        args: { version: { type: 'string', description: 'Any.', required: false } },
      },
    ],
    _links: { self: [{ href: `${host.url}/wp-json/toy/v1/echo` }] },
  });
});

test('a namespace describes its routes', async () => {
  const { body } = await host.request('GET', '/wp-json/toy/v1/');
  expect(body.namespace).toBe('toy/v1');
  expect(Object.keys(body.routes)).toContain('/toy/v1/open');
});

test('a Host header that is none is not repeated', async () => {
  const { body } = await host.request('GET', '/wp-json/', { headers: { Host: '"><script>' } });
  expect(body.home).toBe('http://localhost');
});

test('the authorize address answers in words', async () => {
  const { status, text } = await host.request('GET', '/wp-admin/authorize-application.php?app_name=x');
  expect(status).toBe(200);
  expect(text).toContain('qal passwords create');
});

test('a fault of ours: a request id and nothing else; the details are in the log', async () => {
  const answer = await host.request('GET', '/wp-json/toy/v1/broken', { user: host.credentials('ann') });
  const requestId = answer.headers['x-request-id'];
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({ toy: { kind: 'internal', requestId }, path: '/broken' });
  const line = host.logged.find((entry) => entry.requestId === requestId);
  expect(line).toMatchObject({ msg: 'A request failed here.', err: { message: 'secret detail' } });
});

test('the log has a line with the id of each request, and neither headers nor query', async () => {
  const { headers } = await host.request('GET', '/wp-json/toy/v1/open?token=t0psecret', {
    user: host.credentials('ann'),
  });
  const line = host.logged.find((entry) => JSON.stringify(entry).includes(headers['x-request-id'] ?? '?'));
  expect(line).toMatchObject({ req: { method: 'GET', path: '/wp-json/toy/v1/open' }, res: { status: 200 } });
  expect(JSON.stringify(host.logged)).not.toMatch(/authorization|t0psecret/i);
});

test('in-process calls go the same way', async () => {
  const user = { id: 1, login: 'ann', role: 'analyst', sites: ['demo'] } as const;
  const answer = await host.rest.dispatch({
    method: 'POST',
    address: '/toy/v1/echo?version=x',
    user,
    body: '{}',
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { method: 'POST', path: '/echo', query: { version: 'x' }, text: '{}', user },
  });
  expect(await host.rest.dispatch({ method: 'GET', address: '/toy/v1/echo', user: null })).toMatchObject({
    status: 401,
  });
});

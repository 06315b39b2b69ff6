// Every response matches its schema, according to a validator that shares no code with zod.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedContracts } from '../../extension/api/contracts/choose-contract';
import { loadManifest } from '../../manifests/reader/manifest';
import { CASE_DATA } from '../language/query-setup';
import { schemaCheck } from '../support/json-schema';
import { startFilledHost, type TestHost, type TestRequest } from '../support/test-host';

let host: TestHost;
let document: {
  readonly paths: Record<string, object>;
  readonly servers: readonly { readonly url: string }[];
  readonly components: { readonly schemas: object };
};

beforeAll(async () => {
  host = await startFilledHost(CASE_DATA, { users: [{ login: 'ann', role: 'administrator' }] });
  document = (await host.request('GET', '/wp-json/qa-platform-docs/openapi')).body;
});
afterAll(() => host.stop());

const contracts = installedContracts(loadManifest());
const committed = (file: string): unknown =>
  JSON.parse(readFileSync(join(__dirname, '..', '..', 'docs', 'reference', 'schemas', file), 'utf8'));

const query = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'Asia/Tokyo' },
  make: { v: { from: ['allpv'], keep: ['allpv.pv_id', 'allpv.url', 'allpv.access_time'] } },
  result: { use: 'v', limit: 3 },
};

describe('the documents', () => {
  test.each(['openapi', 'query-schema'])(
    '%s has an ETag that stays the same until a feature is switched on or off',
    async (name) => {
      const path = `/wp-json/qa-platform-docs/${name}`;
      const first = await host.request('GET', path);
      const etag = String(first.headers.etag);
      const again = await host.request('GET', path, { headers: { 'If-None-Match': etag } });
      expect([again.status, again.text]).toEqual([304, '']);
      const switches = host.database.write('analytics.feature_switch');
      await switches.clone().insert({ feature: 'filter', enabled: false, changed_at: new Date() });
      const switched = await host.request('GET', path, { headers: { 'If-None-Match': etag } });
      await switches.clone().delete();
      expect(switched.status).toBe(200);
      expect(switched.headers.etag).not.toBe(etag);
      expect((await host.request('GET', path)).headers.etag).toBe(etag);
    },
  );

  test("the namespace's description links to them, and they require no credentials", async () => {
    const { body } = await host.request('GET', '/wp-json/qa-platform');
    expect(body._links['service-desc']).toEqual([{ href: `${host.url}/wp-json/qa-platform-docs/openapi` }]);
    expect(body._links.describedby).toEqual([{ href: `${host.url}/wp-json/qa-platform-docs/query-schema` }]);
    for (const relation of ['service-desc', 'describedby']) {
      const { status } = await host.request('GET', body._links[relation][0].href.slice(host.url.length));
      expect(status).toBe(200);
    }
  });

  test("they are outside the contract's namespace, which contains only the documented routes and MCP", async () => {
    const { body } = await host.request('GET', '/wp-json/qa-platform');
    const routes = ['/guide', '/query'];
    expect(Object.keys(body.routes)).toEqual([
      '/qa-platform',
      ...[...routes, '/mcp'].map((route) => `/qa-platform${route}`),
    ]);
    expect(Object.keys(document.paths)).toEqual(routes);
  });

  test('the server in the OpenAPI document is the namespace', () => {
    const address = new URL(document.servers[0]?.url ?? '', `${host.url}/wp-json/qa-platform-docs/openapi`);
    expect(address.href).toBe(`${host.url}/wp-json/qa-platform`);
  });

  test('every reference resolves, and every schema is used', () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path.split('/'));
    const unresolved = references.filter(
      (steps) => steps.reduce((value, step) => Object(value)[step], document) === undefined,
    );
    expect(unresolved).toEqual([]);
    const used = new Set(references.flatMap(([, kind, name]) => (kind === 'schemas' ? [name] : [])));
    expect([...used].sort()).toEqual(Object.keys(document.components.schemas).sort());
  });

  test.each(contracts.map(({ version }) => version))(
    'the query schema under %s is the committed one',
    async (version) => {
      const { status, body } = await host.request(
        'GET',
        `/wp-json/qa-platform-docs/query-schema?version=${version}`,
      );
      expect(status).toBe(200);
      expect(body.properties.time.properties.tz.enum).toContain('Asia/Tokyo');
      const { enum: _zones, ...tz } = body.properties.time.properties.tz;
      body.properties.time.properties.tz = { ...tz, pattern: '^(UTC|[A-Z][^/]*/.+)$' };
      expect(body).toEqual(committed(`query-${version}.json`));
      expect(schemaCheck(body)(query)).toEqual([]);
    },
  );

  test('the OpenAPI document is the same as the committed one, except for the server and the time zones', () => {
    const plain = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (key, it) => (key === 'servers' || key === 'tz' ? null : it)));
    expect(plain(document)).toEqual(plain(committed('openapi.json')));
  });

  test('an unknown version is rejected as it is on other routes', async () => {
    const { status, body } = await host.request(
      'GET',
      '/wp-json/qa-platform-docs/query-schema?version=1999-01-01',
    );
    expect(status).toBe(404);
    expect(faultsOf('invalid-version', body)).toEqual([]);
  });
});

const faultsOf = (name: string, body: unknown): readonly string[] =>
  schemaCheck({ $ref: `#/components/schemas/${name}`, components: document.components })(body);

describe.each(contracts.map((contract) => [contract.version, contract] as const))(
  'responses under %s',
  (version, contract) => {
    const { bodies } = contract.format;
    const ask = (path: string, request: TestRequest = {}) =>
      host.request(request.body === undefined ? 'GET' : 'POST', `/wp-json/qa-platform${path}`, {
        user: host.credentials('ann'),
        ...request,
      });

    test('a table', async () => {
      const { status, body } = await ask(`/query?version=${version}`, { body: query });
      expect(status).toBe(200);
      expect(faultsOf(`table-${version}`, body)).toEqual([]);
      expect(bodies.answers.table?.parse(body)).toEqual(body);
    });

    test('a count', async () => {
      const counted = { ...query, result: { use: 'v', count_only: true } };
      const { status, body } = await ask(`/query?version=${version}`, { body: counted });
      expect(status).toBe(200);
      expect(faultsOf(`count-${version}`, body)).toEqual([]);
      expect(bodies.answers.count?.parse(body)).toEqual(body);
    });

    test('rows as objects, if the contract has that envelope', async () => {
      const { rows } = bodies.answers;
      const { body } = await ask(`/query?version=${version}&envelope=data`, { body: query });
      const [kind, schema] = rows === undefined ? ['table', bodies.answers.table] : ['rows', rows];
      expect(faultsOf(`${kind}-${version}`, body)).toEqual([]);
      expect(schema?.parse(body)).toEqual(body);
    });

    // conformance: site.materials-initial-level, observed.schema-no-values
    test('the guide contains no keys that its schema does not declare', async () => {
      const { status, body } = await ask(`/guide?version=${version}`);
      expect(status).toBe(200);
      expect(faultsOf(`guide-${version}`, body)).toEqual([]);
      expect(bodies.guide.parse(body)).toEqual(body);
    });

    test.each([
      ['in the query', { body: { ...query, tracking_id: 'nowhere' } }, 400],
      ['in the JSON syntax', { body: '{' }, 400],
      ['without credentials', { body: query, user: { login: 'ann', secret: 'wrong' } }, 401],
    ])('an error %s', async (_name, request, expected) => {
      const { status, body } = await ask(`/query?version=${version}`, request);
      expect(status).toBe(expected);
      expect(faultsOf(`error-${version}`, body)).toEqual([]);
      expect(bodies.error.parse(body)).toEqual(body);
    });

    test("no body matches another contract's schema", async () => {
      const { body } = await ask(`/query?version=${version}`, { body: query });
      const others = contracts.filter((other) => other !== contract).map((other) => `table-${other.version}`);
      expect(others.filter((name) => faultsOf(name, body).length === 0)).toEqual([]);
    });
  },
);

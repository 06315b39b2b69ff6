// The OpenTelemetry spans that a collector receives for each request. The server is a separate process, because the library that
// sends the spans does not work inside the test environment.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { applySites } from '../../extension/data/storage/sites/apply-sites';
import { useProgram } from '../support/program-process';
import { basicHeader } from '../support/test-host';
import { useTestDatabase } from '../support/use-database';

const attribute = z.object({
  key: z.string(),
  value: z.object({ stringValue: z.string().optional(), intValue: z.coerce.number().optional() }),
});
const sent = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: z.array(attribute) }),
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
              status: z.object({ code: z.number().optional() }),
              attributes: z.array(attribute),
            }),
          ),
        }),
      ),
    }),
  ),
});

const database = useTestDatabase();
const program = useProgram(join(__dirname, '../../host-shim/cli/qal.ts'));
let collector: Server;
const bodies: string[] = [];
const paths = new Set<string | undefined>();
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    paths.add(request.url);
    bodies.push(await text(request));
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void collector.close());

const portOf = (server: Server): number => {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('The collector has no port.');
  return address.port;
};

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
  make: {
    v: {
      from: ['allpv'],
      keep: ['allpv.url'],
      filter: { url: 'https://shop.example/a-secret' },
    },
  },
  result: { use: 'v' },
};

// conformance: beyond.traces-opentelemetry
// attack: someone-traces-looks-values
test("a request's span is a child of the caller's, has child spans, and contains none of the caller's values", async () => {
  const site = { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' };
  await applySites(database.write, { sites: [site] });
  const server = await program.serve({
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.readUrl,
    DATA_DIR: tmpdir(),
    QAL_COLUMNS: 'off',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${portOf(collector)}/`,
  });
  const [, secret = ''] = /-u 'admin:([^']+)'/.exec(server.text.out) ?? [];
  const ask = async (body: object, spanId: string) => {
    const { status } = await fetch(`${server.url}/wp-json/qa-platform/query`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        Authorization: basicHeader({ login: 'admin', secret }),
        'Content-Type': 'application/json',
        traceparent: `00-${TRACE}-${spanId}-01`,
      },
    });
    return status;
  };
  const statuses = [
    await ask(QUERY, CALLER),
    await ask({ ...QUERY, result: { use: 'a-secret' } }, '00f067aa0ba902b8'),
  ];
  // This caller's trace is not sampled.
  const traceparent = `00-${TRACE}-${CALLER}-00`;
  await fetch(`${server.url}/healthz`, { headers: { traceparent } });
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);

  expect(statuses).toEqual([200, 400]);
  expect([...paths]).toEqual(['/v1/traces']);
  expect(bodies.join('')).not.toMatch(/a-secret|Authorization/i);
  const resources = bodies.flatMap((body) => sent.parse(JSON.parse(body)).resourceSpans);
  expect(resources[0]?.resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'qal' },
  });
  const spans = resources
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    .map(({ attributes, ...span }) => ({
      ...span,
      tags: Object.fromEntries(
        attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
      ),
    }));
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));

  const [answered, refused, ...others] = spans.filter(({ name }) => name.startsWith('POST'));
  expect(others).toEqual([]);
  const tags = { 'http.route': '/wp-json/qa-platform/query', 'qal.request_id': TRACE };
  expect(answered).toMatchObject({
    name: 'POST /wp-json/qa-platform/query',
    parentSpanId: CALLER,
    tags: { ...tags, 'http.response.status_code': 200 },
  });
  expect(refused).toMatchObject({ tags: { ...tags, 'http.response.status_code': 400 } });
  const below = (parent: typeof answered) =>
    spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);
  expect(below(answered).map(({ name }) => name)).toEqual(['parse', 'wait', 'plan', 'statement']);
  expect(below(answered)[3]?.tags).toEqual({ 'qal.engine': 'rows', 'qal.rows': 0 });
  expect(below(refused)).toMatchObject([
    { name: 'parse', status: { code: 2 }, tags: { 'error.type': 'E_UNKNOWN_VIEW' } },
  ]);
  expect(spans.some(({ name }) => name.includes('/healthz'))).toBe(false);
});

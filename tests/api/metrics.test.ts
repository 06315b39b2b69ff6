// A real host's metrics, and who may read them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTelemetry } from '../../host-shim/telemetry/telemetry';
import { createMemoryLog } from '../support/memory-log';
import { startTestHost, type TestHost } from '../support/test-host';
import { until } from '../support/until';

const TOKEN = 'a-token-for-this-test';

let host: TestHost;
beforeAll(async () => {
  host = await startTestHost({
    sites: [{ tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' }],
    users: [{ login: 'ann', role: 'administrator' }],
    metricsToken: TOKEN,
  });
  await host.importRows('allpv', 'shop', [
    { pv_id: 1, reader_id: 1, access_time: '2026-05-03T10:00:00Z', url: 'https://shop.example/a' },
  ]);
});
afterAll(() => host.stop());

const scrape = (token = TOKEN) =>
  host.request('GET', '/metrics', { headers: { Authorization: `Bearer ${token}` } });

/** All samples: the name with its labels -> the value. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const { status, text } = await scrape();
  expect(status).toBe(200);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

const QUERY = {
  tracking_id: 'shop',
  materials: [{ name: 'allpv' }],
  time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
  make: { v: { from: ['allpv'], keep: ['allpv.url'] } },
  result: { use: 'v' },
};
const ask = (body: object) => host.request('POST', '/wp-json/qa-platform/query', { user: 'ann', body });

// conformance: beyond.metrics-prometheus-callers
test('queries are counted by API version, error code and engine, and timed by engine', async () => {
  const before = await samples();
  const grownBy = async (name: string) => ((await samples()).get(name) ?? 0) - (before.get(name) ?? 0);
  await ask(QUERY);
  await ask(QUERY);
  await ask({ ...QUERY, result: { use: 'w' } });
  const of = (code: string, engine: string) =>
    `qal_queries_total{api_version="2026-05-11",code="${code}",engine="${engine}"}`;
  expect(await grownBy(of('ok', 'rows'))).toBe(1);
  expect(await grownBy(of('ok', 'cache'))).toBe(1);
  expect(await grownBy(of('E_UNKNOWN_VIEW', 'none'))).toBe(1);
  expect(await grownBy('qal_query_duration_seconds_count{engine="rows"}')).toBe(1);
  expect(
    await grownBy(
      'qal_http_request_duration_seconds_count{method="POST",route="/wp-json/qa-platform/query",status="200"}',
    ),
  ).toBe(2);
});

// conformance: beyond.metrics-prometheus-callers
test('callers cannot create new labels', async () => {
  await host.request('GET', '/made-up-by-a-caller');
  await host.request('GET', '/wp-json/qa-platform/made-up-by-a-caller');
  await host.request('GET', '/wp-json/wp/v2/users/77', { user: 'ann' });
  await host.request('GET', '/wp-admin/made-up-by-a-caller');
  const { text } = await scrape();
  expect(text).not.toContain('made-up');
  const seen = [...(await samples()).keys()];
  const countOf = (route: string) =>
    seen.filter((name) => name.includes(`_count{`) && name.includes(`route="${route}"`));
  for (const route of ['none', '/wp-json/', '/wp-json/wp/v2/users/{id}', '/wp-admin'])
    expect([route, countOf(route).length]).toEqual([route, 1]);
});

// conformance: beyond.metrics-prometheus-callers
test('there are metrics for queues, connections, imports, health and the process', async () => {
  const seen = await samples();
  const exact = [
    ['qal_queue_length{queue="queries",state="running"}', 0],
    ['qal_queue_length{queue="imports",state="waiting"}', 0],
    ['qal_database_connections{pool="read",state="waiting"}', 0],
    ['qal_imports{status="done"}', 1],
    ['qal_imports{status="running"}', 0],
    ['qal_health_check{check="Database"}', 0],
    ['qal_health_check{check="Imports"}', 0],
  ] as const;
  for (const [name, value] of exact) expect([name, seen.get(name)]).toEqual([name, value]);
  for (const name of ['qal_last_import_timestamp_seconds', 'process_resident_memory_bytes'])
    expect(seen.get(name)).toBeGreaterThan(0);
  expect(seen.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  // The columnar copy is not running here.
  expect([...seen.keys()].filter((name) => name.startsWith('qal_column_copy'))).toEqual([]);
});

test('a scrape contains every value even if another scrape begins before it ends', async () => {
  const { gauge, metrics } = await openTelemetry({ metricsToken: TOKEN }, createMemoryLog().log);
  const [slow, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let [reads, isSlow] = [0, false];
  gauge({ name: 'qal_first', help: 'The first read is fast, the second slow.', labels: [] }, async () => {
    reads += 1;
    if (reads > 1) await again.promise;
    return [{ labels: {}, value: 1 }];
  });
  gauge({ name: 'qal_second', help: 'Every read is slow.', labels: [] }, async () => {
    isSlow = true;
    await slow.promise;
    return [{ labels: {}, value: 2 }];
  });
  const first = metrics?.scrape();
  await until(() => isSlow);
  const second = metrics?.scrape();
  slow.resolve();
  expect((await first)?.text).toMatch(/^qal_first 1$[\s\S]*^qal_second 2$/m);
  again.resolve();
  expect((await second)?.text).toMatch(/^qal_first 1$[\s\S]*^qal_second 2$/m);
});

test("names follow Prometheus's naming rules, and each metric has help text", async () => {
  const { text } = await scrape();
  const types = [...text.matchAll(/^# TYPE (qal_\S+) (\S+)$/gm)];
  expect(types.length).toBeGreaterThan(5);
  for (const [, name = '', kind] of types) {
    expect(name).toMatch(/^qal_[a-z][a-z_]*$/);
    if (kind === 'counter') expect(name).toMatch(/_total$/);
    if (kind === 'histogram') expect(name).toMatch(/_seconds$/);
    expect(text).toMatch(new RegExp(`^# HELP ${name} .{10}`, 'm'));
  }
});

test('the documentation page lists all our metrics, and no others', async () => {
  const { text } = await scrape();
  const page = readFileSync(join(__dirname, '../../docs/how-to/watch-it.md'), 'utf8');
  const named = new Set([...page.matchAll(/\bqal_[a-z_]+/g)].map(([name]) => name));
  const reported = new Set([...text.matchAll(/^# TYPE (qal_\S+)/gm)].map(([, name]) => name));
  // These appear only once a query is rejected or a difference is found.
  const rare = ['qal_queries_turned_away_total', 'qal_column_copy_differences_total'];
  expect([...named].sort()).toEqual([...reported, ...rare].sort());
});

// conformance: beyond.metrics-prometheus-callers
test('only callers with the token may read /metrics, which does not exist if no token is set', async () => {
  for (const headers of [{}, { Authorization: `Bearer ${TOKEN}x` }, { Authorization: TOKEN }]) {
    const { status, text, headers: answered } = await host.request('GET', '/metrics', { headers });
    expect([status, answered['www-authenticate']]).toEqual([401, 'Bearer realm="metrics"']);
    expect(text).not.toContain('qal_');
  }
  expect((await host.request('GET', '/metrics', { user: 'ann' })).status).toBe(401);
  const closed = await startTestHost();
  expect(
    (await closed.request('GET', '/metrics', { headers: { Authorization: `Bearer ${TOKEN}` } })).status,
  ).toBe(404);
  await closed.stop();
});

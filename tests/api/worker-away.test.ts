// If a Citus worker is killed or unreachable, only its own sites are affected. The coordinator connects to the workers through
// proxies. Runs only on a cluster: `make test-citus`.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database';
import type { DatabaseProxy } from '../support/database-proxy';
import { openWorkerProxies, workerCount } from '../support/divided-database';
import { logInAs, type PageClient } from '../support/page-client';
import { useProgram } from '../support/program-process';
import { runCommand } from '../support/run-command';
import { sendRequest } from '../support/send-request';
import { basicHeader, startOn, type TestHost } from '../support/test-host';
import { throwawayFolder } from '../support/throwaway-postgres';
import { until } from '../support/until';
import {
  askRoutes,
  FUNNEL,
  fillSites,
  openPages,
  QUERY,
  ROW,
  runCommands,
  sweepSite,
} from './sweep-requests';

const program = useProgram(join(__dirname, '../../host-shim/cli/qal.ts'));
let proxies: readonly DatabaseProxy[];
/** The proxy in front of the worker with the site `lost`. */
let proxy: DatabaseProxy;
let database: TestDatabase;
let host: TestHost;
let folder: string;
let server: Server;
let ann: PageClient;

/** The tracking ids of the sites to create. Citus places sites by id: `shop` and `blog` on one worker, `lost` on another. */
async function namesByPlace(): Promise<readonly string[]> {
  const { rows }: { rows: { port: number }[] } = await database.write.raw(
    `SELECT nodeport AS port FROM generate_series(1, 20) site_id
       JOIN pg_dist_placement ON shardid = get_shard_id_for_distribution_column('analytics.site_version', site_id)
       JOIN pg_dist_node USING (groupid) ORDER BY site_id`,
  );
  const ports = rows.map(({ port }) => port);
  const blog = ports.indexOf(ports[0] ?? 0, 1);
  const lost = ports.findIndex((port) => port !== ports[0]);
  proxy = proxies.find((one) => new URL(one.through(database.url)).port === String(ports[lost])) ?? proxy;
  const named = new Map([
    [0, 'shop'],
    [blog, 'blog'],
    [lost, 'lost'],
  ]);
  return ports
    .slice(0, Math.max(...named.keys()) + 1)
    .map((_port, index) => named.get(index) ?? `more${index}`);
}

const serve = async (dataDir: string) => {
  const { url, child, ended, text } = await program.serve({
    DATABASE_URL: database.url,
    DATABASE_READ_URL: database.readUrl,
    DATA_DIR: join(folder, dataDir),
    QAL_ENVIRONMENT: 'local',
    QAL_RATE_PER_MINUTE: '0',
    QAL_RATE_PER_HOUR: '0',
    QAL_COLUMNS_MEMORY_MB: '64',
  });
  const request: TestHost['request'] = (method, path, { user, headers = {}, body } = {}) =>
    sendRequest({
      method,
      url: url + path,
      headers: [
        ...(user === undefined ? [] : [['Authorization', basicHeader(host.credentials('ann'))] as const]),
        ['Content-Type', 'application/json'],
        ...Object.entries(headers),
      ],
      body: typeof body === 'object' ? JSON.stringify(body) : body,
    });
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { url, request, kill, text };
};
type Server = Awaited<ReturnType<typeof serve>>;

/** Queries a site; returns the status, the error code if there is one, and the duration. */
async function query(site: string, { request } = server) {
  const begun = performance.now();
  const { status, body } = await request('POST', '/wp-json/qa-platform/query', {
    user: 'ann',
    // A different start each time, so that results do not come from the cache.
    body: { ...QUERY, tracking_id: site, time: { ...QUERY.time, start: nextStart() } },
  });
  return { status, code: body?.error?.code ?? body?.code, ms: performance.now() - begun };
}

let second = 0;
const nextStart = () => {
  second += 1;
  return `2026-05-01T00:00:${String(second % 60).padStart(2, '0')}`;
};

const importInto = (site: string, rows: string) =>
  server.request('POST', `/wp-json/qal-data/v1/import/allpv?site=${site}`, {
    user: 'ann',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: rows,
  });

const ready = ({ request } = server) => request('GET', '/readyz');
const views = async (site: string): Promise<number> => {
  const [siteId] = await database
    .write('analytics.site')
    .where('tracking_id', site)
    .pluck<number[]>('site_id');
  // The id is a bound value, so that Citus can determine the worker.
  return (await database.write('analytics.page_view').where('site_id', siteId).pluck('pv_id')).length;
};

let nextView = 1000;
const newView = (browser: string) => {
  nextView += 1;
  return `{"pv_id":${nextView},"access_time":"2026-05-10T10:00:00Z","url":"https://shop.example/new","browser":"${browser}"}\n`;
};

/** Detection takes two seconds if connections are refused; otherwise, it takes two tries of two seconds each. */
const UNNOTICED_MS = 15_000;
const IMMEDIATE_MS = 2_000;

const onCluster = workerCount > 1 ? describe : describe.skip;

onCluster.each([
  ['is killed', () => proxy.refuse()],
  ['receives no packets', () => proxy.fallSilent()],
])('a worker that %s', (how, cut) => {
  beforeAll(async () => {
    proxies = await openWorkerProxies();
    database = await createTestDatabase(undefined, undefined, proxies);
    folder = await mkdtemp(join(throwawayFolder(), 'qal-worker-'));
    const sites = (await namesByPlace()).map(sweepSite);
    host = await startOn(database, { sites, users: [{ login: 'ann', role: 'administrator' }] });
    await fillSites(host);
    await host.importRows('allpv', 'lost', [
      { pv_id: 1, access_time: '2026-05-03T10:00:00Z', url: 'https://lost.example/' },
    ]);
    server = await serve('one');
    ann = await logInAs(server, 'ann');
    // Stores the browser, country and device of the later imports in advance.
    await importInto('blog', ROW.replace('shop', 'blog'));
    await ann.post('/wp-admin/funnels/shop/add', FUNNEL);
    expect([await query('shop'), await query('lost'), await query('all')]).toMatchObject([
      { status: 200 },
      { status: 200 },
      { status: 200 },
    ]);
  });
  afterAll(async () => {
    for (const one of proxies) one.recover();
    await server.kill();
    await host.stop();
    await rm(folder, { recursive: true, force: true });
    await Promise.all(proxies.map((one) => one.close()));
  });

  test('is noticed, while queries on other sites are answered', async () => {
    cut();
    const [lost, all, ...others] = await Promise.all([
      query('lost'),
      query('all'),
      query('shop'),
      query('blog'),
    ]);
    expect([lost, all]).toMatchObject(Array(2).fill({ status: 503, code: 'E_UNAVAILABLE' }));
    expect(Math.max(lost.ms, all.ms)).toBeLessThan(how === 'is killed' ? IMMEDIATE_MS : UNNOTICED_MS);
    expect(others).toMatchObject(Array(2).fill({ status: 200 }));
    expect(Math.max(...others.map(({ ms }) => ms))).toBeLessThan(IMMEDIATE_MS);
    await until(async () =>
      (await ready()).text.includes(`Workers: warning, 1 of ${proxies.length} not responding`),
    );
    expect((await ready()).status).toBe(200);
  });

  test('affects only its sites', async () => {
    const [lost, all, shop] = [await query('lost'), await query('all'), await query('shop')];
    expect([lost, all]).toMatchObject(Array(2).fill({ status: 503, code: 'E_UNAVAILABLE' }));
    expect(shop).toMatchObject({ status: 200 });
    expect(Math.max(lost.ms, all.ms, shop.ms)).toBeLessThan(IMMEDIATE_MS);
  });

  test('is not needed to import rows with known values into other sites', async () => {
    const before = await views('shop');
    const { status, text } = await importInto('shop', newView('Firefox'));
    expect([status, text]).toEqual([200, expect.stringContaining('"added":1')]);
    expect(await views('shop')).toBe(before + 1);
    const refused = await importInto('lost', newView('Firefox'));
    expect([refused.status, refused.body.code]).toEqual([503, 'import_interrupted']);
  });

  test('is needed to import a row with a new value, and nothing from the failed import is stored', async () => {
    const before = await views('shop');
    const { status, body, headers } = await importInto('shop', newView('Firefox') + newView('Netscape'));
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'import_interrupted', '30']);
    expect(body.message).toMatch(
      /^New browser: "Netscape"\. Citus stores such values on all workers or on none\. The Citus worker \S+ does not respond\. Nothing from this file was imported\. Import it again when the worker is back\.$/,
    );
    expect(await views('shop')).toBe(before);
    const { body: record } = await server.request(
      'GET',
      `/wp-json/qal-data/v1/imports/${body.data.import_id}`,
      {
        user: 'ann',
      },
    );
    expect(record).toMatchObject({ status: 'failed', error: body.message });
    expect(await database.write('analytics.browser').pluck('browser')).not.toContain('Netscape');
  });

  test('is not needed by routes for other sites', async () => {
    expect(await askRoutes(server, ann, 'whileAway')).toEqual([]);
  });

  test('is not needed by pages for other sites', async () => {
    expect(await openPages(ann, 'whileAway')).toEqual([]);
  });

  test('is not needed by commands for other sites', async () => {
    expect(await runCommands(database, 'whileAway')).toEqual([]);
  });

  test.each([
    ['export', '--site', 'lost', 'unused'],
    ['visitors export', '--site', 'lost', '--reader-id', '1'],
    ['data delete', '--site', 'lost', '--from', '2026-05-03', '--to', '2026-05-03', '--yes'],
  ])('is named in the error of the command %s for its site', async (name, ...rest) => {
    const { code, err } = await runCommand({ database }, [...name.split(' '), ...rest]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(
        /^The Citus worker \S+:\d+ does not respond\. Run the command again when the worker is back\.\n$/,
      ),
    ]);
  });

  test('is not needed when a server starts', async () => {
    const second = await serve('two');
    expect([await query('shop', second), await query('lost', second)]).toMatchObject([
      { status: 200 },
      { status: 503, code: 'E_UNAVAILABLE' },
    ]);
    expect((await ready(second)).status).toBe(200);
    await second.kill();
  });

  test('is used again once it is back', async () => {
    proxy.recover();
    await until(async () => (await query('lost')).status === 200);
    expect([await query('all'), await query('shop')]).toMatchObject([{ status: 200 }, { status: 200 }]);
    await until(async () => !(await ready()).text.includes('Workers'));
    // Citus notices that a connection to a worker is closed only at its next write to that worker.
    for (const site of ['shop', 'lost']) {
      const statuses = new Set<number>();
      await until(async () => {
        const { status } = await importInto(site, newView('Netscape'));
        statuses.add(status);
        return status === 200;
      });
      expect([200, 503]).toEqual(expect.arrayContaining([...statuses]));
    }
  });
});

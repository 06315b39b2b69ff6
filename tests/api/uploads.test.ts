// Uploads: how they are received, when their import starts, and what happens if the client disconnects.
import { request as httpRequest } from 'node:http';
import { analyticsChecks } from '../../extension/api/health-checks';
import { inTransaction } from '../../extension/data/storage/in-transaction';
import { lockSiteData } from '../../extension/data/storage/site-locks';
import { NO_WORKERS } from '../../extension/data/storage/workers';
import { basicHeader, type Credentials, startTestHost, type TestHost } from '../support/test-host';
import { until } from '../support/until';

const ROOT = '/wp-json/qal-data/v1';
const METRICS = 'token for the uploads test';
const view = (number: number) => ({
  pv_id: number,
  url: `https://shop.example/${number}`,
  access_time: '2026-05-01T10:00:00Z',
  session_id: number,
  reader_id: number,
});
const ndjson = (...rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

let host: TestHost;
let key: Credentials;
beforeAll(async () => {
  host = await startTestHost({
    sites: ['shop', 'blog', 'wiki'].map((name) => ({
      tracking_id: name,
      domain: `${name}.example`,
      name,
      timezone: 'UTC',
    })),
    users: [{ login: 'root', role: 'administrator' }],
    metricsToken: METRICS,
  });
  key = await host.createApplicationPassword('root', 'imports', { level: 'import' });
});
afterAll(() => host.stop());

const send = (path: string, body: string) =>
  host.request('POST', `${ROOT}/import/${path}`, { user: key, body });
const get = (path: string) => host.request('GET', `${ROOT}/${path}`, { user: key });

const views = async (trackingId: string): Promise<number> => {
  const { rows } = await host.database.write.raw(
    'SELECT count(*)::int AS n FROM analytics.page_view JOIN analytics.site USING (site_id) WHERE tracking_id = ?',
    [trackingId],
  );
  return rows[0].n;
};

let release = async () => {};
// A failed test must not prevent the host from stopping.
afterEach(() => release());

/** Blocks imports into a site until the returned function is called. */
async function holdSite(trackingId: string): Promise<() => Promise<void>> {
  let free = () => {};
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  let held: Promise<void> = freed;
  await new Promise<void>((resolve) => {
    held = inTransaction(host.database.write, async (client) => {
      await lockSiteData(client, trackingId);
      resolve();
      await freed;
    });
  });
  release = async () => {
    free();
    await held;
  };
  return release;
}

/** Sends the beginning of an upload; `end` sends the rest. */
function slowUpload(path: string, start: string) {
  const sending = httpRequest(`${host.url}${ROOT}/import/${path}`, {
    method: 'POST',
    headers: { Authorization: basicHeader(key) },
    agent: false,
  });
  sending.on('error', () => undefined);
  const status = new Promise((resolve) =>
    sending.once('response', (answer) => resolve(answer.resume().statusCode)),
  );
  sending.write(start);
  return { sending, status, end: (rest = '') => sending.end(rest) };
}

async function uploadedBytes(): Promise<number> {
  const headers = { Authorization: `Bearer ${METRICS}` };
  const { text } = await host.request('GET', '/metrics', { headers });
  return Number(/^qal_upload_bytes (\d+)$/m.exec(text)?.[1]);
}

const newest = async () => (await get('imports?site=shop')).body.imports[0] ?? {};

// conformance: beyond.every-import-recorded
test('a running import is listed, with its state', async () => {
  const free = await holdSite('shop');
  const { status, end } = slowUpload('allpv?site=shop&file=slow', ndjson(view(81)));
  end();
  await until(async () => (await newest()).file === 'slow');
  const seen = await newest();
  expect(seen).toMatchObject({ status: 'running', login: 'root' });
  await free();
  expect(await status).toBe(200);
  expect(await newest()).toMatchObject({ import_id: seen.import_id, status: 'done', added: 1 });
});

// conformance: beyond.imports-over-http
test('slow uploads use no transaction and no slot, and are imported once they are complete', async () => {
  const start = ndjson(view(90_000));
  const slow = ['shop', 'blog', 'wiki'].map((name) => slowUpload(`allpv?site=${name}&file=slow`, start));
  await until(async () => (await uploadedBytes()) >= slow.length * start.length);
  for (const name of ['shop', 'blog', 'wiki'])
    expect((await send(`allpv?site=${name}&file=quick`, ndjson(view(91_000)))).status).toBe(200);
  const { rows } = await host.database.write.raw(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
  );
  expect(rows[0].n).toBe(0);
  const { imports } = (await get('imports')).body;
  expect(imports.slice(0, 3).map(({ file }: { file: string }) => file)).toEqual(['quick', 'quick', 'quick']);
  for (const { end } of slow) end(ndjson(view(92_000)));
  expect(await Promise.all(slow.map(({ status }) => status))).toEqual([200, 200, 200]);
  expect(await newest()).toMatchObject({ file: 'slow', status: 'done', read: 2 });
});

test('an upload that is too large is rejected before it is read', async () => {
  const sending = httpRequest(`${host.url}${ROOT}/import/allpv?site=shop`, {
    method: 'POST',
    headers: { Authorization: basicHeader(key), 'Content-Length': 2 ** 21 },
    agent: false,
  });
  sending.on('error', () => undefined);
  const answered = new Promise((resolve) => sending.once('response', resolve));
  sending.flushHeaders();
  expect(await answered).toMatchObject({ statusCode: 413 });
  sending.destroy();
});

// conformance: beyond.imports-over-http
test('nothing is left of an upload whose client disconnects partway through', async () => {
  const before = await views('shop');
  const { sending } = slowUpload('allpv?site=shop&file=broken', ndjson(view(71)));
  await until(async () => (await uploadedBytes()) > 0);
  sending.destroy();
  await until(async () => (await uploadedBytes()) === 0);
  expect(await views('shop')).toBe(before);
  expect(
    (await get('imports?site=shop')).body.imports.map(({ file }: { file: string }) => file),
  ).not.toContain('broken');
});

// conformance: beyond.imports-over-http
test('if a client disconnects during its import, only the record of the failed import is left', async () => {
  const before = await views('shop');
  const free = await holdSite('shop');
  const { sending, end } = slowUpload('allpv?site=shop&file=left', ndjson(view(72)));
  end();
  await until(async () => (await newest()).file === 'left');
  sending.destroy();
  await free();
  await until(async () => (await newest()).status !== 'running');
  expect(await newest()).toMatchObject({
    file: 'left',
    status: 'failed',
    error: 'Stopped; nothing was imported.',
  });
  expect(await views('shop')).toBe(before);
});

test.each([
  [0, 0, 'fine', 'none in this process'],
  [1, 2 ** 20, 'fine', '1 upload under way, 1 of 10 MB'],
  [2, 9.5 * 2 ** 20, 'warning', '2 uploads under way, 10 of 10 MB'],
])('Health reports %i uploads with a total of %i bytes', async (uploads, bytes, state, brief) => {
  const checks = analyticsChecks({
    host: { clock: () => new Date(), database: host.database, dataDir: '' },
    settings: { columns: false },
    columns: () => undefined,
    workers: NO_WORKERS,
    uploads: { use: () => ({ uploads, bytes }), maxBytes: 10 * 2 ** 20 },
  });
  const check = checks.find(({ title }) => title === 'Uploads');
  expect(await check?.look()).toMatchObject({ state, brief });
});

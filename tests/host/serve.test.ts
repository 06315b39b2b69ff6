// What a start does to the database before it greets: the demo and the warning about rollups. The server is told to stop
// before it starts, so that it loads nothing.
import { importRows } from '../../extension/import/import-rows';
import { serve } from '../../host-shim/cli/serve';
import { configure } from '../../host-shim/config';
import { PRODUCT } from '../../host-shim/main';
import { loadManifest } from '../../manifests/reader/manifest';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createMemoryLog } from '../support/memory-log';
import { createTestTerminal } from '../support/test-terminal';

const STOPPED = 'Stopped; the demo site will be loaded at the next start.';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const addSite = (trackingId: string, domain = `${trackingId}.example`) =>
  database.write('analytics.site').insert({ tracking_id: trackingId, domain, name: 'A', timezone: 'UTC' });

function startAndStop(log = createMemoryLog().log, more: Readonly<Record<string, string>> = {}) {
  const own = { PORT: '0', DATABASE_URL: database.url, DATABASE_READ_URL: database.readUrl };
  const { config, extensions: installed } = configure(PRODUCT.extensions, { ...own, ...more });
  return serve({
    product: PRODUCT,
    config,
    installed,
    terminal: createTestTerminal(),
    clock: () => new Date('2026-05-01T10:00:00Z'),
    log,
    signal: AbortSignal.abort(),
  });
}

test('fills a database without sites', async () => {
  await expect(startAndStop()).rejects.toThrow(STOPPED);
});

test('fills a demo site that a killed start left without data', async () => {
  await addSite('demo');
  await expect(startAndStop()).rejects.toThrow(STOPPED);
});

test.each([[['shop']], [['shop', 'demo']]])('leaves the sites %j as they are', async (sites) => {
  for (const site of sites) await addSite(site);
  await expect(startAndStop()).resolves.toBeUndefined();
});

test('leaves a site alone that only has the name of the demo', async () => {
  await addSite('demo', 'own.example');
  await expect(startAndStop()).resolves.toBeUndefined();
});

test('warns of sites that have rows and no counts', async () => {
  const manifest = loadManifest();
  for (const site of ['shop', 'blog', 'new']) await addSite(site);
  for (const site of ['shop', 'blog']) {
    const rows = [{ url: `https://${site}.example/`, access_time: '2026-04-01T00:00:00Z' }];
    await importRows(database.write, manifest, { material: 'allpv', site, rows });
  }
  const hints = async (more?: Readonly<Record<string, string>>) => {
    const { log, logged } = createMemoryLog();
    await startAndStop(log, more);
    return logged.filter(({ msg }) => String(msg).includes('counts'));
  };
  expect(await hints()).toEqual([]);
  await database.write.raw(
    "DELETE FROM analytics.rollup_state USING analytics.site s WHERE s.site_id = rollup_state.site_id AND tracking_id = 'shop'",
  );
  expect(await hints()).toEqual([
    expect.objectContaining({ sites: ['shop'], msg: expect.stringMatching(/run: qal rollups rebuild$/) }),
  ]);
  expect(await hints({ QAL_ROLLUPS: 'off' })).toEqual([]);
});

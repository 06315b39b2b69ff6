// Whether a server loads the demo when it starts, or rejects its settings. The server is stopped before it is ready, so it does
// nothing else.
import { serve } from '../../host-shim/cli/serve';
import { PRODUCT } from '../../host-shim/main';
import { configure } from '../../host-shim/server/config';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createMemoryLog } from '../support/memory-log';
import { createTestTerminal } from '../support/test-terminal';

const STOPPED = 'Stopped; the demo site will be loaded the next time the server starts.';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const addSite = (trackingId: string, domain = `${trackingId}.example`) =>
  database.write('analytics.site').insert({ tracking_id: trackingId, domain, name: 'A', timezone: 'UTC' });

function startAndStop(log = createMemoryLog().log, more: Readonly<Record<string, string>> = {}) {
  const base = { PORT: '0', DATABASE_URL: database.url, DATABASE_READ_URL: database.readUrl, QAL_DEMO: 'on' };
  const { config, extensions: installed } = configure(PRODUCT.extensions, { ...base, ...more });
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

test('loads the demo into a database without sites', async () => {
  await expect(startAndStop()).rejects.toThrow(STOPPED);
});

test('does not load the demo unless it is enabled', async () => {
  await expect(startAndStop(undefined, { QAL_DEMO: '' })).resolves.toBeUndefined();
  expect(await database.write('analytics.site').select()).toEqual([]);
});

test('loads the demo into a demo site left empty by a start that was killed', async () => {
  await addSite('demo');
  await expect(startAndStop()).rejects.toThrow(STOPPED);
});

test.each([[['shop']], [['shop', 'demo']]])('does not change the sites %j', async (sites) => {
  for (const site of sites) await addSite(site);
  await expect(startAndStop()).resolves.toBeUndefined();
});

test('does not change a site that shares only its id with the demo', async () => {
  await addSite('demo', 'own.example');
  await expect(startAndStop()).resolves.toBeUndefined();
});

test('does not start with more queries than connections', async () => {
  await expect(startAndStop(undefined, { DB_POOL_MAX: '3', QAL_QUERIES_AT_ONCE: '3' })).rejects.toThrow(
    /^QAL_QUERIES_AT_ONCE must be less than DB_POOL_MAX \(3\), but is 3\. .* set QAL_QUERIES_AT_ONCE to 2 or less\.$/,
  );
});

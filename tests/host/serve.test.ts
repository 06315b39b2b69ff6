// When a start fills the database with the demo, seen by a start that is asked to stop before it loads anything.
import { readConfig } from '../../host-shim/config';
import { createLog } from '../../host-shim/logging';
import { serve } from '../../host-shim/serve';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { createTestTerminal } from '../support/test-terminal';

const STOPPED = 'Stopped; the demo site will be loaded at the next start.';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const addSite = (trackingId: string, domain = `${trackingId}.example`) =>
  database.write('analytics.site').insert({ tracking_id: trackingId, domain, name: 'A', timezone: 'UTC' });

const startAndStop = () =>
  serve({
    config: readConfig({ PORT: '0', DATABASE_URL: database.url, DATABASE_READ_URL: database.readUrl }, {}),
    terminal: createTestTerminal(),
    clock: () => new Date('2026-05-01T10:00:00Z'),
    log: createLog('silent'),
    signal: AbortSignal.abort(),
  });

test('a database without sites is filled', async () => {
  await expect(startAndStop()).rejects.toThrow(STOPPED);
});

test('a demo site that a killed start left without data is filled', async () => {
  await addSite('demo');
  await expect(startAndStop()).rejects.toThrow(STOPPED);
});

test.each([[['shop']], [['shop', 'demo']]])('the sites %j are left as they are', async (sites) => {
  for (const site of sites) await addSite(site);
  await expect(startAndStop()).resolves.toBeUndefined();
});

test("a site of one's own that bears the name of the demo is left as it is", async () => {
  await addSite('demo', 'own.example');
  await expect(startAndStop()).resolves.toBeUndefined();
});

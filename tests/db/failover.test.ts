// A replica takes over that lacks the last transactions of the primary: what is remembered of them is not taken for what follows.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../db/connect';
import { migrate } from '../../db/migrate';
import { expectEqualTables, openTestColumns } from '../support/columns';
import { applyTestSites, importTestRows } from '../support/host-data';
import { type Replica, startPrimary, startReplica } from '../support/streaming-replica';
import { SCHEMAS } from '../support/test-server';
import { type ThrowawayPostgres, throwawayFolder } from '../support/throwaway-postgres';

// These tests start whole programs, on machines that may be busy.
jest.setTimeout(90_000);

let primary: ThrowawayPostgres;
let replica: Replica;
let before: Database;
let after: Database;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(await throwawayFolder(), 'qal-columns-'));
  primary = await startPrimary('qal-primary-');
  before = await open(primary.url);
  await migrate(before.write, SCHEMAS, before.readerRole);
  replica = await startReplica(primary, 'qal-replica-');
});
afterAll(async () => {
  await after?.stop();
  await replica?.remove();
  await primary?.stop();
  await rm(folder, { recursive: true, force: true });
});

// Connections to a server that is killed break.
const open = (url: string) => openDatabase({ url, dataDir: folder, poolMax: 4, onPoolError: () => {} });

const importView = (write: Database['write'], url: string) =>
  importTestRows(write, {
    ...{ material: 'allpv', site: 'shop', clock: () => new Date() },
    rows: [{ url, reader_id: 1, session_id: 1, access_time: '2026-05-02T10:00:00Z' }],
  });
const versionOf = async ({ write }: Database): Promise<number> =>
  (await write('analytics.site').first('data_version')).data_version;

test('versions of lost transactions do not come again, and the column copy forgets what it had of them', async () => {
  await applyTestSites(before.write, [
    { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' },
  ]);
  await importView(before.write, '/kept');
  const kept = await versionOf(before);
  await replica.caughtUp();
  await replica.kill();
  await importView(before.write, '/lost');
  const lost = await versionOf(before);
  const copy = await openTestColumns(before, { folder });
  await copy.stop({ keep: true });
  await before.stop();
  await primary.stop();

  await replica.start();
  await replica.run('SELECT pg_promote()');
  after = await open(replica.url);
  expect(await versionOf(after)).toBe(kept);
  // As many transactions as were lost, and more.
  for (const url of ['/new', '/newer', '/newest']) await importView(after.write, url);
  expect(await versionOf(after)).toBeGreaterThan(lost + 3);
  const copyAfter = await openTestColumns(after, { folder });
  await expectEqualTables(after, copyAfter).finally(() => copyAfter.stop({ keep: true }));
});

// A primary with a streaming replica: which server answers while the replica is current, behind or down, and how the
// program handles a failover that lost the primary's last transactions.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { type Database, openDatabase } from '../../db/connect';
import { migrate } from '../../db/migrate';
import { placeOf, withRoleOf } from '../../db/read-addresses';
import { READER_ROLE } from '../../db/roles';
import { isUnavailable } from '../../db/unavailable';
import { expectEqualTables, openTestColumns } from '../support/columns';
import { applyTestSites, importTestRows } from '../support/host-data';
import { useProgram } from '../support/program-process';
import { type Replica, startPrimary, startReplica } from '../support/streaming-replica';
import { basicHeader } from '../support/test-host';
import { SCHEMAS } from '../support/test-server';
import { type ThrowawayPostgres, throwawayFolder } from '../support/throwaway-postgres';

const program = useProgram(join(__dirname, '../../host-shim/cli/qal.ts'));
let primary: ThrowawayPostgres;
let replica: Replica;
let before: Database;
let isPrimaryDown = false;
/** A database that was opened with both addresses. */
let following: Database | undefined;
const changes: string[] = [];
const PATIENCE_MS = 120_000;
let server: Awaited<ReturnType<typeof program.serve>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(throwawayFolder(), 'qal-columns-'));
  primary = await startPrimary('qal-primary-');
  before = await open(primary.url);
  await before.write.raw('CREATE ROLE ?? LOGIN', [READER_ROLE]);
  await migrate(before.write, SCHEMAS, READER_ROLE);
  const site = { tracking_id: 'shop', domain: 'shop.example', name: 'Shop', timezone: 'UTC' };
  await applyTestSites(before.write, [site]);
  replica = await startReplica(primary, 'qal-replica-');
  server = await program.serve({
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: withRoleOf(replica.url, `postgresql://${READER_ROLE}@`),
    // Turns off the columnar copy, so that PostgreSQL answers every query.
    DATA_DIR: folder,
    QAL_COLUMNS: 'off',
    QAL_RESULT_CACHE_MB: '0',
    QAL_RATE_PER_MINUTE: '0',
    QAL_RATE_PER_HOUR: '0',
  });
});
afterAll(async () => {
  server?.child.kill('SIGKILL');
  if (!isPrimaryDown) await before?.stop();
  await following?.stop();
  await replica?.remove();
  if (!isPrimaryDown) await primary?.stop();
  await rm(folder, { recursive: true, force: true });
});

// Pool errors are ignored, because connections to a killed server break.
const open = (...urls: string[]) =>
  openDatabase({
    urls,
    dataDir: folder,
    poolMax: 4,
    onPoolError: () => {},
    onServerChange: (sentence) => changes.push(sentence),
  });

const importView = ({ write }: Database, url: string) =>
  importTestRows(write, {
    material: 'allpv',
    site: 'shop',
    clock: () => new Date(),
    rows: [{ url, reader_id: 1, session_id: 1, access_time: '2026-05-02T10:00:00Z' }],
  });
const versionOf = ({ write }: Database) => write('analytics.site_version').first('token', 'data_version');

const responseSchema = z.object({ result: z.object({ rows: z.array(z.array(z.string())) }) });

/** The URLs that a query returns. */
async function urlsSeen(): Promise<unknown> {
  const secret = /Application password +(.+)/.exec(server.text.out)?.[1] ?? '';
  const response = await fetch(`${server.url}/wp-json/qa-platform/query`, {
    method: 'POST',
    headers: { Authorization: basicHeader({ login: 'admin', secret }), 'Content-Type': 'application/json' },
    body: JSON.stringify({
      tracking_id: 'shop',
      materials: [{ name: 'allpv' }],
      time: { start: '2026-05-01T00:00:00', end: '2026-06-01T00:00:00', tz: 'UTC' },
      make: { v: { from: ['allpv'], keep: ['allpv.url'], sort: { by: 'url', order: 'asc' } } },
      result: { use: 'v' },
    }),
  });
  return responseSchema.parse(await response.json()).result.rows.flat();
}

/** Waits until /healthz, which is refreshed every few seconds, reports this state for the replica. */
async function awaitState(expected: RegExp): Promise<void> {
  for (const since = performance.now(); ; await pause(200)) {
    const text = await (await fetch(`${server.url}/healthz?details=1`)).text();
    const state = /^Read replicas: (.*)$/m.exec(text)?.[1] ?? text;
    if (expected.test(state)) return;
    if (performance.now() - since > PATIENCE_MS) throw new Error(state);
  }
}

// conformance: beyond.read-replicas-answer
test('a current replica answers', async () => {
  await importView(before, '/a');
  await replica.caughtUp();
  expect(await urlsSeen()).toEqual(['/a']);
  await awaitState(/^fine, 1 of 1 in use, 1 read answered, 0 passed on$/);
});

// conformance: beyond.read-replicas-answer
test('the primary answers while the replica is behind, and the replica once it has caught up', async () => {
  await replica.run('SELECT pg_wal_replay_pause()');
  await importView(before, '/b');
  expect(await urlsSeen()).toEqual(['/a', '/b']);
  await awaitState(/^fine, 1 of 1 in use, 1 read answered, 1 passed on$/);
  await replica.run('SELECT pg_wal_replay_resume()');
  await replica.caughtUp();
  expect(await urlsSeen()).toEqual(['/a', '/b']);
  await awaitState(/^fine, 1 of 1 in use, 2 reads answered, 1 passed on$/);
});

// conformance: beyond.read-replicas-answer
test('a replica that is down is excluded until it is back up', async () => {
  await replica.kill();
  expect(await urlsSeen()).toEqual(['/a', '/b']);
  await awaitState(/^warning, 0 of 1 in use, 2 reads answered, /);
  await replica.start();
  await awaitState(/^fine, 1 of 1 in use, 2 reads answered, /);
  expect(await urlsSeen()).toEqual(['/a', '/b']);
  await awaitState(/^fine, 1 of 1 in use, 3 reads answered, /);
  expect(server.text.err).toContain('is excluded');
});

// conformance: beyond.several-addresses-database
test("given several addresses, the program uses the primary's", async () => {
  following = await open(replica.url, primary.url);
  await importView(following, '/c');
  expect(following.description).toContain(placeOf(primary.url));
});

// conformance: beyond.after-failover-lost
test('a lost version number is reused with a different token, and the columnar copy drops the lost data', async () => {
  const kept = await versionOf(before);
  await replica.caughtUp();
  await replica.kill();
  await importView(before, '/lost');
  const lost = await versionOf(before);
  const copy = await openTestColumns(before, { folder });
  await copy.stop({ keep: true });
  isPrimaryDown = true;
  await before.stop();
  server.child.kill('SIGTERM');
  await server.ended;
  await primary.stop();

  await replica.start();
  await replica.promote();
  const after = await open(replica.url);
  try {
    expect(await versionOf(after)).toEqual(kept);
    await importView(after, '/new');
    expect(await versionOf(after)).toEqual({ data_version: lost.data_version, token: expect.any(String) });
    expect((await versionOf(after)).token).not.toBe(lost.token);
    const copyAfter = await openTestColumns(after, { folder });
    await expectEqualTables(after, copyAfter).finally(() => copyAfter.stop({ keep: true }));
  } finally {
    await after.stop();
  }
});

// conformance: beyond.several-addresses-database
test('a program with both addresses continues with the promoted server', async () => {
  if (following === undefined) throw new Error('No earlier test opened the database.');
  const database = following;
  const count = () =>
    database.read
      .query({ text: "SELECT FROM analytics.page WHERE url LIKE '%/after'" })
      .then(({ length }) => length);
  for (const since = performance.now(); ; await pause(200)) {
    try {
      await importView(database, '/after');
      break;
    } catch (error) {
      if (!isUnavailable(error) || performance.now() - since > PATIENCE_MS) throw error;
    }
  }
  expect(await count()).toBe(1);
  expect(changes).toEqual([`The primary of DATABASE_URL is now at ${placeOf(replica.url)}.`]);
});

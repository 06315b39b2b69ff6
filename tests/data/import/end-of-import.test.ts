// The end of an import: a late stop, rows that cannot be represented in JSON, and failures after the rows are stored.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { poolOf } from '../../../db/write-pool';
import type { ImportOptions } from '../../../extension/data/import/import-options';
import { listImports } from '../../../extension/data/import/import-record';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { LOCKS } from '../../../extension/data/storage/advisory-locks';
import { runCommand } from '../../support/run-command';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';
import { manifest, newSite, storedViews } from './import-setup';

const database = useTestDatabase();

const row = (index: number, more: object = {}) => ({
  url: `https://example.com/${index}`,
  access_time: 1_770_000_000 + index,
  ...more,
});
const load = (site: string, rows: readonly object[], more: Partial<ImportOptions> = {}) =>
  importRows(database.write, manifest, { material: 'allpv', site, rows, ...more });

const read = (site: string, input: Readable, more: Partial<ImportOptions>) =>
  importFile({
    write: database.write,
    manifest,
    material: 'allpv',
    site,
    input,
    format: 'ndjson',
    source: 'test',
    onError: 'stop',
    clock: () => new Date(0),
    ...more,
  });

/** Whether an import waits for the lock on the site. */
async function isLocked(other: Knex, siteId: number, condition = 'granted'): Promise<boolean> {
  const { rows } = await other.raw(
    `SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = ? AND objid = ? AND ${condition}`,
    [LOCKS.site, siteId],
  );
  return rows.length > 0;
}

const isWaiting = (other: Knex, siteId: number) => isLocked(other, siteId, 'NOT granted');

test('a signal still stops an import that has read or written all rows', async () => {
  const site = await newSite(database.write);
  const atEnd = new AbortController();
  const alsoWrite = jest.fn();
  const input = Readable.from(
    (function* () {
      yield Buffer.from(`${JSON.stringify(row(1))}\n`);
      atEnd.abort();
    })(),
  );
  const stoppedAtEnd = read(site, input, { signal: atEnd.signal, alsoWrite });
  await expect(stoppedAtEnd).rejects.toThrow('Stopped; nothing was imported.');
  expect(alsoWrite).not.toHaveBeenCalled();
  const late = new AbortController();
  const written = load(site, [row(1)], {
    signal: late.signal,
    alsoWrite: async () => late.abort(),
  });
  await expect(written).rejects.toThrow('Stopped; nothing was imported.');
  expect(await storedViews(database.write, site)).toEqual([]);
});

test('a signal also stops an import that waits for another one, even if all connections are in use', async () => {
  const { write } = database;
  const site = await newSite(write);
  const { site_id: siteId } = await write('analytics.site').where('tracking_id', site).first();
  const stopped = new AbortController();
  await write.transaction(async (other) => {
    await other.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCKS.site, siteId]);
    const waiting = load(site, [row(1)], { wait: true, signal: stopped.signal });
    const refused = expect(waiting).rejects.toThrow('Stopped; nothing was imported.');
    await until(() => isWaiting(other, siteId));
    const pool = poolOf(write);
    const free = Array.from({ length: pool.size - pool.use().inUse }, () => pool.acquire());
    const taken = await Promise.all(free);
    try {
      stopped.abort();
      await refused;
    } finally {
      for (const connection of taken) connection.release();
    }
  });
  const { imports } = await listImports(database.read, { sites: [site] });
  expect(imports).toMatchObject([{ status: 'failed', error: 'Stopped; nothing was imported.' }]);
});

test('an import whose site is removed while it waits stores nothing', async () => {
  const { write } = database;
  const site = await newSite(write);
  const { site_id: siteId } = await write('analytics.site').where('tracking_id', site).first();
  let refused: Promise<void> | undefined;
  await write.transaction(async (other) => {
    await other.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCKS.site, siteId]);
    const rows = [row(1, { original_id: 'ann' }), row(2, { pv_id: 'two', reader_id: 'bob' })];
    refused = expect(load(site, rows, { wait: true })).rejects.toThrow(
      `Site ${site} was removed before the import began`,
    );
    await until(() => isWaiting(other, siteId));
    await other('analytics.site').where('site_id', siteId).delete();
  });
  await refused;
  for (const table of ['page_view', 'page', 'reader', 'reader_state', 'given_id'])
    expect(await write(`analytics.${table}`).where('site_id', siteId)).toEqual([]);
});

test("an import waits while a followed log briefly holds the site's lock", async () => {
  const { write } = database;
  const site = await newSite(write);
  const { site_id: siteId } = await write('analytics.site').where('tracking_id', site).first();
  let loading: Promise<unknown> | undefined;
  await write.transaction(async (other) => {
    await other.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCKS.site, siteId]);
    loading = load(site, [row(1)]);
    await until(() => isWaiting(other, siteId));
  });
  expect(await loading).toMatchObject({ added: 1 });
});

test('between two files, a command lets other work that is waiting for the site go first', async () => {
  const { write } = database;
  const site = await newSite(write);
  const { site_id: siteId } = await write('analytics.site').where('tracking_id', site).first();
  const folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
  const next = join(folder, 'next.ndjson');
  await writeFile(next, JSON.stringify(row(2)));
  const first = async function* () {
    yield `${JSON.stringify(row(1))}\n`;
    await until(() => isWaiting(write, siteId));
  };
  let command: ReturnType<typeof runCommand> | undefined;
  await write.transaction(async (other) => {
    command = runCommand({ database }, ['import', 'allpv', '-', next, '--site', site], first());
    await until(() => isLocked(other, siteId));
    await other.raw('SELECT pg_advisory_xact_lock(?, ?)', [LOCKS.site, siteId]);
    await until(() => isWaiting(other, siteId));
  });
  expect(await command).toMatchObject({ code: 0, out: expect.stringMatching(/added {6}2\n/) });
  await rm(folder, { recursive: true });
});

test('an import that begins while its site is being removed reports the removal', async () => {
  const { write } = database;
  const site = await newSite(write);
  let refused: Promise<void> | undefined;
  await write.transaction(async (other) => {
    await other('analytics.site').where('tracking_id', site).delete();
    refused = expect(load(site, [row(1)])).rejects.toThrow(
      `Site ${site} was removed before the import began`,
    );
    await until(async () => {
      const waiting = await other.raw(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.rowCount === 1;
    });
  });
  await refused;
});

test('a signal does not cancel the statement that records why an import failed', async () => {
  const { write } = database;
  const site = await newSite(write);
  const cancel = jest.spyOn(poolOf(write), 'cancel');
  const stopped = new AbortController();
  let failing: Promise<unknown> | undefined;
  await write.transaction(async (other) => {
    const input = Readable.from(
      (async function* () {
        await other.raw('SELECT FROM analytics.import_run FOR UPDATE');
        yield Buffer.from(`${JSON.stringify(row(1, { pv: 0 }))}\n`);
      })(),
    );
    failing = expect(read(site, input, { signal: stopped.signal })).rejects.toThrow('Line 1');
    const { rows } = await other.raw('SELECT pg_backend_pid() AS pid');
    const blocked = () =>
      other.raw('SELECT FROM pg_stat_activity WHERE ? = ANY(pg_blocking_pids(pid))', [rows[0].pid]);
    await until(async () => (await blocked()).rows.length > 0);
    stopped.abort();
    expect(cancel).not.toHaveBeenCalled();
  });
  await failing;
  cancel.mockRestore();
  const { imports } = await listImports(database.read, { sites: [site] });
  expect(imports).toMatchObject([{ status: 'failed', error: expect.stringContaining('Line 1') }]);
});

test.each([0, 1])(
  'a line that is found to be invalid only at the end is reported with its file (%d)',
  async (place) => {
    const site = await newSite(database.write);
    await load(site, [row(1, { pv_id: 1, session_id: 1 })]);
    const click = { session_id: 1, access_time: 1_770_000_005, selector: '#a' };
    await load(site, [click], { material: 'click_event' });
    const folder = await mkdtemp(join(tmpdir(), 'qal-test-'));
    try {
      const moved = row(100, { pv_id: 1, session_id: 1 });
      const names = ['one.ndjson', 'two.ndjson'].map((name) => join(folder, name));
      for (const [index, name] of names.entries()) {
        const rows = index === place ? [row(3), moved] : [row(2)];
        await writeFile(name, rows.map((one) => `${JSON.stringify(one)}\n`).join(''));
      }
      const { code, err } = await runCommand({ database }, ['import', 'allpv', ...names, '--site', site]);
      expect([code, err]).toEqual([1, expect.stringContaining(`${names[place]}: Line 2: clicks (1)`)]);
      expect(err).not.toContain(names[1 - place]);
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(await storedViews(database.write, site)).toHaveLength(1);
  },
);

test('a number that JSON cannot represent is an error instead of becoming null', async () => {
  const site = await newSite(database.write);
  for (const fault of [{ browse_sec: Number.NaN }, { title: [Number.POSITIVE_INFINITY] }]) {
    await expect(load(site, [row(1, fault)])).rejects.toThrow('which JSON cannot represent');
  }
  expect(await storedViews(database.write, site)).toEqual([]);
});

test('an import whose rows are stored succeeds, even if statistics could not be refreshed', async () => {
  const site = await newSite(database.write);
  const write = new Proxy(database.write, {
    get: (target, key) =>
      key === 'raw'
        ? (sql: string, bindings: string[] = []) =>
            sql.startsWith('ANALYZE') ? Promise.reject(new Error('no room')) : target.raw(sql, bindings)
        : Reflect.get(target, key),
  });
  const rows = Array.from({ length: 50 }, (_, index) => row(index));
  const report = await importRows(write, manifest, { material: 'allpv', site, rows });
  expect(report).toMatchObject({ added: 50, warning: expect.stringContaining('no room') });
  expect(await load(site, [row(50)])).not.toHaveProperty('warning');
  expect(await storedViews(database.write, site)).toHaveLength(51);
});

test('statistics are refreshed when there are enough new rows', async () => {
  await database.write.raw('ALTER TABLE analytics.page_view SET (autovacuum_enabled = off)');
  const site = await newSite(database.write);
  const estimate = async (): Promise<number> => {
    const answer: { rows: { rows: number }[] } = await database.write.raw(
      `SELECT reltuples::float8 AS rows FROM pg_class WHERE oid = 'analytics.page_view'::regclass`,
    );
    return answer.rows[0]?.rows ?? -1;
  };
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, n) => row(from + n));
  await load(site, rows(1000, 700));
  const known = await estimate();
  expect(known).toBeGreaterThanOrEqual(700);
  expect(known).toBeLessThan(1000);
  await load(site, rows(2000, 30));
  expect(await estimate()).toBe(known);
  await load(site, rows(3000, 150));
  expect(await estimate()).toBe(known + 180);
});

// When an import's connection breaks, the error and the record both state what happened to the file.
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { openWritePool } from '../../../db/write-pool';
import { failedImport } from '../../../extension/data/import/failed-import';
import { addCounts } from '../../../extension/data/import/import-counts';
import { killedFollowRuns, listImports } from '../../../extension/data/import/import-record';
import { importRows } from '../../../extension/data/import/import-rows';
import { importFile } from '../../../extension/data/import/import-together';
import { openRunRecord } from '../../../extension/data/import/run-record';
import { LOCKS } from '../../../extension/data/storage/advisory-locks';
import { until } from '../../support/until';
import { useTestDatabase } from '../../support/use-database';
import { dataVersion, manifest, newSite, row, TINY } from './import-setup';

const database = useTestDatabase();
/** A pool that, like the program's, does not fail because of a broken connection. */
let write: Knex;
beforeAll(() => {
  write = openWritePool({
    connection: { connectionString: database.url },
    poolMax: 4,
    name: 'qal test',
    settings: {},
    onPoolError: () => undefined,
  });
});
afterAll(() => write.destroy());

const NOTHING = 'The connection to the database was lost, so nothing was imported. Import the file again.';

/** Ends the connection that holds the lock of a running import. */
const cutOff = () =>
  database.write.raw(
    `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
      WHERE datname = current_database() AND locktype = 'advisory' AND classid = ? AND granted`,
    [LOCKS.import],
  );

const line = (index: number) => `${JSON.stringify(row(index))}\n`;
const importOf = (site: string, input: Readable) =>
  importFile({
    write,
    manifest,
    material: 'allpv',
    site,
    input,
    source: 'views.ndjson',
    onError: 'stop',
    clock: () => new Date(),
    limits: TINY,
  });
const newest = async (site: string) => (await listImports(database.read, { sites: [site] })).imports[0];

// conformance: beyond.every-import-recorded
test('while rows are read: nothing is imported, and the next import works', async () => {
  const site = await newSite(database.write);
  async function* rows() {
    for (let index = 0; index < 20; index += 1) yield Buffer.from(line(index));
    await cutOff();
    for (let index = 20; index < 40; index += 1) yield Buffer.from(line(index));
  }
  await expect(importOf(site, Readable.from(rows()))).rejects.toThrow(NOTHING);
  expect(await newest(site)).toMatchObject({ status: 'failed', error: NOTHING, added: 0 });
  expect(await dataVersion(database.write, site)).toBe(0);
  expect(await importOf(site, Readable.from([Buffer.from(line(1))]))).toMatchObject({ added: 1 });
});

test('a followed log without new lines is listed as followed again after its next check', async () => {
  const site = await newSite(database.write);
  const { site_id: siteId } = await write('analytics.site').where('tracking_id', site).first();
  const killed = { material: 'allpv', source: 'access.log', status: 'following', started_at: new Date() };
  const counts = { rows_read: 1, rows_added: 1, rows_unchanged: 0, rows_rejected: 0 };
  await write('analytics.import_run').insert({ ...killed, ...counts, site_id: siteId });
  const isKilled = async () =>
    (await killedFollowRuns(database.read, new Date(0))).some(({ trackingId }) => trackingId === site);
  const record = openRunRecord(write, () => new Date(), 'following');
  const check = () => record.resume({ siteId, material: 'allpv', path: '/logs/access.log' });
  try {
    await check();
    expect(await isKilled()).toBe(false);
    await cutOff();
    await until(isKilled);
    await check();
    expect(await isKilled()).toBe(false);
  } finally {
    await record.close();
  }
});

// conformance: beyond.every-import-recorded
test('during the commit: nothing is imported if the commit did not happen', async () => {
  const site = await newSite(database.write);
  await database.write.raw(
    `CREATE FUNCTION analytics.cut_off() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
     CREATE CONSTRAINT TRIGGER cut_off AFTER UPDATE ON analytics.import_run DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW WHEN (NEW.status = 'done') EXECUTE FUNCTION analytics.cut_off()`,
  );
  try {
    await expect(importOf(site, Readable.from([Buffer.from(line(1))]))).rejects.toThrow(NOTHING);
  } finally {
    await database.write.raw('DROP FUNCTION analytics.cut_off() CASCADE');
  }
  expect(await newest(site)).toMatchObject({ status: 'failed', error: NOTHING });
});

// conformance: beyond.every-import-recorded
test('after the commit: all rows are stored, and the record is kept', async () => {
  const site = await newSite(database.write);
  const done = await importRows(write, manifest, { material: 'allpv', site, rows: [row(1)] });
  const { importId = 0 } = done;
  const error = await failedImport(new Error('read ECONNRESET'), {
    write,
    importId,
    isLost: true,
    isWritten: true,
    end: { ...done, bytes: 1, finishedAt: new Date(), rejections: [] },
  });
  expect(error).toMatchObject({
    message: `The connection to the database was lost after import ${importId} was complete: all of its rows are stored.`,
  });
  expect(await newest(site)).toMatchObject({ status: 'done', added: 1, error: null });
});

test('at the end of a dry run: nothing is imported', async () => {
  const end = { ...addCounts([]), format: 'ndjson', bytes: 1, finishedAt: new Date(), rejections: [] };
  expect(
    await failedImport(new Error('read ECONNRESET'), { write, isLost: true, isWritten: true, end }),
  ).toMatchObject({
    message: NOTHING,
  });
});

test('a lost client connection is not reported as a lost database connection', async () => {
  const site = await newSite(database.write);
  async function* rows() {
    yield Buffer.from(line(1));
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
  }
  await expect(importOf(site, Readable.from(rows()))).rejects.toThrow('aborted');
});

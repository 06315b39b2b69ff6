// A copy with a size limit contains the sites that are queried most. Queries on other sites are answered from rows.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { importRows } from '../../../extension/data/import/import-rows';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { applySites } from '../../../extension/data/storage/sites/apply-sites';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { readDocument } from '../../../extension/language/parse/read-document';
import { columnsOfServer } from '../../../extension/query/columns/columns-of-server';
import { describeCopiedTables } from '../../../extension/query/columns/copied-tables';
import { leastUsed } from '../../../extension/query/columns/copy-room';
import { countStoredRows } from '../../../extension/query/columns/site-spans';
import { NO_TELEMETRY } from '../../../host-shim/extension-api';
import { createContext, manifest } from '../../language/query-setup';
import { allOf } from '../../support/all-of';
import { openTestColumns, type TestColumns } from '../../support/columns';
import { createMemoryLog } from '../../support/memory-log';
import { runWhole } from '../../support/run-whole';
import { SETTINGS } from '../../support/test-host';
import { throwawayFolder } from '../../support/throwaway-postgres';
import { useTestDatabase } from '../../support/use-database';

const SITES = ['one', 'two', 'three'] as const;
/** The assumed number of bytes per row while the copy is too small to be measured. */
const ROW_BYTES = 50;

const database = useTestDatabase();
let columns: TestColumns;
let siteBytes: number;
beforeAll(async () => {
  const sites = SITES.map((site) => ({
    tracking_id: site,
    domain: `${site}.example`,
    name: site,
    timezone: 'UTC',
  }));
  await applySites(database.write, { sites });
  for (const site of SITES) await importViews(site, 0, 20);
  const tables = await inTransaction(database.write, (client) => describeCopiedTables(client, manifest));
  const stored = await inTransaction(database.write, (client) => countStoredRows(client, tables, 1));
  siteBytes = ROW_BYTES * stored.all;
});

afterEach(() => columns.stop());

async function open(sites: number): Promise<void> {
  columns = await openTestColumns(database, { maxBytes: Math.round(sites * siteBytes) });
}

const importViews = (site: string, from: number, count: number) => {
  const rows = Array.from({ length: count }, (_, index) => ({
    pv_id: from + index + 1,
    session_id: from + index + 1,
    reader_id: 1,
    url: `https://${site}.example/`,
    access_time: '2026-06-10T12:00:00Z',
    device_type: 'PC',
    pv: 1,
    is_last: 1,
    is_newuser: 1,
  }));
  return importRows(database.write, manifest, { material: 'allpv', site, rows });
};

async function ask(site: string) {
  const body = {
    tracking_id: site,
    materials: [{ name: 'allpv' }],
    time: { start: '2026-06-01T00:00:00', end: '2026-07-01T00:00:00', tz: 'UTC' },
    make: { v: { from: ['allpv'], keep: ['allpv.url'], calc: { n: 'COUNT(allpv.pv_id)' } } },
    result: { use: 'v' },
  };
  const { answeredBy, rows } = await runWhole(
    readDocument(JSON.stringify(body)),
    await createContext(database, { columns }),
  );
  return { ...answeredBy, rows };
}

async function askAndRefresh(site: string, times = 1): Promise<void> {
  for (let time = 0; time < times; time++) await ask(site);
  await columns.refresh();
}

const NOT_QUERIED = 'The site will be added to the columnar copy when it is queried.';
const NO_ROOM =
  'The columnar copy has no room for the site (QAL_COLUMNS_MB), because other sites are queried more often, or nearly as often.';
const TOO_LARGE = 'The site is larger than the limit of the columnar copy (QAL_COLUMNS_MB).';

// conformance: beyond.column-copy-bounded
test('a site is copied once it has been queried', async () => {
  await open(2.5);
  expect((await columns.status()).sites).toEqual([]);
  expect(await ask('one')).toMatchObject({ engine: 'rows', because: NOT_QUERIED });
  await columns.refresh();
  expect(await ask('one')).toMatchObject({ engine: 'columns', rows: [['https://one.example/', 20]] });
  expect(await ask('two')).toMatchObject({ engine: 'rows', because: NOT_QUERIED });
});

// conformance: beyond.column-copy-bounded
test('the most queried site replaces the least queried one', async () => {
  await open(2.5);
  await askAndRefresh('one', 5);
  await askAndRefresh('two', 2);
  await askAndRefresh('three');
  expect(await ask('three')).toMatchObject({ engine: 'rows', because: NO_ROOM });
  expect(await ask('two')).toMatchObject({ engine: 'columns' });
  await askAndRefresh('three', 6);
  expect(await ask('three')).toMatchObject({ engine: 'columns', rows: [['https://three.example/', 20]] });
  expect(await ask('two')).toMatchObject({ engine: 'rows', rows: [['https://two.example/', 20]] });
  expect(await ask('one')).toMatchObject({ engine: 'columns' });
  const left = await columns.read(
    { text: 'SELECT DISTINCT site_id FROM analytics.page_view ORDER BY 1', bindings: [] },
    [],
    new AbortController().signal,
  );
  if ('gaveUp' in left) throw new Error(left.gaveUp);
  expect((await allOf(left.rows)).flat()).toEqual([[1], [3]]);
});

test('queries on all sites do not cause a site to be replaced', async () => {
  await open(2.5);
  for (let time = 0; time < 5; time++) await askAndRefresh('all');
  const { sites } = await columns.status();
  expect(sites).toHaveLength(2);
  expect(await ask('all')).toMatchObject({ engine: 'rows', because: NO_ROOM });
});

test('queries on a site that is larger than the limit are answered from rows', async () => {
  await open(0.5);
  await askAndRefresh('one');
  expect(await ask('one')).toMatchObject({ engine: 'rows', because: TOO_LARGE });
});

// conformance: beyond.column-copy-bounded
test('the least queried sites are removed when others grow', async () => {
  await open(3.5);
  for (const site of SITES) await askAndRefresh(site, 2);
  await askAndRefresh('one');
  await askAndRefresh('three');
  expect((await columns.status()).sites).toHaveLength(3);
  await importViews('three', 100, 20);
  await columns.refresh();
  const { sites } = await columns.status();
  expect(sites.map(({ siteId }) => siteId).toSorted()).toEqual([1, 3]);
  expect(await ask('three')).toMatchObject({ engine: 'columns', rows: [['https://three.example/', 40]] });
});

test('the least queried sites are removed first, and no more than necessary', () => {
  const sites = [
    { siteId: 1, bytes: 30, uses: 2 },
    { siteId: 2, bytes: 30, uses: 0.5 },
    { siteId: 3, bytes: 30, uses: 1 },
  ];
  const left = (maxBytes: number) => leastUsed(sites, maxBytes).map(({ siteId }) => siteId);
  expect([90, 89, 60, 59, 0].map(left)).toEqual([[], [2], [2], [2, 3], [2, 3, 1]]);
});

// conformance: beyond.column-copy-bounded
test("QAL_COLUMNS_MB limits the size of a server's columnar copy", async () => {
  await open(1);
  const dataDir = await mkdtemp(join(throwawayFolder(), 'qal-bounded-'));
  const server = columnsOfServer({ ...SETTINGS, columns: true, columnsMb: 1 });
  server.start({
    host: { clock: () => new Date(), log: createMemoryLog().log, database, telemetry: NO_TELEMETRY, dataDir },
    manifest,
    queue: { use: () => ({ waiting: 0 }) },
    workers: NO_WORKERS,
  });
  await server.current()?.refresh();
  expect(server.current()?.whyNot([{ siteId: 1, version: 'some' }])).toBe(NOT_QUERIED);
  await server.stop();
  await rm(dataDir, { recursive: true });
});

// Rows left over from a site that the copy does not list: a full copy removes them, or is not committed.
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inTransaction } from '../../../extension/data/storage/in-transaction';
import { NO_WORKERS } from '../../../extension/data/storage/workers';
import { CopyDiffers } from '../../../extension/query/columns/check-copied';
import { type OpenCopy, openCopy } from '../../../extension/query/columns/open-copy';
import { listSites } from '../../../extension/query/columns/present-sites';
import { refreshSite } from '../../../extension/query/columns/refresh-site';
import type { RunStatement } from '../../../extension/query/columns/run-prepared';
import { manifest, useCaseDatabase } from '../../language/query-setup';
import { createMemoryLog } from '../../support/memory-log';
import { throwawayFolder } from '../../support/throwaway-postgres';

const { database } = useCaseDatabase();
const { log } = createMemoryLog();
let folder: string;
let copy: OpenCopy;
let siteId: number;
beforeEach(async () => {
  folder = await mkdtemp(join(throwawayFolder(), 'qal-left-rows-'));
  copy = await openCopy({
    folder,
    memoryMb: 256,
    tempMb: 64,
    threads: 1,
    write: database.write,
    manifest,
    log,
    clock: () => new Date(),
  });
  const site = (await listSites(database.write, NO_WORKERS)).find(({ trackingId }) => trackingId === 'shop');
  if (site === undefined) throw new Error('The site shop does not exist.');
  siteId = site.siteId;
});
afterEach(async () => {
  await copy.file.close();
  await rm(folder, { recursive: true });
});

/** Copies the site in several pieces. */
const fill = (alter: (run: RunStatement) => RunStatement = (run) => run) =>
  inTransaction(database.write, (client) =>
    refreshSite({
      tables: copy.tables,
      shared: copy.shared,
      counts: copy.counts,
      client,
      siteId,
      file: { ...copy.file, write: (work) => copy.file.write((run) => work(alter(run))) },
      known: undefined,
      pieceSizes: { rowsAtOnce: 5, smallSiteRows: 0 },
      signal: new AbortController().signal,
      async onProgress() {},
    }),
  );

const leaveRow = () =>
  copy.file.write((run) =>
    run({ text: `INSERT INTO analytics.page_view (site_id, "at") VALUES (${siteId}, 4102444800)` }),
  );
const countLeftRows = async () =>
  (await copy.file.read({ text: 'SELECT count(*) FROM analytics.page_view WHERE "at" = 4102444800' }))[0];

test('a full copy removes leftover rows of the site', async () => {
  await leaveRow();
  await fill();
  expect(await countLeftRows()).toEqual([0]);
});

test('a full copy is not committed if leftover rows remain', async () => {
  await leaveRow();
  const keeping =
    (run: RunStatement): RunStatement =>
    (statement) =>
      statement.text === 'DELETE FROM analytics.page_view WHERE site_id = $1'
        ? run({ text: 'SELECT 1' })
        : run(statement);
  const failure: unknown = await fill(keeping).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CopyDiffers);
  expect(failure).toMatchObject({
    difference: { table: 'page_view', span: 'all rows', columns: ['number of rows'] },
  });
  expect(await copy.file.read({ text: 'SELECT count(*) FROM analytics.page_view' })).toEqual([[1]]);
});

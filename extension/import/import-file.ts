// An import from end to end: one transaction per file, one import per site at a time. If anything fails, nothing of the
// file remains in the site's data.
import { closest } from 'fastest-levenshtein';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { Manifest, Material } from '../../manifests/reader/manifest';
import { inTransaction } from '../storage/in-transaction';
import { refreshStatistics } from '../storage/planner';
import { lockSiteData, tryLockSite } from '../storage/site-locks';
import { isTimezone } from '../storage/sites/zone-name';
import { type Flow, fillBatches } from './fill-batches';
import { readRows } from './formats/read-rows';
import { ImportError } from './import-error';
import type { ImportCounts, ImportedBy, ImportOptions, ImportReport } from './import-options';
import { RECORDED_REJECTIONS, type Rejection, rejectionOf } from './import-record';
import { IMPORT_LIMITS } from './limits';
import type { LoadTotals, MaterialLoader, OpenLoader } from './loader';
import { openClickLoader, openEventLoader } from './on-view/click-and-event-loaders';
import { openPageViewLoader } from './page-view/page-view-loader';
import { timeParser } from './parse-time';
import { type ImportEnd, progressRecorder, recordEnd, recordFailure, recordStart } from './record-import';
import { rejectTakenNumbers } from './upsert/reject-taken-numbers';
import { upsertLoader } from './upsert/upsert-loader';

const LOADERS: ReadonlyMap<string, OpenLoader> = new Map<string, OpenLoader>([
  ['allpv', openPageViewLoader],
  ['click_event', openClickLoader],
  ['datalayer_event', openEventLoader],
  ['gsc', (context) => upsertLoader(context)],
  ['page_version', (context) => upsertLoader(context, rejectTakenNumbers)],
  ['ga4_age_gender', (context) => upsertLoader(context)],
  ['ga4_country', (context) => upsertLoader(context)],
  ['ga4_region', (context) => upsertLoader(context)],
]);

/** The names of the materials that can be imported. */
export const IMPORTABLE: readonly string[] = [...LOADERS.keys()];

const BY_COMMAND: ImportedBy = { login: 'local', through: 'command' };
const STOPPED = 'Stopped; nothing was imported.';

/** Imports one file. Throws an ImportError if it cannot, and leaves the data as it was. */
export async function importFile(options: ImportOptions): Promise<ImportReport> {
  const { write, manifest, clock } = options;
  const startedAt = clock();
  const begun = performance.now();
  const { material, openLoader } = findLoader(manifest, options.material);
  checkTimezone(options);
  const siteId = await findSite(write, options.site);
  const run: Run = {
    options,
    refuseStopped() {
      if (options.signal?.aborted === true) throw new ImportError(STOPPED);
    },
    rejections: [],
    bytes: 0,
  };
  const isDry = options.dryRun !== undefined;
  try {
    const work = async (client: ClientBase) => {
      if (!isDry) {
        const { source, sourceName, format, by = BY_COMMAND } = options;
        const start = { siteId, material: material.name, source, sourceName, format, by, startedAt };
        run.importId = await recordStart(client, write, start);
        options.onRecorded?.(run.importId);
      }
      await takeSite(client, siteId, options);
      const { limits = IMPORT_LIMITS } = options;
      const parseTime = timeParser(options.timezone);
      const context = { client, write, manifest, material, siteId, parseTime, limits, isDry };
      const loader = await openLoader(context);
      const totals = await load(run, loader);
      if (run.importId !== undefined) await recordEnd(client, run.importId, endOf(run, totals));
      // Small imports add up only if the statistics below already count this one.
      await client.query('SELECT pg_stat_force_next_flush()');
      return { totals, tables: loader.tables };
    };
    const { totals, tables } = await inTransaction(write, work, isDry ? 'ROLLBACK' : 'COMMIT');
    const warning = await refreshStatistics(write, tables, isDry ? 0 : totals.added + totals.updated);
    const seconds = (performance.now() - begun) / 1000;
    return {
      ...countsOf(run, totals),
      importId: run.importId,
      seconds,
      rowsPerSecond: Math.round((run.flow?.read() ?? 0) / Math.max(seconds, 0.001)),
      ...(warning === undefined ? {} : { warning }),
    };
  } catch (error) {
    await recordError(run, error);
    throw error;
  }
}

/** An import while it runs. */
interface Run {
  readonly options: ImportOptions;
  readonly refuseStopped: () => void;
  readonly rejections: Rejection[];
  importId?: number;
  flow?: Flow;
  bytes: number;
}

/** Reads the whole file into the loader. */
async function load(run: Run, loader: MaterialLoader): Promise<LoadTotals> {
  const { options, rejections, refuseStopped, importId } = run;
  const { limits = IMPORT_LIMITS, write, clock } = options;
  const recorder = importId === undefined ? undefined : progressRecorder(write, importId, clock);
  const flow = fillBatches(loader, {
    onError: options.onError,
    limits,
    onRejected(row) {
      if (rejections.length < RECORDED_REJECTIONS) rejections.push(rejectionOf(row));
      return options.onRejected?.(row);
    },
    onBytes(count) {
      refuseStopped();
      run.bytes += count;
      const progress = { bytes: run.bytes, read: flow.read() };
      options.onProgress?.(progress);
      recorder?.show(progress);
    },
  });
  run.flow = flow;
  try {
    await readRows(options.input, options.format, flow.sink);
    await flow.finish();
  } finally {
    // The connection must neither be released nor rolled back while a COPY is running.
    await flow.settle();
    await recorder?.settle();
  }
  refuseStopped();
  const totals = await loader.finish();
  options.beforeCommit?.();
  refuseStopped();
  return totals;
}

const countsOf = ({ flow }: Run, totals: LoadTotals): ImportCounts => ({
  read: flow?.read() ?? 0,
  skipped: flow?.skipped() ?? {},
  rejected: flow?.rejected() ?? 0,
  ...totals,
});

const endOf = (run: Run, totals: LoadTotals): ImportEnd => ({
  ...countsOf(run, totals),
  bytes: run.bytes,
  finishedAt: run.options.clock(),
  rejections: run.rejections,
});

/** The first failure is the one to report: a record that cannot be written must not hide it. */
async function recordError(run: Run, error: unknown): Promise<void> {
  const { importId, options } = run;
  if (importId === undefined) return;
  const message = error instanceof Error ? error.message : String(error);
  const nothing = { added: 0, updated: 0, kept: 0, unchanged: 0 };
  await recordFailure(options.write, importId, { ...endOf(run, nothing), error: message }).catch(
    () => undefined,
  );
}

async function takeSite(client: ClientBase, siteId: number, { wait, site }: ImportOptions): Promise<void> {
  if (wait === true) return lockSiteData(client, [site]);
  if (!(await tryLockSite(client, siteId)))
    throw new ImportError(`Another import of site ${site} is running; start this one when it has finished`);
}

function findLoader(manifest: Manifest, name: string): { material: Material; openLoader: OpenLoader } {
  const material = manifest.materials.get(name);
  const openLoader = LOADERS.get(name);
  if (material !== undefined && openLoader !== undefined) return { material, openLoader };
  const can = `the materials that can be imported: ${IMPORTABLE.join(', ')}`;
  if (material !== undefined || /^goal_\d+$|^events\./.test(name))
    throw new ImportError(`${name} is computed from other materials and cannot be imported; ${can}`);
  throw new ImportError(`${name} is no material; ${can}`);
}

function checkTimezone({ material, format, timezone }: ImportOptions): void {
  if (timezone !== undefined && !isTimezone(timezone))
    throw new ImportError(`${timezone} is no time zone; give a full name such as Europe/Berlin, or UTC`);
  if (format !== 'qa-tsv') return;
  if (material !== 'allpv')
    throw new ImportError('A file of format qa-tsv holds page views; import it as allpv');
  if (timezone === undefined)
    throw new ImportError(
      'A file of format qa-tsv holds local times; name the time zone of its site with --timezone',
    );
}

async function findSite(write: Knex, trackingId: string): Promise<number> {
  const { rows }: { rows: { id: number; name: string }[] } = await write.raw(
    'SELECT site_id AS id, tracking_id AS name FROM analytics.site ORDER BY tracking_id',
  );
  const found = rows.find(({ name }) => name === trackingId);
  if (found !== undefined) return found.id;
  const names = rows.map(({ name }) => name);
  throw new ImportError(
    names.length === 0
      ? `There is no site yet; make ${trackingId} with: qal sites apply FILE.yaml`
      : `There is no site ${trackingId}; the nearest is ${closest(trackingId, names)} (qal sites list shows all)`,
  );
}

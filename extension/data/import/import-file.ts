// An import from end to end: one transaction per file, one import per site at a time. If anything fails, nothing of the
// file remains in the site's data.
import type { Client } from 'pg';
import type { ReadableFormat } from '../../../manifests/reader/formats';
import { inTransaction } from '../storage/in-transaction';
import { refreshStatistics } from '../storage/planner';
import { lockSiteData, tryLockSite } from '../storage/site-locks';
import { checkOptions } from './check-options';
import type { DeriveContext } from './derive/derive-views';
import { deriveContext, loadSiteRules } from './derive/site-rules';
import { failedImport } from './failed-import';
import { type Flow, fillBatches } from './fill-batches';
import { findSite } from './find-site';
import { unseenWarnings } from './formats/map-records';
import { type OpenedSource, openSource } from './formats/open-source';
import { type ReadOptions, type RowSink, readRows } from './formats/read-rows';
import { ImportError } from './import-error';
import {
  type ImportCounts,
  type ImportedBy,
  type ImportOptions,
  type ImportReport,
  UNDOABLE_IMPORTS,
} from './import-options';
import { RECORDED_REJECTIONS, type Rejection, rejectionOf } from './import-record';
import { IMPORT_LIMITS } from './limits';
import type { LoadTotals, MaterialLoader } from './loader';
import { findLoader } from './loaders';
import { timeParser } from './parse-time';
import { type PreviewRow, previewing } from './preview-rows';
import {
  forgetReplaced,
  type ImportEnd,
  type ProgressRecorder,
  progressRecorder,
  recordEnd,
  recordStart,
} from './record-import';
import { takeTurns } from './turns';

const BY_COMMAND: ImportedBy = { login: 'local', through: 'command' };
const STOPPED = 'Stopped; nothing was imported.';

/** Imports one file. Throws an ImportError if it cannot, and leaves the data as it was. */
export async function importFile(options: ImportOptions): Promise<ImportReport> {
  const { write, manifest, clock } = options;
  const startedAt = clock();
  const begun = performance.now();
  const { material, openLoader } = findLoader(manifest, options.material);
  checkOptions(options);
  const siteId = await findSite(write, options.site);
  const run: Run = {
    options,
    refuseStopped() {
      if (options.signal?.aborted === true) throw new ImportError(STOPPED);
    },
    rejections: [],
    preview: [],
    unseen: new Set(options.renamed?.keys()),
    bytes: 0,
    isLost: false,
    isWritten: false,
    format: formatName(options.format),
  };
  const isDry = options.dryRun !== undefined;
  try {
    const work = async (client: Client) => {
      if (!isDry) {
        const { source, sourceName, format, by = BY_COMMAND } = options;
        const start = {
          siteId,
          material: material.name,
          source,
          sourceName,
          format: formatName(format),
          by,
          startedAt,
        };
        run.importId = await recordStart(client, write, start);
        options.onRecorded?.(run.importId);
      }
      await takeSite(client, siteId, options);
      // For the rows of a batch as triggers see them.
      await client.query("SET LOCAL work_mem = '32MB'");
      const { limits = IMPORT_LIMITS } = options;
      const opened = await open(run);
      const { format } = opened;
      run.format = format.name;
      const parseTime = timeParser(timezoneOf(format, options.timezone));
      const rule = format.materials[material.name];
      const browseSec = rule?.browse_sec !== undefined;
      const { onConflict = 'replace', duplicates = rule?.duplicates ?? 'refuse', sourceName } = options;
      const { importId } = run;
      const loader = await openLoader({
        ...{ client, write, manifest, material, siteId, parseTime, limits, isDry, browseSec },
        ...{ onConflict, duplicates, sourceName, undo: importId === undefined ? undefined : { importId } },
      });
      const derive = deriveContext(await loadSiteRules(client, siteId), parseTime, options.countryOf);
      const totals = await load(run, loader, (sink) => {
        const most = options.dryRun?.rows ?? 0;
        const seen = most === 0 ? sink : previewing(sink, most, parseTime, run.preview);
        return readRows(opened, readOptions(run, format, derive), seen, takeTurns(run.refuseStopped));
      });
      if (!isDry) await options.alsoWrite?.(client, siteId);
      if (run.importId !== undefined) {
        await recordEnd(client, run.importId, endOf(run, totals));
        await forgetReplaced(client, siteId, options.undoableImports ?? UNDOABLE_IMPORTS);
      }
      // Small imports add up only if the statistics below already count this one.
      await client.query('SELECT pg_stat_force_next_flush()');
      run.isWritten = true;
      return { totals, tables: loader.tables };
    };
    const { totals, tables } = await inTransaction(write, work, isDry ? 'ROLLBACK' : 'COMMIT', () => {
      run.isLost = true;
    });
    const stale = await refreshStatistics(write, tables, isDry ? 0 : totals.added + totals.updated);
    const warning = [stale, ...unseenWarnings(run.unseen, options.renamed)].join(' ').trim();
    const seconds = Math.round(performance.now() - begun) / 1000;
    return {
      ...countsOf(run, totals),
      format: run.format,
      ...(isDry && { preview: run.preview }),
      importId: run.importId,
      seconds,
      rowsPerSecond: Math.round((run.flow?.read() ?? 0) / Math.max(seconds, 0.001)),
      ...(warning !== '' && { warning }),
    };
  } catch (error) {
    await run.recorder?.settle();
    throw await failedImport(error, { ...run, write, end: endOf(run) });
  }
}

/** An import while it runs. */
interface Run {
  readonly options: ImportOptions;
  readonly refuseStopped: () => void;
  readonly rejections: Rejection[];
  readonly preview: PreviewRow[];
  readonly unseen: Set<string>;
  importId?: number;
  flow?: Flow;
  recorder?: ProgressRecorder;
  bytes: number;
  isLost: boolean;
  /** Whether only the commit is left. */
  isWritten: boolean;
  format: string;
}

/** Opens the file, and shows from then on how much of it was read. */
function open(run: Run): Promise<OpenedSource> {
  const { options, refuseStopped, importId } = run;
  if (importId !== undefined) run.recorder = progressRecorder(options.write, importId, options.clock);
  return openSource({
    ...options,
    formats: options.manifest.formats,
    onBytes(count) {
      refuseStopped();
      run.bytes += count;
      const progress = { bytes: run.bytes, read: run.flow?.read() ?? 0 };
      options.onProgress?.(progress);
      run.recorder?.show(progress);
    },
  });
}

/** Reads the whole file into the loader. */
async function load(
  run: Run,
  loader: MaterialLoader,
  read: (sink: RowSink) => Promise<void>,
): Promise<LoadTotals> {
  const { options, rejections, refuseStopped } = run;
  const flow = fillBatches(loader, {
    onError: options.onError,
    limits: options.limits ?? IMPORT_LIMITS,
    onRejected(row) {
      if (rejections.length < RECORDED_REJECTIONS) rejections.push(rejectionOf(row));
      return options.onRejected?.(row);
    },
  });
  run.flow = flow;
  try {
    await read(flow.sink);
    await flow.finish();
  } finally {
    // The connection must neither be released nor rolled back while a COPY is running.
    await flow.settle();
    await run.recorder?.settle();
  }
  refuseStopped();
  const totals = await loader.finish();
  options.beforeCommit?.();
  refuseStopped();
  return totals;
}

const NOTHING: LoadTotals = { added: 0, updated: 0, kept: 0, unchanged: 0 };

const SUMMED = 'added to an earlier row of the same key';

const countsOf = ({ flow }: Run, { summed = 0, ...totals }: LoadTotals): ImportCounts => ({
  read: flow?.read() ?? 0,
  skipped: { ...flow?.skipped(), ...(summed > 0 && { [SUMMED]: summed }) },
  rejected: flow?.rejected() ?? 0,
  ...totals,
});

const endOf = (run: Run, totals = NOTHING): ImportEnd => ({
  ...countsOf(run, totals),
  format: run.format,
  bytes: run.bytes,
  finishedAt: run.options.clock(),
  rejections: run.rejections,
});

async function takeSite(client: Client, siteId: number, { wait, site }: ImportOptions): Promise<void> {
  if (wait === true) return lockSiteData(client, [site]);
  if (!(await tryLockSite(client, siteId)))
    throw new ImportError(`Another import of site ${site} is running; start this one when it has finished`);
}

/** The zone of times without an offset: that of the format, unless the user names another. */
function timezoneOf({ name, timezone }: ReadableFormat, asked: string | undefined): string | undefined {
  if (timezone !== 'ask') return asked ?? timezone;
  if (asked !== undefined) return asked;
  throw new ImportError(
    `A file of format ${name} holds local times; name the time zone of its site with --timezone`,
  );
}

const readOptions = (
  { options: { material, renamed, constants, optIns }, unseen }: Run,
  format: ReadableFormat,
  derive: DeriveContext,
): ReadOptions => ({
  format,
  material,
  renamed: renamed ?? new Map(),
  unseen,
  constants: constants ?? new Map(),
  optIns: optIns ?? new Set(),
  derive,
});

/** What the record of an import calls its format before the file is open. */
const formatName = (format: ImportOptions['format']): string =>
  typeof format === 'string' ? format : (format?.name ?? 'recognised');

// Imports files completely in one transaction, one import per site at a time. If a file fails, only those before it are imported; if the
// first one fails, the site's data stay unchanged.
import type { Client } from 'pg';
import type { ReadableFormat } from '../../../manifests/reader/formats';
import { inTransaction } from '../storage/in-transaction';
import { refreshStatistics } from '../storage/planner';
import { checkOptions } from './check-options';
import { deriveContext, loadSiteRules } from './derive/site-rules';
import { failedImport } from './failed-import';
import { fillBatches } from './fill-batches';
import { findSite } from './find-site';
import { unseenWarnings } from './formats/map-records';
import { type OpenedSource, openSource } from './formats/open-source';
import { readRows } from './formats/read-rows';
import { ImportError } from './import-error';
import type { ImportedFile, JointOptions, JointReport } from './import-options';
import { RECORDED_REJECTIONS, rejectionOf } from './import-record';
import { countsOf, endOf, formatOf, type ImportRun, newRun, refuseStopped, sumWith } from './import-run';
import { IMPORT_LIMITS } from './limits';
import type { MaterialLoader } from './loader';
import { findLoader } from './loaders';
import { timeParser } from './parse-time';
import { beginPiece, type FailedFile, recordPiece } from './piece-record';
import { previewing } from './preview-rows';
import { progressRecorder } from './record-import';
import { takeTurns } from './turns';

/**
 * Imports as many of the files as one transaction can take. Throws an ImportError, and changes nothing, if the first file cannot be
 * imported.
 */
export async function importTogether(
  options: JointOptions,
  files: readonly ImportedFile[],
): Promise<JointReport> {
  checkOptions(options);
  const run = newRun(options, files, options.clock());
  try {
    return await importOnce(run);
  } catch (error) {
    await run.recorder?.settle();
    const { importId, before, done, isLost, startedAt } = run;
    const isStopped = options.signal?.aborted === true;
    // Following a log may stop at any time: the next run reads this piece again.
    if (isStopped && options.record?.status === 'following' && before !== undefined) throw error;
    // If all files were read, none of them is at fault, and reading them again would fail again.
    const isOfFile = error instanceof ImportError && done > 0 && done < files.length;
    if (!isOfFile || isLost || isStopped || options.dryRun !== undefined) throw await failureOf(run, error);
    const again = { ...newRun(options, files.slice(0, done), startedAt), importId, before };
    const failed = { label: files[done]?.label, error };
    const report = await importOnce(again, failed).catch(async (cause) => {
      throw await failureOf(again, cause);
    });
    return { ...report, failure: error };
  }
}

const failureOf = (run: ImportRun, error: unknown): Promise<unknown> =>
  failedImport(error, { ...run, write: run.options.write, end: endOf(run) });

async function importOnce(run: ImportRun, failed?: FailedFile): Promise<JointReport> {
  const { options } = run;
  const { write, manifest } = options;
  const begun = performance.now();
  const { material } = findLoader(manifest, options.material);
  const siteId = await findSite(write, options.site);
  const isDry = options.dryRun !== undefined;
  const work = async (client: Client) => {
    await beginPiece(client, siteId, material.name, run);
    // For the transition tables of triggers, which hold the rows of a batch.
    await client.query("SET LOCAL work_mem = '32MB'");
    const loader = await readFiles(client, siteId, run);
    const totals = await loader.finish();
    options.beforeCommit?.();
    refuseStopped(run);
    if (!isDry) await options.alsoWrite?.(client, siteId);
    await recordPiece(client, siteId, run, totals, failed);
    // refreshStatistics, below, must already see the rows of this import.
    await client.query('SELECT pg_stat_force_next_flush()');
    run.isWritten = true;
    return { totals, tables: loader.tables };
  };
  const { totals, tables } = await inTransaction(write, work, isDry ? 'ROLLBACK' : 'COMMIT', () => {
    run.isLost = true;
  });
  const { record } = options;
  if (record !== undefined && run.importId !== undefined)
    record.soFar = {
      ...sumWith(run.before, endOf(run, totals)),
      ...{ importId: run.importId, startedAt: run.before?.startedAt ?? run.startedAt },
      recordedRejections: (run.before?.recordedRejections ?? 0) + run.rejections.length,
    };
  const stale = await refreshStatistics(write, tables, isDry ? 0 : totals.added + totals.updated);
  const warning = [...new Set([stale, ...run.warnings])].join(' ').trim();
  const seconds = Math.round(performance.now() - begun) / 1000;
  return {
    ...countsOf(run, totals),
    format: formatOf(run),
    ...(isDry && { preview: run.preview }),
    importId: run.importId,
    files: run.done,
    seconds,
    rowsPerSecond: Math.round((run.flow?.read() ?? 0) / Math.max(seconds, 0.001)),
    ...(warning !== '' && { warning }),
  };
}

/** Reads the files into a loader, until one needs another loader. */
async function readFiles(client: Client, siteId: number, run: ImportRun): Promise<MaterialLoader> {
  const { options, files } = run;
  const { write, manifest, onConflict = 'replace', sourceName, limits = IMPORT_LIMITS } = options;
  const { material, openLoader } = findLoader(manifest, options.material);
  const rules = await loadSiteRules(client, siteId);
  const [first, ...others] = files;
  if (first === undefined) throw new Error('An import has at least one file.');
  let file = first;
  let opened = await open(run, first);
  const how = howToLoad(opened.format, options);
  const parseTime = timeParser(how.timezone);
  const undo = run.importId === undefined ? undefined : { importId: run.importId };
  const loader = await openLoader({
    ...{ client, write, manifest, material, siteId, parseTime, limits, onConflict, sourceName, undo },
    ...{ isDry: options.dryRun !== undefined, browseSec: how.browseSec, duplicates: how.duplicates },
  });
  const derive = deriveContext(rules, parseTime, options.countryOf);
  const flow = fillBatches(loader, {
    ...{ onError: options.onError, limits },
    onRejected(row) {
      const recorded = (run.before?.recordedRejections ?? 0) + run.rejections.length;
      if (recorded < RECORDED_REJECTIONS) run.rejections.push(rejectionOf(row, file.label));
      return file.onRejected?.(row);
    },
  });
  run.flow = flow;
  const most = options.dryRun?.rows ?? 0;
  const sink = most === 0 ? flow.sink : previewing(flow.sink, most, parseTime, run.preview);
  const read = async (): Promise<void> => {
    run.formats.add(opened.format.name);
    const { renamed = new Map(), constants = new Map(), optIns = new Set() } = options;
    const unseen = new Set(options.renamed?.keys());
    const fields = { renamed, unseen, constants, optIns };
    const rows = { format: opened.format, material: options.material, ...fields, derive };
    await readRows(
      opened,
      rows,
      sink,
      takeTurns(() => refuseStopped(run)),
    );
    await flow.finish();
    run.warnings.push(...unseenWarnings(unseen, options.renamed));
    run.done += 1;
  };
  try {
    await read();
    for (const next of loader.nextFile === undefined ? [] : others) {
      file = next;
      opened = await open(run, next);
      if (JSON.stringify(howToLoad(opened.format, options)) !== JSON.stringify(how)) {
        await opened.pieces[Symbol.asyncIterator]().return?.();
        break;
      }
      await loader.nextFile?.();
      await read();
    }
  } finally {
    // The connection must neither be released nor rolled back while a COPY is running.
    await flow.settle();
    await run.recorder?.settle();
  }
  refuseStopped(run);
  return loader;
}

/** Opens a file, and reports progress as it is read. */
async function open(run: ImportRun, { name, open: openInput }: ImportedFile): Promise<OpenedSource> {
  const { options, importId, before } = run;
  if (importId !== undefined) run.recorder ??= progressRecorder(options.write, importId, options.clock);
  return openSource({
    ...options,
    input: await openInput(),
    ...(name !== undefined && { fileName: name }),
    formats: options.manifest.formats,
    onBytes(count) {
      refuseStopped(run);
      run.bytes += count;
      const read = run.flow?.read() ?? 0;
      options.onProgress?.({ bytes: run.bytes, read });
      run.recorder?.show({ bytes: (before?.bytes ?? 0) + run.bytes, read: (before?.read ?? 0) + read });
    },
  });
}

/** What of a format the loader depends on. Times have the zone of the format, unless the user names another. */
function howToLoad({ name, timezone: own, materials }: ReadableFormat, options: JointOptions) {
  const rule = materials[options.material];
  const timezone = own === 'ask' ? options.timezone : (options.timezone ?? own);
  if (own === 'ask' && timezone === undefined)
    throw new ImportError(
      `A file of format ${name} holds local times; name the time zone of its site with --timezone`,
    );
  const { duplicates = rule?.duplicates ?? 'refuse' } = options;
  return { timezone, duplicates, browseSec: rule?.browse_sec !== undefined };
}

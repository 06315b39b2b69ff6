// Reads the files of an import's transaction into the loader of their material.
import type { Readable } from 'node:stream';
import type { Client } from 'pg';
import type { ReadableFormat } from '../../../manifests/reader/formats';
import { deriveContext, loadSiteRules } from './derive/site-rules';
import { eventLoopTurns } from './event-loop-turns';
import { type Flow, fillBatches } from './fill-batches';
import { unseenWarnings } from './formats/map-records';
import { type OpenedSource, openSource } from './formats/open-source';
import { readRows } from './formats/read-rows';
import { addCounts, type ImportCounts } from './import-counts';
import { ImportError } from './import-error';
import type { ImportedFile, JointOptions } from './import-options';
import { type Rejection, rejectionOf } from './import-record';
import { IMPORT_LIMITS } from './limits';
import type { MaterialLoader } from './loader';
import type { LoaderContext } from './loader-context';
import { findLoader } from './loaders';
import { timeParser } from './parse-time';
import { type PreviewRow, previewing } from './preview-rows';
import type { ImportEnd } from './record-import';
import type { RunRecord } from './run-record';
import { skipErased } from './skip-erased';

/** The state of reading an import's files. */
interface Reading {
  readonly options: JointOptions;
  readonly files: readonly ImportedFile[];
  /** The record of the import, which also shows its progress. */
  readonly record: RunRecord;
  readonly rejections: Rejection[];
  readonly preview: PreviewRow[];
  readonly warnings: string[];
  readonly formats: Set<string>;
  flow?: Flow;
  /** The file that is being read, or was read last. */
  file?: ImportedFile;
  bytes: number;
  /** The number of files that were read completely. */
  done: number;
}

export const newReading = (parts: Pick<Reading, 'options' | 'files' | 'record'>): Reading => ({
  ...parts,
  rejections: [],
  preview: [],
  warnings: [],
  formats: new Set(),
  bytes: 0,
  done: 0,
});

/** The counts of the rows that were read, and of those that the loader added, changed or left unchanged. */
export const countsOf = ({ flow }: Reading, loaded: Partial<ImportCounts> = {}): ImportCounts =>
  addCounts([flow?.counts() ?? {}, loaded]);

export const endOf = (reading: Reading, loaded?: Partial<ImportCounts>): ImportEnd => ({
  ...countsOf(reading, loaded),
  format: formatOf(reading),
  bytes: reading.bytes,
  finishedAt: reading.options.clock(),
  rejections: reading.rejections,
});

/** The format for the record: the requested one until a file is open. */
export function formatOf({ formats, options: { format } }: Pick<Reading, 'formats' | 'options'>): string {
  if (formats.size > 0) return [...formats].join(', ');
  return typeof format === 'string' ? format : (format?.name ?? 'recognized');
}

/** The error for a stopped import; undefined if it was not stopped. */
export function stopOf({ options: { signal }, record }: Reading): ImportError | undefined {
  if (signal?.aborted !== true) return undefined;
  return new ImportError(
    record.soFar() === undefined
      ? 'Stopped; nothing was imported.'
      : 'Stopped; the rows that were already imported are still stored.',
  );
}

export function refuseStopped(reading: Reading): void {
  const stopped = stopOf(reading);
  if (stopped !== undefined) throw stopped;
}

/** Reads the files into a loader, until one needs a different loader. */
export async function readFiles(client: Client, siteId: number, reading: Reading): Promise<MaterialLoader> {
  const { options, files, record, rejections } = reading;
  const { manifest, onConflict = 'replace', sourceName, limits = IMPORT_LIMITS } = options;
  const { material, openLoader } = findLoader(manifest, options.material);
  const rules = await loadSiteRules(client, siteId);
  const [first, ...others] = files;
  if (first === undefined) throw new Error('An import has at least one file.');
  let opened = await open(reading, first);
  const settings = loaderSettings(opened.format, options);
  const parseTime = timeParser(settings.timezone);
  const context: LoaderContext = {
    ...options,
    ...settings,
    client,
    material,
    siteId,
    parseTime,
    limits,
    onConflict,
    sourceName,
    isDry: options.dryRun !== undefined,
    importId: record.importId(),
  };
  const loader = await openLoader(context);
  const derive = deriveContext(rules, parseTime, options.placeOf);
  const turns = eventLoopTurns(() => refuseStopped(reading));
  const filling = fillBatches(loader, {
    onError: options.onError,
    limits,
    refuseStopped: () => refuseStopped(reading),
    onRejected(row) {
      if (rejections.length < record.roomForRejections())
        rejections.push(rejectionOf(row, reading.file?.label));
      return reading.file?.onRejected?.(row);
    },
  });
  const maxRows = options.dryRun?.rows ?? 0;
  const sink = maxRows === 0 ? filling.sink : previewing(filling.sink, maxRows, parseTime, reading.preview);
  const flow = await skipErased({ ...filling, sink }, context, turns);
  reading.flow = flow;
  const read = async (): Promise<void> => {
    reading.formats.add(opened.format.name);
    const { renamed = new Map(), constants = new Map(), optIns = new Set() } = options;
    const unseen = new Set(options.renamed?.keys());
    const fields = { renamed, unseen, constants, optIns };
    const rows = { format: opened.format, material: options.material, ...fields, derive };
    await readRows(opened, rows, flow.sink, turns);
    await flow.finish();
    reading.warnings.push(...unseenWarnings(unseen, options.renamed));
    reading.done += 1;
  };
  try {
    await read();
    for (const next of loader.nextFile === undefined ? [] : others) {
      const before = { bytes: reading.bytes, file: reading.file };
      opened = await open(reading, next);
      if (JSON.stringify(loaderSettings(opened.format, options)) !== JSON.stringify(settings)) {
        opened.input.destroy();
        Object.assign(reading, before);
        break;
      }
      await loader.nextFile?.();
      await read();
    }
  } finally {
    // While a COPY is running, the connection must not be released, and its transaction must not be rolled back.
    await flow.abandon();
    await record.settle();
  }
  refuseStopped(reading);
  return loader;
}

/** Opens a file, and reports progress as it is read. */
async function open(
  reading: Reading,
  file: ImportedFile,
): Promise<OpenedSource & { readonly input: Readable }> {
  const { options, record } = reading;
  reading.file = file;
  const input = await file.open();
  const source = await openSource({
    ...options,
    input,
    fileName: file.name,
    formats: options.manifest.formats,
    onBytes(count) {
      refuseStopped(reading);
      reading.bytes += count;
      const progress = { bytes: reading.bytes, read: reading.flow?.counts().read ?? 0 };
      options.onProgress?.(progress);
      record.show(progress);
    },
  });
  return { ...source, input };
}

/**
 * The parts of a format that the loader depends on. Times are in the format's zone, unless the user specifies
 * another.
 */
function loaderSettings({ name, timezone: own, materials }: ReadableFormat, options: JointOptions) {
  const rule = materials[options.material];
  const timezone = own === 'ask' ? options.timezone : (options.timezone ?? own);
  if (own === 'ask' && timezone === undefined)
    throw new ImportError(
      `A file in the format ${name} contains local times; specify the time zone of its site with --timezone`,
    );
  const { duplicates = rule?.duplicates ?? 'refuse' } = options;
  return { timezone, duplicates, browseSec: rule?.browse_sec !== undefined };
}

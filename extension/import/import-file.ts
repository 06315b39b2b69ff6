// An import from end to end: one transaction per file, one import per site at a time. If anything fails, nothing of the
// file remains in the site's data.
import type { Readable } from 'node:stream';
import { closest } from 'fastest-levenshtein';
import type { Knex } from 'knex';
import type { Manifest, Material } from '../../manifests/reader/manifest';
import { inTransaction } from '../storage/in-transaction';
import { refreshStatistics } from '../storage/planner';
import { tryLockSite } from '../storage/site-locks';
import { isTimezone } from '../storage/sites/zone-name';
import { type Flow, fillBatches } from './fill-batches';
import { type Format, readRows } from './formats/read-rows';
import { ImportError } from './import-error';
import { RECORDED_REJECTIONS, type Rejection, recordImport, rejectionOf } from './import-record';
import { IMPORT_LIMITS, type ImportLimits } from './limits';
import type { OpenLoader } from './loader';
import { openClickLoader, openEventLoader } from './on-view/click-and-event-loaders';
import { openPageViewLoader } from './page-view/page-view-loader';
import { timeParser } from './parse-time';
import type { RejectedRow } from './rejected-rows';
import { rejectTakenNumbers } from './upsert/reject-taken-numbers';
import { upsertLoader } from './upsert/upsert-loader';

export interface ImportOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  readonly material: string;
  /** Tracking id of the site. */
  readonly site: string;
  readonly input: Readable;
  readonly format: Format;
  /** Where the rows come from, for the record of imports. */
  readonly source: string;
  /** Time zone of times without an offset. */
  readonly timezone?: string;
  readonly onError: 'stop' | 'skip';
  readonly clock: () => Date;
  readonly signal?: AbortSignal;
  readonly limits?: ImportLimits;
  onRejected?(row: RejectedRow): void | Promise<void>;
  onProgress?(progress: ImportProgress): void;
  /** Called when all rows are written. If it throws, the import stops. */
  beforeCommit?(): void;
}

export interface ImportProgress {
  readonly bytes: number;
  readonly read: number;
}

export interface ImportReport {
  readonly read: number;
  readonly added: number;
  /** Figures that replaced stored ones with other values. */
  readonly updated: number;
  /** Rows that were stored already. */
  readonly unchanged: number;
  readonly rejected: number;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /** What failed although the rows are stored. */
  readonly warning?: string;
}

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

/** Imports one file. Throws an ImportError if it cannot, and leaves the data as it was. */
export async function importFile(options: ImportOptions): Promise<ImportReport> {
  const { write, manifest, limits = IMPORT_LIMITS } = options;
  const startedAt = options.clock();
  const begun = performance.now();
  const { material, openLoader } = findLoader(manifest, options.material);
  checkTimezone(options);
  const siteId = await findSite(write, options.site);
  const refuseStopped = (): void => {
    if (options.signal?.aborted === true) throw new ImportError('Stopped; nothing was imported.');
  };

  const { tables, ...counts } = await inTransaction(write, async (client) => {
    if (!(await tryLockSite(client, siteId)))
      throw new ImportError(
        `Another import of site ${options.site} is running; start this one when it has finished`,
      );
    const parseTime = timeParser(options.timezone);
    const loader = await openLoader({ client, write, manifest, material, siteId, parseTime, limits });
    const rejections: Rejection[] = [];
    let bytes = 0;
    const flow: Flow = fillBatches(loader, {
      onError: options.onError,
      limits,
      onRejected(row) {
        if (rejections.length < RECORDED_REJECTIONS) rejections.push(rejectionOf(row));
        return options.onRejected?.(row);
      },
      onBytes(count) {
        refuseStopped();
        bytes += count;
        options.onProgress?.({ bytes, read: flow.read() });
      },
    });
    try {
      await readRows(options.input, options.format, flow.sink);
      await flow.finish();
    } finally {
      // The connection must neither be released nor rolled back while a COPY is running.
      await flow.settle();
    }
    refuseStopped();
    const totals = await loader.finish();
    options.beforeCommit?.();
    refuseStopped();
    const done = { read: flow.read(), rejected: flow.rejected(), ...totals };
    const { source, clock } = options;
    const run = { ...done, siteId, material: material.name, source, startedAt, finishedAt: clock() };
    await recordImport(client, run, rejections);
    // Small imports add up only if the statistics below already count this one.
    await client.query('SELECT pg_stat_force_next_flush()');
    return { ...done, tables: loader.tables };
  });

  const warning = await refreshStatistics(write, tables, counts.added + counts.updated);
  const seconds = (performance.now() - begun) / 1000;
  return {
    ...counts,
    seconds,
    rowsPerSecond: Math.round(counts.read / Math.max(seconds, 0.001)),
    ...(warning === undefined ? {} : { warning }),
  };
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

// Owns an import from end to end: one transaction per file, one import per site at a time.
// A stream of rows in -> a report out. Whatever fails, nothing of the file remains in the site's data.
import type { Readable } from 'node:stream';
import { closest } from 'fastest-levenshtein';
import type { Knex } from 'knex';
import type { ClientBase } from 'pg';
import type { Manifest, Material } from '../../manifests/reader/manifest';
import { refreshRollups } from '../rollups/refresh-rollups';
import { inTransaction } from '../storage/in-transaction';
import { tellPlanner } from '../storage/planner';
import { tryLockSite } from '../storage/site-locks';
import { isTimezone } from '../storage/sites/zone-name';
import { type Flow, fillBatches, type RejectedRow } from './fill-batches';
import { type Format, readRows } from './formats/read-rows';
import { ImportError } from './import-error';
import { keepRejections } from './import-record';
import { IMPORT_LIMITS, type ImportLimits } from './limits';
import type { OpenLoader, RoadTotals } from './loader';
import { openClickLoader, openEventLoader } from './on-view/click-and-event-loaders';
import { openPageViewLoader } from './page-view/page-view-loader';
import { timeParser } from './parse-time';
import { KEYED_ROADS } from './upsert/upsert-loaders';

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
  /** Zone of times that carry no offset. */
  readonly timezone?: string;
  readonly onError: 'stop' | 'skip';
  readonly clock: () => Date;
  readonly signal?: AbortSignal;
  readonly limits?: ImportLimits;
  onRejected?(row: RejectedRow): void | Promise<void>;
  onProgress?(progress: ImportProgress): void;
  /** Told, after the last row, how much of what is kept counted of the site was brought up to date: 0 to 1. */
  onCounting?(share: number): void;
  /** Asked when all rows were read and written: what it throws stops the import. */
  beforeCommit?(): void;
}

export interface ImportProgress {
  readonly bytes: number;
  readonly read: number;
}

export interface ImportReport {
  readonly read: number;
  readonly added: number;
  /** Rows of figures that were there with other numbers: these stand now. */
  readonly updated: number;
  /** Rows that were there already, as they are. */
  readonly unchanged: number;
  readonly rejected: number;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /** What did not work although the rows are there. */
  readonly warning?: string;
}

/** The materials that can be imported. */
const ROADS: ReadonlyMap<string, OpenLoader> = new Map([
  ['allpv', openPageViewLoader],
  ['click_event', openClickLoader],
  ['datalayer_event', openEventLoader],
  ...KEYED_ROADS,
]);

/** Their names. */
export const IMPORTABLE: readonly string[] = [...ROADS.keys()];

/** Imports one file. Throws an ImportError when it cannot, and leaves the data as it was. */
export async function importFile(options: ImportOptions): Promise<ImportReport> {
  const started = options.clock();
  const begun = performance.now();
  const { material, openLoader } = findLoader(options.manifest, options.material);
  if (options.timezone !== undefined && !isTimezone(options.timezone)) {
    throw new ImportError(
      `${options.timezone} is no time zone; give a full name such as Europe/Berlin, or UTC`,
    );
  }
  if (options.format === 'qa-tsv') checkQaTsv(options);
  const site = await findSite(options.write, options.site);
  const done = await inTransaction(options.write, async (client) => {
    if (!(await tryLockSite(client, site.id))) {
      throw new ImportError(
        `Another import of site ${options.site} is running; start this one when it has finished`,
      );
    }
    const limits = options.limits ?? IMPORT_LIMITS;
    const parseTime = timeParser(options.timezone);
    const { write, manifest } = options;
    const loader = await openLoader({
      client,
      write,
      manifest,
      material,
      siteId: site.id,
      parseTime,
      limits,
    });
    let bytes = 0;
    const refuseStopped = (): void => {
      if (options.signal?.aborted === true) throw new ImportError('Stopped; nothing was imported.');
    };
    const rejections = keepRejections();
    const flow: Flow = fillBatches(loader, {
      onError: options.onError,
      limits,
      onRejected(row) {
        rejections.add(row);
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
      // The connection may not be given back, nor rolled back, under a COPY that still runs.
      await flow.settle();
    }
    refuseStopped();
    const totals = await loader.finish();
    if (loader.touched !== undefined) {
      const { rollups } = manifest;
      const goOn = (share: number): void => {
        refuseStopped();
        options.onCounting?.(share);
      };
      goOn(0);
      await refreshRollups({ client, siteId: site.id, rollups, goOn, limits }, loader.touched);
    }
    const counts = { read: flow.read(), rejected: flow.rejected(), ...totals };
    options.beforeCommit?.();
    refuseStopped();
    const importId = await record(client, site.id, options, started, counts);
    await rejections.write(client, importId);
    // Small imports add up, which the planner's turn below can see only when this one has been counted.
    await client.query('SELECT pg_stat_force_next_flush()');
    return { ...counts, tables: loader.tables };
  });
  const warning = await tellPlanner(options.write, done.tables, done.added + done.updated);
  const seconds = (performance.now() - begun) / 1000;
  const { read, added, updated, unchanged, rejected } = done;
  return {
    read,
    added,
    updated,
    unchanged,
    rejected,
    seconds,
    rowsPerSecond: Math.round(read / Math.max(seconds, 0.001)),
    ...(warning === undefined ? {} : { warning }),
  };
}

function findLoader(manifest: Manifest, name: string): { material: Material; openLoader: OpenLoader } {
  const material = manifest.materials.get(name);
  const openLoader = ROADS.get(name);
  if (material !== undefined && openLoader !== undefined) return { material, openLoader };
  const can = `materials that can: ${IMPORTABLE.join(', ')}`;
  if (material !== undefined || /^goal_\d+$|^events\./.test(name)) {
    throw new ImportError(`${name} is made from other materials and cannot be imported; ${can}`);
  }
  throw new ImportError(`${name} is no material; ${can}`);
}

/** An export of this form holds page views, and its times have no offset. */
function checkQaTsv({ material, timezone }: ImportOptions): void {
  if (material !== 'allpv')
    throw new ImportError('A file of format qa-tsv holds page views; import it as allpv');
  if (timezone === undefined) {
    throw new ImportError(
      'A file of format qa-tsv holds local times; name the zone of the site it was made for with --timezone',
    );
  }
}

async function findSite(write: Knex, trackingId: string): Promise<{ id: number }> {
  const asked: { rows: { id: number }[] } = await write.raw(
    'SELECT site_id AS id FROM analytics.site WHERE tracking_id = ?',
    [trackingId],
  );
  const [found] = asked.rows;
  if (found !== undefined) return found;
  const answer: { rows: { name: string }[] } = await write.raw(
    'SELECT tracking_id AS name FROM analytics.site ORDER BY tracking_id',
  );
  const names = answer.rows.map(({ name }) => name);
  throw new ImportError(
    names.length === 0
      ? `There is no site yet; make ${trackingId} with: qal sites apply FILE.yaml`
      : `There is no site ${trackingId}; the nearest is ${closest(trackingId, names)} (qal sites list shows all)`,
  );
}

/** Writes the record of an import; answers its number. */
async function record(
  client: ClientBase,
  siteId: number,
  options: ImportOptions,
  started: Date,
  counts: RoadTotals & { readonly read: number; readonly rejected: number },
): Promise<number> {
  if (counts.changed) {
    await client.query('UPDATE analytics.site SET data_version = data_version + 1 WHERE site_id = $1', [
      siteId,
    ]);
  }
  const { rows } = await client.query<{ id: number }>(
    `INSERT INTO analytics.import_run (site_id, material, source, started_at, finished_at,
       rows_read, rows_added, rows_updated, rows_unchanged, rows_rejected)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     RETURNING import_id AS id`,
    [
      siteId,
      options.material,
      options.source,
      started,
      options.clock(),
      counts.read,
      counts.added,
      counts.updated,
      counts.unchanged,
      counts.rejected,
    ],
  );
  return rows[0]?.id ?? 0;
}

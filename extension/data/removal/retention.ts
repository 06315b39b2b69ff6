// Removes data that is too old, at startup and then once an hour. Rows are removed in pieces, oldest first, each in a separate
// transaction.
import type { Knex } from 'knex';
import type { Client, ClientBase } from 'pg';
import { isOfWorker, type Log, waitOrStop, workerFault } from '../../../host-shim/extension-api';
import type { Manifest } from '../../../manifests/reader/manifest';
import { localDateOf } from '../../language/time/local-time';
import { inTransaction, watchSites } from '../storage/in-transaction';
import { lockSiteWithTimeout } from '../storage/site-locks';
import { findSite, SITES, type Site } from '../storage/sites/list-sites';
import { fieldsOf, isSame } from '../storage/sites/save-site';
import { NO_WORKERS, type Workers } from '../storage/workers';
import type { RemovalPlan } from './removal-plan';
import { recordRemoval, totalOf } from './removal-record';
import { type RowsByMaterial, refreshChanged, removeRows } from './remove-rows';

export interface RetentionOptions {
  readonly write: Knex;
  readonly manifest: Manifest;
  /** Default: all sites are on one machine. */
  readonly workers?: Workers;
  readonly log: Log;
  readonly clock: () => Date;
  /** Rows in one transaction. */
  readonly rowsAtOnce?: number;
}

export interface HourlyWork {
  /** The beginning of a log message, such as "Old query records could not be removed". */
  readonly failure: string;
  run(now: Date, signal: AbortSignal): Promise<unknown>;
}

export type Retention = ReturnType<typeof startRetention>;

const ROUND_MS = 3_600_000;
const ROWS_AT_ONCE = 1_000_000;

const NEXT = 'The next attempt is in an hour.';

/** Runs the work immediately, and then once an hour. */
export function startRetention(
  { clock, log }: Pick<RetentionOptions, 'clock' | 'log'>,
  jobs: readonly HourlyWork[],
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const rounds = (async () => {
    while (!signal.aborted) {
      for (const { failure, run } of jobs)
        await run(clock(), signal).catch((error: unknown) => {
          if (isOfWorker(error)) log.warn({}, `${failure}. ${workerFault(error)} ${NEXT}`);
          else log.error({ err: error }, `${failure}. ${NEXT}`);
        });
      await waitOrStop(ROUND_MS, signal);
    }
  })();
  return {
    /** Stops after the piece that is being removed. */
    stop(): Promise<void> {
      stopping.abort();
      return rounds;
    },
  };
}

/** The rows that one transaction removes. */
interface OldPiece {
  readonly plan: RemovalPlan;
  /** First and last local day, inclusive. */
  readonly firstDay: string;
  readonly lastDay: string;
  readonly isLast: boolean;
  /** Changes rows that are kept, before the others are removed. */
  prepare?(client: ClientBase): Promise<void>;
}

/** Rows of a site that are too old. */
export interface OldRows {
  /** The dataset; null for visits. */
  readonly material: string | null;
  /** The next piece, with about this many rows. Undefined if there is nothing to remove. */
  nextPiece(client: ClientBase, rows: number): Promise<OldPiece | undefined>;
}

/**
 * Removes the rows that are too old on each site. Sites whose machine does not respond wait for the next round. A failure on one
 * site is thrown once the others are done.
 */
export async function removeOld(
  options: RetentionOptions,
  signal: AbortSignal,
  oldRowsOf: (site: Site, today: string) => readonly OldRows[],
): Promise<void> {
  const { rows: sites }: { rows: Site[] } = await options.write.raw(`${SITES} ORDER BY s.site_id`);
  const { workers = NO_WORKERS } = options;
  const removeOf = async (site: Site): Promise<void> => {
    const today = localDateOf(options.clock().getTime() / 1000, site.timezone);
    for (const old of oldRowsOf(site, today)) await removePieces(options, site, old, signal);
  };
  const failures: unknown[] = [];
  for (const site of sites)
    if (!workers.isAway(site.siteId)) await removeOf(site).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Removes pieces until nothing is too old or an import locks the site. */
async function removePieces(
  options: RetentionOptions,
  site: Site,
  old: OldRows,
  signal: AbortSignal,
): Promise<void> {
  const removed: Record<string, number> = {};
  while (!signal.aborted) {
    const begun = performance.now();
    const piece = await removePiece(options, site, old);
    for (const [name, rows] of Object.entries(piece?.removed ?? {}))
      removed[name] = (removed[name] ?? 0) + rows;
    if (piece === undefined || piece.isLast) break;
    // Imports are rejected while a piece locks the site, so they get half the time.
    await waitOrStop(performance.now() - begun, signal);
  }
  await refreshChanged(options.write, options.manifest, site.siteId, removed);
}

/** Removes one piece, and returns how many rows it had. Undefined if the site is locked or was changed, or nothing is left. */
function removePiece(
  { write, clock, log, rowsAtOnce = ROWS_AT_ONCE }: RetentionOptions,
  site: Site,
  { material, nextPiece }: OldRows,
): Promise<{ readonly removed: RowsByMaterial; readonly isLast: boolean } | undefined> {
  const { siteId, trackingId } = site;
  const work = async (client: Client) => {
    // The lock is taken only if there is something to remove, so that imports are not refused needlessly.
    watchSites(client, [siteId]);
    const piece = await nextPiece(client, rowsAtOnce);
    if (piece === undefined || !(await lockSiteWithTimeout(client, trackingId))) return undefined;
    // A change to the retention period or time zone holds the lock, and must not be followed by a removal under the old one.
    const now = await findSite(client, trackingId);
    if (now === undefined || !isSame(now, fieldsOf(site))) return undefined;
    const { plan, firstDay, lastDay, isLast } = piece;
    await piece.prepare?.(client);
    const { removed } = await removeRows(client, siteId, plan);
    if (totalOf(removed) > 0) {
      const what = { material, firstDay, lastDay, removed };
      await recordRemoval(client, { at: clock(), login: 'server', kind: 'retention', trackingId, ...what });
      log.info({ site: trackingId, ...what }, 'Removed rows older than the retention period.');
    }
    return { removed, isLast };
  };
  return inTransaction(write, work);
}
